import { lookup } from 'node:dns/promises';
import { type Web, WebError, type WebRequest } from '../../commands/ports/web.js';
import { within } from '../../lib/time/within.js';
import { MessageError } from '../../messages/error.js';
import type { Reply, Sink } from './ask.js';
import { exchange } from './exchange.js';
import { fileSink, memorySink } from './sinks.js';
import { check, parseUrl, type Resolve, unreached } from './target.js';
import { TlsSessions } from './tls-sessions.js';

interface WebOptions {
  /** Disables the address check for every request: `PORTOLAN_ALLOW_PRIVATE_OUTBOUND`. */
  readonly allowPrivate: boolean;
  /** For tests; default: the system's resolver. */
  readonly resolve?: Resolve;
}

const TIMEOUT_MS = 15_000;
const MAX_REPLY_BYTES = 1024 * 1024;
const IDLE_MS = 30_000;
const LOOKUP_MS = 5_000;

/** The `Web` port: every request of the panel to another machine goes through it. */
export function createWeb({ allowPrivate, resolve = everyAddress }: WebOptions): Web {
  const sessions = new TlsSessions();
  const run = (
    url: string,
    request: WebRequest & { readonly idleMs?: number },
    encoding: string,
    sink: Sink,
    hasProgress?: () => boolean,
  ): Promise<Reply> => {
    const { timeoutMs = TIMEOUT_MS, idleMs = Math.min(IDLE_MS, timeoutMs) } = request;
    const headers = { 'user-agent': 'portolan', 'accept-encoding': encoding, ...request.headers };
    const task = (signal: AbortSignal): Promise<Reply> =>
      exchange(url, { ...request, headers }, { resolve, sessions, allowPrivate, idleMs, signal }, sink);
    return withSignal(timeoutMs, request.signal, task, hasProgress && { hasProgress, ms: idleMs });
  };

  return {
    request: async (url, request = {}) => {
      const sink = memorySink(request.limit ?? MAX_REPLY_BYTES);
      const reply = await run(url, request, 'gzip', sink);
      return { status: reply.status, headers: reply.headers, body: await sink.decoded(reply) };
    },

    download: async (url, file, options) => {
      const sink = fileSink(file, options.limit);
      try {
        const hasProgress = sink.gained(options.leastBytes ?? 0);
        const { headers } = await run(url, options, 'identity', sink, hasProgress);
        return { ...sink.keep(), lastModified: headers['last-modified'] ?? null };
      } catch (error) {
        sink.drop();
        throw error;
      }
    },

    problem: async (text, options = {}) => {
      try {
        const url = parseUrl(text);
        await check(url, bounded(resolve), allowPrivate || options.allowPrivate === true);
        return null;
      } catch (error) {
        if (!(error instanceof WebError) || error.kind !== 'refused') return null;
        return error.cause instanceof MessageError ? error.cause.text : error.text;
      }
    },
  };
}

/**
 * Runs a task with a signal that aborts after `ms`, when a check finds no progress, or with the caller's signal. Not
 * `AbortSignal.any`: Node 20 may garbage-collect the joined timeout signal while the task waits for it.
 */
async function withSignal<T>(
  ms: number,
  own: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
  checkProgress?: { readonly hasProgress: () => boolean; readonly ms: number },
): Promise<T> {
  const controller = new AbortController();
  const end = (): void => controller.abort(new DOMException('It took too long', 'TimeoutError'));
  const timer = setTimeout(end, ms);
  const idleTimer = checkProgress && setInterval(() => checkProgress.hasProgress() || end(), checkProgress.ms);
  const abort = (): void => controller.abort(own?.reason);
  if (own?.aborted) abort();
  own?.addEventListener('abort', abort, { once: true });
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    clearInterval(idleTimer);
    own?.removeEventListener('abort', abort);
  }
}

const everyAddress: Resolve = (host) => lookup(host, { all: true });

/** Limits the time of a lookup. A resolver that hangs reveals nothing about the address. */
const bounded =
  (resolve: Resolve): Resolve =>
  (host) =>
    within(LOOKUP_MS, resolve(host), () => {
      throw unreached('timeout', host, new Error('no answer'));
    });
