import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response, Router } from 'express';
import { Rejection, reject } from '../../commands/rejection.js';
import type { RecordedEvent } from '../../events/catalog.js';
import { FollowerTooSlow, follow } from '../../events/log/follow.js';
import { message } from '../../messages/message.js';
import type { AuthRequest } from '../panel/auth/auth-context.js';
import { eventRoutes, FeedQuery } from '../panel/contract/events.js';
import { type Gate, sendMessage } from '../panel/mount.js';
import { goneSignal } from '../server/gone.js';
import { type EventFeed, wantedOf } from './event-feed.js';
import type { CurrentLimits, LimitedFeed } from './limited-feed.js';

/** A heartbeat in ms: proxies close silent connections, and the session is checked with each beat. */
const HEARTBEAT_MS = 15_000;
/** How long a follower may read nothing while data waits, in ms. */
const STUCK_MS = 30_000;
/** When a follower reconnects after losing its stream, in ms. */
const RETRY_MS = 3000;
const PAGE = 250;

const MEDIA = 'text/event-stream';
const { events } = eventRoutes;

/** `beatMs` and `stuckMs` are for tests. */
interface StreamTimes {
  readonly beatMs: number;
  readonly stuckMs: number;
}

/** Handles requests of the events route for a stream; the next handler answers the others. */
export function mountEventStream(
  router: Router,
  gate: Gate<AuthRequest>,
  { feed, limitedFeed }: { readonly feed: EventFeed; readonly limitedFeed: LimitedFeed },
  times: StreamTimes = { beatMs: HEARTBEAT_MS, stuckMs: STUCK_MS },
): void {
  router.get(events.path, gate.guard(events), async (req, res, next) => {
    if (req.method !== 'GET' || !(req.headers.accept ?? '').toLowerCase().includes(MEDIA)) return next();
    const last = req.headers['last-event-id'];
    const query = FeedQuery.safeParse({ ...req.query, ...(last === undefined ? {} : { after: last }) });
    // The next handler rejects an invalid query, but it does not read the header.
    if (!query.success) {
      if (last === undefined) return next();
      return sendMessage(res, false, message('CURSOR_INVALID', { value: String(last).slice(0, 100) }));
    }
    const { auth, handling } = gate.requestOf(req, res);
    const limits: CurrentLimits = () => handling.feedLimits;
    const source = sourceOf(query.data, { feed, limitedFeed }, limits);
    if (source instanceof Rejection) return sendMessage(res, false, source);
    // A stream ends when the role begins to be limited, or no longer is.
    const lives = () => auth.isStillValid && (limits() !== null) === source.isLimited;
    const stream = new EventStream(res, { log: feed.log, source, lives }, times);
    const done = await feed.whileWaiting(goneSignal(res), (ended) => stream.run(ended));
    if (done === null) sendMessage(res.status(429), false, reject('FOLLOWERS_FULL'));
  });
}

/** What a follower gets of the events. */
interface Source {
  /** The position after which it begins. */
  readonly after: number;
  readonly isLimited: boolean;
  /** The newest position that it may know. */
  readonly head: () => number;
  readonly textsOf: (event: RecordedEvent) => Promise<readonly string[]>;
  readonly cursor: (position: number) => string;
}

function sourceOf(
  query: FeedQuery,
  { feed, limitedFeed }: { readonly feed: EventFeed; readonly limitedFeed: LimitedFeed },
  limits: CurrentLimits,
): Source | Rejection {
  const view = limits();
  if (view === null) {
    const refusal = feed.refusalOf(query);
    if (refusal) return refusal;
    const wanted = wantedOf(query.types);
    return {
      ...{ after: query.after.position, isLimited: false, head: () => feed.log.head().position },
      textsOf: async (event) => (wanted(event) ? [feed.textOf(event)] : []),
      cursor: (position) => feed.cursor(position),
    };
  }
  const after = limitedFeed.begin(query, view);
  if (typeof after !== 'number') return after;
  return {
    ...{ after, isLimited: true, head: () => query.after.position },
    async textsOf(event) {
      const current = limits();
      return current === null ? [] : limitedFeed.textsOf(event, current, query.types);
    },
    cursor: (position) => limitedFeed.cursor(position, view),
  };
}

interface Follower {
  readonly log: EventFeed['log'];
  readonly source: Source;
  readonly lives: () => boolean;
}

/** One follower: sends past events as fast as it reads, then new ones. */
class EventStream {
  readonly #res: Response;
  readonly #follower: Follower;
  readonly #times: StreamTimes;
  /** Position of the last event that was examined, and the last position that was sent to the follower. */
  #seen = 0;
  #sent = 0;

  constructor(res: Response, follower: Follower, times: StreamTimes) {
    this.#res = res;
    this.#follower = follower;
    this.#times = times;
  }

  /** Ends with the caller, its session or token, or the panel. A caller that reads too slowly is disconnected. */
  async run(ended: AbortSignal): Promise<true> {
    const over = new AbortController();
    const stop = (): void => over.abort();
    const signal = AbortSignal.any([ended, over.signal]);
    const { log, source, lives } = this.#follower;
    this.#seen = source.after;
    this.#sent = source.after;
    this.#res.writeHead(200, {
      'Content-Type': MEDIA,
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    const begin = { head: source.head(), generation: log.generation };
    this.#res.write(`retry: ${RETRY_MS}\nevent: log\ndata: ${JSON.stringify(begin)}\n\n`);
    const heartbeat = setInterval(() => (lives() ? this.#beat() : stop()), this.#times.beatMs);
    try {
      for await (const batch of follow(log, source.after, { page: PAGE, signal })) {
        if (signal.aborted || !lives()) break;
        for (const event of batch) {
          if (!(await this.#send(event.position, await source.textsOf(event)))) return true;
          this.#seen = event.position;
        }
        await nextTurn();
      }
    } catch (error) {
      if (!(error instanceof FollowerTooSlow)) throw error;
    } finally {
      clearInterval(heartbeat);
    }
    this.#res.end();
    return true;
  }

  /** Returns false when the follower stopped reading and was disconnected. */
  async #send(position: number, texts: readonly string[]): Promise<boolean> {
    const last = texts.at(-1);
    if (last === undefined) return true;
    this.#sent = position;
    // The position counts only with the last part of an event.
    for (const text of texts.slice(0, -1)) this.#res.write(`data: ${text}\n\n`);
    if (this.#res.write(`id: ${this.#follower.source.cursor(position)}\ndata: ${last}\n\n`)) return true;
    const drained = await this.#drained();
    if (!drained) this.#res.destroy();
    return drained;
  }

  #drained(): Promise<boolean> {
    const res = this.#res;
    return new Promise((resolve) => {
      const settle = (drained: boolean): void => {
        clearTimeout(timer);
        res.off('drain', drain).off('close', close);
        resolve(drained);
      };
      const drain = (): void => settle(true);
      const close = (): void => settle(false);
      const timer = setTimeout(close, this.#times.stuckMs);
      res.on('drain', drain).on('close', close);
      if (res.destroyed) close();
    });
  }

  /** Sends a comment, and the position if events were filtered out since the last one sent and the follower may know of them. */
  #beat(): void {
    if (this.#res.writableNeedDrain) return;
    const { source } = this.#follower;
    const isSame = this.#seen === this.#sent || source.isLimited;
    const place = isSame ? '' : `id: ${source.cursor(this.#seen)}\n`;
    if (!source.isLimited) this.#sent = this.#seen;
    this.#res.write(`:\n${place}\n`);
  }
}
