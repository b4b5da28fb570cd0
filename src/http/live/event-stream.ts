import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response, Router } from 'express';
import { reject } from '../../commands/rejection.js';
import { FollowerTooSlow, follow } from '../../events/log/follow.js';
import { message } from '../../messages/message.js';
import type { AuthRequest } from '../panel/auth/visit.js';
import { eventRoutes, FeedQuery } from '../panel/contract/events.js';
import { type Gate, tell } from '../panel/mount.js';
import { goneSignal } from '../server/gone.js';
import { type EventFeed, wantedOf } from './event-feed.js';

/** A sign of life each so many ms: proxies end what is silent, and whoever is not let in any more is noticed. */
const HEARTBEAT_MS = 15_000;
/** How long a follower may read nothing of what waits for it, in ms. */
const STUCK_MS = 30_000;
/** When a follower that lost its stream comes again, in ms. */
const RETRY_MS = 3000;
const PAGE = 250;

const MEDIA = 'text/event-stream';
const { events } = eventRoutes;

/** `beatMs` and `stuckMs` are for tests. */
export interface StreamTimes {
  readonly beatMs: number;
  readonly stuckMs: number;
}

/** The same route for who asks for a stream: what follows it answers all others. */
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
    // The next in line says what is wrong with a question; with the header only we know it.
    if (!query.success) return last === undefined ? next() : tell(res, false, message('CURSOR_INVALID'));
    const { visit } = gate.requestOf(req, res);
    const refusal = feed.refusalOf(query.data);
    if (refusal) return tell(res, false, refusal);
    const stream = new EventStream(res, feed, () => visit.lives, times);
    const done = await feed.whileWaiting(goneSignal(res), (ended) => stream.run(query.data, ended));
    if (done === null) tell(res.status(429), false, reject('FOLLOWERS_FULL'));
  });
}

/** One follower: the past as fast as it reads, then what comes. */
class EventStream {
  readonly #res: Response;
  readonly #feed: EventFeed;
  readonly #lives: () => boolean;
  readonly #times: StreamTimes;
  /** Position of the last event that was looked at, and of the last that the follower knows of. */
  #seen = 0;
  #told = 0;

  constructor(res: Response, feed: EventFeed, lives: () => boolean, times: StreamTimes) {
    this.#res = res;
    this.#feed = feed;
    this.#lives = lives;
    this.#times = times;
  }

  /** Ends with the caller, its session or token, and the panel; who reads too slowly is cut off. */
  async run({ after, types }: FeedQuery, ended: AbortSignal): Promise<true> {
    const over = new AbortController();
    const stop = (): void => over.abort();
    const signal = AbortSignal.any([ended, over.signal]);
    const { log } = this.#feed;
    this.#seen = after.position;
    this.#told = after.position;
    this.#res.writeHead(200, {
      'Content-Type': MEDIA,
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
    });
    const begin = { head: log.head().position, generation: log.generation };
    this.#res.write(`retry: ${RETRY_MS}\nevent: log\ndata: ${JSON.stringify(begin)}\n\n`);
    const beat = setInterval(() => (this.#lives() ? this.#beat() : stop()), this.#times.beatMs);
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
      clearInterval(beat);
    }
    this.#res.end();
    return true;
  }

  /** False: the follower reads no more, and is cut off. */
  async #send(position: number, text: string): Promise<boolean> {
    this.#told = position;
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

  /** A comment; and where the follower stands, once events have passed that it does not want. */
  #beat(): void {
    if (this.#res.writableNeedDrain) return;
    const place = this.#seen === this.#told ? '' : `id: ${this.#feed.cursor(this.#seen)}\n`;
    this.#told = this.#seen;
    this.#res.write(`:\n${place}\n`);
  }
}
