import type { Readable } from 'node:stream';
import type { Client } from 'undici';
import type { WebRequest } from '../../commands/ports/web.js';
import { hostOf, interrupted, unreached } from './target.js';

/** One request to one origin. */
export interface Hop extends Required<Pick<WebRequest, 'method' | 'headers'>> {
  readonly url: URL;
  readonly body: string | Buffer | Readable | null;
}

export interface Reply {
  readonly host: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Consumes a body chunk by chunk. An error that it throws ends the exchange and rejects it. */
export interface Sink {
  begin(reply: Reply): void;
  take(piece: Buffer): void;
}

/**
 * Sends one request. `sink` receives the body of every answer that is not a redirect (3xx with a location). The body is
 * pushed, never paused: undici 7 terminates the process when a server disconnects while its parser is paused
 * (nodejs/undici#5360).
 */
export function sendRequest(client: Client, hop: Hop, signal: AbortSignal, sink: Sink): Promise<Reply> {
  const { url, method, headers, body } = hop;
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    let reply: Reply | null = null;
    const timedOut = (): void => reject(unreached('timeout', host, signal.reason));
    if (signal.aborted) return timedOut();
    signal.addEventListener('abort', timedOut, { once: true });
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', timedOut);
      settle();
    };
    const guarded = (abort: (error: Error) => void, work: () => void): void => {
      try {
        work();
      } catch (error) {
        end(() => reject(error as Error));
        abort(error as Error);
      }
    };
    client.dispatch(
      { path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (controller, status, received) => {
          if (status < 200) return;
          const plain = Object.entries(received).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
          const answer: Reply = { host, status, headers: Object.fromEntries(plain) };
          reply = answer;
          if (redirectOf(answer) === null)
            guarded(
              (error) => controller.abort(error),
              () => sink.begin(answer),
            );
          else {
            end(() => resolve(answer));
            controller.abort(new Error('redirected'));
          }
        },
        onResponseData: (controller, piece) =>
          guarded(
            (error) => controller.abort(error),
            () => sink.take(piece),
          ),
        onResponseEnd: () => end(() => (reply === null ? undefined : resolve(reply))),
        onResponseError: (_, error) =>
          end(() => reject(reply === null ? unreached('unreachable', host, error) : interrupted(host, error))),
      },
    );
  });
}

/** The target of a redirect, or null when the answer is not one. */
export const redirectOf = ({ status, headers }: Reply): string | null =>
  [301, 302, 303, 307, 308].includes(status) ? (headers['location'] ?? null) : null;
