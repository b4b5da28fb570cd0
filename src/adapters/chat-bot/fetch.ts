import type { ApiClientOptions } from 'grammy';
import { ChatError } from '../../commands/ports/chat-bot.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { rejected, UNREACHABLE } from './failure.js';

type Fetch = NonNullable<ApiClientOptions['fetch']>;

/** For an answer; a question for updates is held 30 s by the server, and a file of 50 MB takes its time. In ms. */
const PATIENCE_MS = { getUpdates: 45_000, sendDocument: 600_000, other: 20_000 } as const;
/** Of an answer: a hundred updates with the longest messages. */
const LIMIT = 4 * 1024 * 1024;

/**
 * What the library takes for `fetch`: the `Web` port, with its checks, limits and clocks. Only what the library uses of
 * an answer is there. Rejects with `ChatError`: the address, which holds the token, is in no error.
 */
export function fetchThrough(web: Web, proxy: string): Fetch {
  const ask = async (address: unknown, init: Init = {}): Promise<{ json(): Promise<unknown> }> => {
    const url = String(address);
    const method = url.slice(url.lastIndexOf('/') + 1);
    const patience = method === 'getUpdates' || method === 'sendDocument' ? method : 'other';
    const request = {
      method: 'POST' as const,
      headers: { ...(init.headers as Record<string, string> | undefined) },
      ...(init.body ? { body: init.body as string | AsyncIterable<Uint8Array> } : {}),
      timeoutMs: PATIENCE_MS[patience],
      limit: LIMIT,
      ...(proxy === '' ? {} : { proxy }),
      ...(init.signal ? { signal: ownSignal(init.signal as Abortable) } : {}),
    };
    try {
      const { status, body } = await web.request(url, request);
      const answer = parsed(body.toString('utf8'));
      if (answer === undefined) throw strange(status);
      return { json: async () => answer };
    } catch (error) {
      throw error instanceof WebError ? new ChatError('unreachable', UNREACHABLE, { cause: error }) : error;
    }
  };
  // The library declares the whole of its own `fetch`, and uses this much.
  return ask as unknown as Fetch;
}

/** Somebody before the server answers: only that a file was too large is worth knowing. */
function strange(status: number): ChatError {
  return rejected(status === 413 ? status : 502, `the answer has status ${status} and is not of the bot API`);
}

interface Init {
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: unknown;
}

/** A signal as the library has it: it looks like one, and is none of Node's. */
interface Abortable {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

function ownSignal(signal: Abortable): AbortSignal {
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

/** The answer when it is an object with `ok`; else undefined. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'ok' in value ? value : undefined;
  } catch {
    return undefined;
  }
}
