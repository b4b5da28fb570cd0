import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response, Router } from 'express';
import { reject } from '../../commands/rejection.js';
import { FollowerTooSlow, follow } from '../../events/log/follow.js';
import { message } from '../../messages/message.js';
import type { AuthRequest } from '../panel/auth/auth-context.js';
import { eventRoutes, FeedQuery } from '../panel/contract/events.js';
import { type Gate, sendMessage } from '../panel/mount.js';
import { goneSignal } from '../server/gone.js';
import { type EventFeed, wantedOf } from './event-feed.js';

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
  feed: EventFeed,
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
    const { auth } = gate.requestOf(req, res);
    const refusal = feed.refusalOf(query.data);
    if (refusal) return sendMessage(res, false, refusal);
    const stream = new EventStream(res, feed, () => auth.isStillValid, times);
    const done = await feed.whileWaiting(goneSignal(res), (ended) => stream.run(query.data, ended));
    if (done === null) sendMessage(res.status(429), false, reject('FOLLOWERS_FULL'));
  });
}

/** One follower: sends past events as fast as it reads, then new ones. */
class EventStream {
  readonly #res: Response;
  readonly #feed: EventFeed;
  readonly #lives: () => boolean;
  readonly #times: StreamTimes;
  /** Position of the last event that was examined, and the last position that was sent to the follower. */
  #seen = 0;
  #sent = 0;

  constructor(res: Response, feed: EventFeed, lives: () => boolean, times: StreamTimes) {
    this.#res = res;
    this.#feed = feed;
    this.#lives = lives;
    this.#times = times;
  }

  /** Ends with the caller, its session or token, or the panel. A caller that reads too slowly is disconnected. */
  async run({ after, types }: FeedQuery, ended: AbortSignal): Promise<true> {
    const over = new AbortController();
    const stop = (): void => over.abort();
    const signal = AbortSignal.any([ended, over.signal]);
    const { log } = this.#feed;
    this.#seen = after.position;
    this.#sent = after.position;
    this.#res.writeHead(200, {
      'Content-Type': MEDIA,
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    const begin = { head: log.head().position, generation: log.generation };
    this.#res.write(`retry: ${RETRY_MS}\nevent: log\ndata: ${JSON.stringify(begin)}\n\n`);
    const heartbeat = setInterval(() => (this.#lives() ? this.#beat() : stop()), this.#times.beatMs);
    const wanted = wantedOf(types);
    try {
      for await (const batch of follow(log, after.position, { page: PAGE, signal })) {
        if (signal.aborted || !this.#lives()) break;
        for (const event of batch) {
          if (wanted(event) && !(await this.#send(event.position, this.#feed.textOf(event)))) return true;
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
  async #send(position: number, text: string): Promise<boolean> {
    this.#sent = position;
    if (this.#res.write(`id: ${this.#feed.cursor(position)}\ndata: ${text}\n\n`)) return true;
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

  /** Sends a comment, and the position if events were filtered out since the last one sent. */
  #beat(): void {
    if (this.#res.writableNeedDrain) return;
    const place = this.#seen === this.#sent ? '' : `id: ${this.#feed.cursor(this.#seen)}\n`;
    this.#sent = this.#seen;
    this.#res.write(`:\n${place}\n`);
  }
}
