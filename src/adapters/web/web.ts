import { lookup } from 'node:dns/promises';
import { type Web, WebError, type WebRequest } from '../../commands/ports/web.js';
import type { Reply, Sink } from './ask.js';
import { exchange } from './exchange.js';
import { fileSink, memorySink } from './sinks.js';
import { judge, parseUrl, type Resolve, unreached } from './target.js';

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
  const run = (
    url: string,
    request: WebRequest & { readonly idleMs?: number },
    encoding: string,
    sink: Sink,
  ): Promise<Reply> => {
    const { timeoutMs = TIMEOUT_MS, idleMs = Math.min(IDLE_MS, timeoutMs) } = request;
    const timer = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([timer, request.signal]) : timer;
    const headers = { 'user-agent': 'portolan', 'accept-encoding': encoding, ...request.headers };
    return exchange(url, { ...request, headers }, { resolve, allowPrivate, idleMs, signal }, sink);
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
        const { headers } = await run(url, options, 'identity', sink);
        return { ...sink.keep(), lastModified: headers['last-modified'] ?? null };
      } catch (error) {
        sink.drop();
        throw error;
      }
    },

    flaw: async (text, options = {}) => {
      try {
        const url = parseUrl(text);
        await judge(url, bounded(resolve), allowPrivate || options.allowPrivate === true);
        return null;
      } catch (error) {
        if (!(error instanceof WebError) || error.kind !== 'refused') return null;
        return error.cause instanceof Error ? error.cause.message : error.message;
      }
    },
  };
}

const everyAddress: Resolve = (host) => lookup(host, { all: true });

/** A resolver that hangs says nothing about the address. */
const bounded =
  (resolve: Resolve): Resolve =>
  async (host) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(unreached('timeout', host, new Error('no answer'))), LOOKUP_MS);
    });
    try {
      return await Promise.race([resolve(host), late]);
    } finally {
      clearTimeout(timer);
    }
  };
