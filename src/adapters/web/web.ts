import { lookup } from 'node:dns/promises';
import { type Web, WebError, type WebRequest } from '../../commands/ports/web.js';
import { within } from '../../lib/time/within.js';
import { MessageError } from '../../messages/error.js';
import type { Reply, Sink } from './ask.js';
import { exchange } from './exchange.js';
import { fileSink, memorySink } from './sinks.js';
import { judge, parseUrl, type Resolve, unreached } from './target.js';
import { TlsSessions } from './tls-sessions.js';

export interface WebOptions {
  /** Lifts the address check for every request: `PORTOLAN_ALLOW_PRIVATE_OUTBOUND`. */
  readonly allowPrivate: boolean;
  /** For tests; the system's resolver without it. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 15_000;
const LIMIT = 1024 * 1024;
const IDLE_MS = 30_000;
const LOOKUP_MS = 5_000;

/** The `Web` port: the only way out of the panel. */
export function createWeb({ allowPrivate, resolve = everyAddress }: WebOptions): Web {
  const sessions = new TlsSessions();
  const run = (
    url: string,
    request: WebRequest & { readonly idleMs?: number },
    encoding: string,
    sink: Sink,
    goesOn?: () => boolean,
  ): Promise<Reply> => {
    const { timeoutMs = TIMEOUT_MS, idleMs = Math.min(IDLE_MS, timeoutMs) } = request;
    const headers = { 'user-agent': 'portolan', 'accept-encoding': encoding, ...request.headers };
    const task = (signal: AbortSignal): Promise<Reply> =>
      exchange(url, { ...request, headers }, { resolve, sessions, allowPrivate, idleMs, signal }, sink);
    return withSignal(timeoutMs, request.signal, task, goesOn && { goesOn, ms: idleMs });
  };

  return {
    request: async (url, request = {}) => {
      const sink = memorySink(request.limit ?? LIMIT);
      const reply = await run(url, request, 'gzip', sink);
      return { status: reply.status, headers: reply.headers, body: await sink.decoded(reply) };
    },

    download: async (url, file, options) => {
      const sink = fileSink(file, options.limit);
      try {
        const goesOn = sink.gained(options.leastBytes ?? 0);
        const { headers } = await run(url, options, 'identity', sink, goesOn);
        return { ...sink.keep(), lastModified: headers['last-modified'] ?? null };
      } catch (error) {
        sink.drop();
        throw error;
      }
    },

    problem: async (text, options = {}) => {
      try {
        const url = parseUrl(text);
        await judge(url, bounded(resolve), allowPrivate || options.allowPrivate === true);
        return null;
      } catch (error) {
        if (!(error instanceof WebError) || error.kind !== 'refused') return null;
        return error.cause instanceof MessageError ? error.cause.text : error.text;
      }
    },
  };
}

/**
 * Runs a task whose signal aborts after `ms`, when a look at it says so, or with the caller's own. By hand: of signals that are joined by
 * `AbortSignal.any`, Node 20 may collect the one that holds the time-out while somebody waits for it.
 */
async function withSignal<T>(
  ms: number,
  own: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
  look?: { readonly goesOn: () => boolean; readonly ms: number },
): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort(new DOMException('It took too long', 'TimeoutError'));
  const late = setTimeout(end, ms);
  const slow = look && setInterval(() => look.goesOn() || end(), look.ms);
  const follow = (): void => controller.abort(own?.reason);
  if (own?.aborted) follow();
  own?.addEventListener('abort', follow, { once: true });
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(late);
    clearInterval(slow);
    own?.removeEventListener('abort', follow);
  }
}

const everyAddress: Resolve = (host) => lookup(host, { all: true });

/** A resolver that hangs says nothing about the address. */
const bounded =
  (resolve: Resolve): Resolve =>
  (host) =>
    within(LOOKUP_MS, resolve(host), () => {
      throw unreached('timeout', host, new Error('no answer'));
    });
