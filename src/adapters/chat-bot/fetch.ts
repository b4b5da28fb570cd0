import type { ApiClientOptions } from 'grammy';
import { ChatError } from '../../commands/ports/chat-bot.js';
import { type Web, WebError } from '../../commands/ports/web.js';
import { message } from '../../messages/message.js';
import { rejected } from './failure.js';

type Fetch = NonNullable<ApiClientOptions['fetch']>;

/** The bot API holds a poll for up to 30 s, and an upload of 50 MB is slow. In ms. */
const TIMEOUT_MS = { getUpdates: 45_000, sendDocument: 600_000, other: 20_000 } as const;
/** Bytes of an answer: enough for a hundred updates with the longest messages. */
const MAX_REPLY_BYTES = 4 * 1024 * 1024;

/**
 * What the library takes for `fetch`: the `Web` port, with its checks, limits and clocks. Only what the library uses of
 * an answer is there. Rejects with `ChatError`: the address, which holds the token, is in no error.
 */
export function fetchThrough(web: Web, proxy: string): Fetch {
  const ask = async (address: unknown, init: Init = {}): Promise<{ json(): Promise<unknown> }> => {
    const url = String(address);
    const method = url.slice(url.lastIndexOf('/') + 1);
    const kind = method === 'getUpdates' || method === 'sendDocument' ? method : 'other';
    const request = {
      method: 'POST' as const,
      headers: { ...(init.headers as Record<string, string> | undefined) },
      ...(init.body ? { body: init.body as string | AsyncIterable<Uint8Array> } : {}),
      timeoutMs: TIMEOUT_MS[kind],
      limit: MAX_REPLY_BYTES,
      ...(proxy === '' ? {} : { proxy }),
      ...(init.signal ? { signal: ownSignal(init.signal as Abortable) } : {}),
    };
    try {
      const { status, body } = await web.request(url, request);
      const answer = parsed(body.toString('utf8'));
      if (answer === undefined) throw notFromApi(status);
      return { json: async () => answer };
    } catch (error) {
      throw error instanceof WebError
        ? new ChatError('unreachable', message('bot.unreachable'), { cause: error })
        : error;
    }
  };
  // The library declares the type of node-fetch, of which it uses only this.
  return ask as Fetch;
}

/** A proxy in front of the bot API answered. Only its status for too large a file is useful. */
function notFromApi(status: number): ChatError {
  return rejected(status === 413 ? status : 502, `the answer with status ${status} is not from the bot API`);
}

interface Init {
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: unknown;
}

/** A signal of the library's own kind, which Node does not accept. */
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
