import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Rejection, reject } from '../../commands/rejection.js';
import { eventType, type RecordedEvent } from '../../events/catalog.js';
import type { EventLog } from '../../events/log/log.js';
import { type FeedEvent, feedEvent } from '../../projections/feed.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { FeedPage, FeedQuery } from '../panel/contract/events.js';
import { cursorAt, cursorText } from '../panel/contract/feed-cursor.js';
import { JsonOf } from '../panel/contract/route.js';

export type FeedLog = Pick<EventLog, 'read' | 'head' | 'appended$'> & Parameters<typeof cursorAt>[0];

/** What a question without a limit gets at most. */
const USUAL = 500;
/** Events that are read from the disk without a pause for others. */
const CHUNK = 250;
/** Events that one question looks at, and about how many characters it gets: an event is as large as its polls are. */
const MOST_READ = 5000;
const LARGEST = 4 * 1024 * 1024;
/** Callers that wait for events, by a stream or with `wait`. */
const FOLLOWERS = 100;

interface Found {
  readonly texts: readonly string[];
  readonly next: number;
}

/** The log for programs outside: pages of the past, and those who wait for more. */
export class EventFeed {
  readonly log: FeedLog;
  readonly #read: Pick<ReadModels, 'clients'>;
  readonly #followers = new Set<AbortController>();

  constructor(log: FeedLog, read: Pick<ReadModels, 'clients'>) {
    this.log = log;
    this.#read = read;
  }

  /** How many wait. */
  get size(): number {
    return this.#followers.size;
  }

  /** Why a question has no answer: it asks after a position or for a type that does not exist, or of another log. */
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

  /** One page; with `wait` not before there is something in it, the time is up, or the caller or the panel goes away. */
  async page(query: FeedQuery, signal: AbortSignal): Promise<JsonOf<FeedPage> | Rejection> {
    const refusal = this.refusalOf(query);
    if (refusal) return refusal;
    const found = await this.#find(query, query.after.position);
    if (found.texts.length > 0 || query.wait === 0) return this.#pageOf(found);
    return (await this.whileWaiting(signal, (ended) => this.#await(query, found, ended))) ?? reject('FOLLOWERS_FULL');
  }

  /** Runs `follow` as one of those who wait; `ended` says when it is over for it. Null: there are too many already. */
  async whileWaiting<T>(signal: AbortSignal, follow: (ended: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.#followers.size >= FOLLOWERS) return null;
    const follower = new AbortController();
    this.#followers.add(follower);
    try {
      return await follow(AbortSignal.any([follower.signal, signal]));
    } finally {
      this.#followers.delete(follower);
    }
  }

  /** Where a follower stands that has everything up to a position. */
  cursor(position: number): string {
    return cursorText(cursorAt(this.log, position));
  }

  /** Ends the waiting of all who wait now: who streams comes back with its position. */
  sendAway(): void {
    for (const follower of this.#followers) follower.abort();
  }

  /** An event as JSON, without what is sealed. */
  textOf(event: RecordedEvent): string {
    const shown: FeedEvent = feedEvent(event, (client) => this.#read.clients.get(client)?.identity.email);
    return JSON.stringify(shown);
  }

  async #await(query: FeedQuery, start: Found, ended: AbortSignal): Promise<JsonOf<FeedPage>> {
    const over = new AbortController();
    const end = (): void => over.abort();
    const timer = setTimeout(end, query.wait * 1000);
    ended.addEventListener('abort', end);
    let found = start;
    while (found.texts.length === 0 && !over.signal.aborted && !ended.aborted) {
      if (found.next === this.log.head().position) await this.#appended(over.signal);
      found = await this.#find(query, found.next);
    }
    clearTimeout(timer);
    ended.removeEventListener('abort', end);
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

  /** What there is after a position, as far as one question goes. */
  async #find({ limit, types }: FeedQuery, after: number): Promise<Found> {
    const wanted = wantedOf(types);
    const most = limit === 0 ? USUAL : limit;
    const texts: string[] = [];
    let [next, size] = [after, 0];
    for (let read = 0; read < MOST_READ; read += CHUNK) {
      const chunk = this.log.read(next, CHUNK);
      // Of a range that was rolled up there may be nothing to tell up to its end.
      if (chunk.length === 0) return { texts, next: Math.max(next, this.log.head().position) };
      for (const event of chunk) {
        if (wanted(event)) {
          const text = this.textOf(event);
          if (texts.length > 0 && size + text.length > LARGEST) return { texts, next };
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

/** Whether a follower wants an event, by the names of types that it gave. */
export function wantedOf(types: string): (event: RecordedEvent) => boolean {
  const names = new Set(typesIn(types));
  return ({ type }) => names.size === 0 || names.has(type);
}
