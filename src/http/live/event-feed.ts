import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Rejection, reject } from '../../commands/rejection.js';
import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { withMany } from '../../events/client/members.js';
import type { EventLog } from '../../events/log/log.js';
import { type FeedEvent, feedEvent } from '../../projections/feed.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { FeedPage, FeedQuery } from '../panel/contract/events.js';
import { cursorAt, cursorText } from '../panel/contract/feed-cursor.js';
import { JsonOf } from '../panel/contract/route.js';

type FeedLog = Pick<EventLog, 'read' | 'head' | 'appended$'> & Parameters<typeof cursorAt>[0];

/** Events in a page when the query has no limit. */
const DEFAULT_LIMIT = 500;
/** Events read from the disk before other work gets a turn. */
const CHUNK_EVENTS = 250;
/** Events that one query examines, and roughly the characters of its answer: events of polls can be large. */
const MAX_EXAMINED = 5000;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Concurrent callers that wait for events, by a stream or with `wait`. */
const MAX_FOLLOWERS = 100;

interface Found {
  readonly texts: readonly string[];
  readonly next: number;
}

/** The event feed for other programs: pages of past events, and waiting for new ones. */
export class EventFeed {
  readonly log: FeedLog;
  readonly #read: Pick<ReadModels, 'clients'>;
  readonly #followers = new Set<AbortController>();

  constructor(log: FeedLog, read: Pick<ReadModels, 'clients'>) {
    this.log = log;
    this.#read = read;
  }

  /** The number of callers that wait. */
  get size(): number {
    return this.#followers.size;
  }

  /** Why a query is rejected: its position or type does not exist, or it is from another log. Null for a valid one. */
  refusalOf({ after, types, generation }: FeedQuery): Rejection | null {
    const unknown = typesIn(types).find((type) => !eventType(type));
    if (unknown !== undefined) return reject('EVENT_TYPE_UNKNOWN', { type: unknown.slice(0, 100) });
    const { position, hash } = after;
    const isOther = (wanted: string): boolean => wanted !== '' && wanted !== this.log.generation;
    if (isOther(generation) || isOther(after.generation)) return reject('GENERATION_UNKNOWN');
    const head = this.log.head().position;
    if (position > head) return reject('POSITION_UNKNOWN', { after: position, head });
    return hash !== '' && hash !== cursorAt(this.log, position).hash ? reject('HISTORY_CHANGED', { position }) : null;
  }

  /**
   * One page. With `wait` it resolves when there is an event, after that time, or when the caller disconnects or the panel
   * stops.
   */
  async page(query: FeedQuery, signal: AbortSignal): Promise<JsonOf<FeedPage> | Rejection> {
    const refusal = this.refusalOf(query);
    if (refusal) return refusal;
    const found = await this.#find(query, query.after.position);
    if (found.texts.length > 0 || query.wait === 0) return this.#pageOf(found);
    return (await this.whileWaiting(signal, (ended) => this.#await(query, found, ended))) ?? reject('FOLLOWERS_FULL');
  }

  /** Runs `follow` as a waiting caller until `ended` aborts. Null when too many callers wait already. */
  async whileWaiting<T>(signal: AbortSignal, follow: (ended: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.#followers.size >= MAX_FOLLOWERS) return null;
    const follower = new AbortController();
    this.#followers.add(follower);
    try {
      return await follow(AbortSignal.any([follower.signal, signal]));
    } finally {
      this.#followers.delete(follower);
    }
  }

  /** The cursor of a follower that has everything up to a position. */
  cursor(position: number): string {
    return cursorText(cursorAt(this.log, position));
  }

  /** Ends all waits; streaming callers reconnect with their position. */
  endWaits(): void {
    for (const follower of this.#followers) follower.abort();
  }

  /** An event as JSON without sealed fields. */
  textOf(event: RecordedEvent): string {
    const shown: FeedEvent = feedEvent(event, (client) => this.#read.clients.get(client)?.identity.email);
    return JSON.stringify(shown);
  }

  /** Calls `find` after each append, until it has found something, `wait` seconds are over, or `ended` aborts. */
  async untilFound(
    wait: number,
    ended: AbortSignal,
    examined: number,
    find: (examined: number) => Promise<{ readonly isFound: boolean; readonly examined: number }>,
  ): Promise<true> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, wait * 1000);
    ended.addEventListener('abort', end);
    let found = { isFound: false, examined };
    while (!found.isFound && !over.signal.aborted && !ended.aborted) {
      if (found.examined === this.log.head().position) await this.#appended(over.signal);
      found = await find(found.examined);
    }
    clearTimeout(timer);
    ended.removeEventListener('abort', end);
    return true;
  }

  async #await(query: FeedQuery, start: Found, ended: AbortSignal): Promise<JsonOf<FeedPage>> {
    let found = start;
    await this.untilFound(query.wait, ended, start.next, async (examined) => {
      found = await this.#find(query, examined);
      return { isFound: found.texts.length > 0, examined: found.next };
    });
    return this.#pageOf(found);
  }

  #appended(over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        appended.unsubscribe();
        over.removeEventListener('abort', done);
        resolve();
      };
      const appended = this.log.appended$.subscribe({ next: done, complete: done });
      if (over.aborted) done();
      else over.addEventListener('abort', done);
    });
  }

  /** The events after a position, as many as one query examines. */
  async #find({ limit, types }: FeedQuery, after: number): Promise<Found> {
    const wanted = wantedOf(types);
    const most = limit === 0 ? DEFAULT_LIMIT : limit;
    const texts: string[] = [];
    let [next, size] = [after, 0];
    for (let read = 0; read < MAX_EXAMINED; read += CHUNK_EVENTS) {
      const chunk = this.log.read(next, CHUNK_EVENTS);
      // A range that was rolled up may have no events up to its end.
      if (chunk.length === 0) return { texts, next: Math.max(next, this.log.head().position) };
      for (const event of chunk) {
        if (wanted(event)) {
          const text = this.textOf(event);
          if (texts.length > 0 && size + text.length > MAX_CHARACTERS) return { texts, next };
          texts.push(text);
          size += text.length;
        }
        next = event.position;
        if (texts.length === most) return { texts, next };
      }
      await nextTurn();
    }
    return { texts, next };
  }

  #pageOf({ texts, next }: Found): JsonOf<FeedPage> {
    const rest = JSON.stringify({
      next,
      cursor: this.cursor(next),
      head: this.log.head().position,
      generation: this.log.generation,
    });
    return new JsonOf<FeedPage>(`{"events":[${texts.join(',')}],${rest.slice(1)}`);
  }
}

const typesIn = (types: string): readonly string[] =>
  types
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');

/** A filter by the type names of a query. */
export function wantedOf(types: string): (event: RecordedEvent) => boolean {
  const names = new Set(withMany(typesIn(types)));
  return ({ type }) => names.size === 0 || names.has(type);
}
