import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Rejection, reject } from '../../commands/rejection.js';
import { ownerSteps } from '../../commands/undo/owners.js';
import type { Access } from '../../events/access/access-of.js';
import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { membersOf, memberType } from '../../events/client/members.js';
import { ClientNumber } from '../../events/ids.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { lruOf } from '../../lib/lru.js';
import { type FeedEvent, feedEvent } from '../../projections/feed.js';
import type { FeedPage, FeedQuery } from '../panel/contract/events.js';
import { cursorAt, cursorText } from '../panel/contract/feed-cursor.js';
import { JsonOf } from '../panel/contract/route.js';
import type { LimitedView } from '../panel/limited-view.js';
import { type EventFeed, wantedOf } from './event-feed.js';

/** What a limited caller may see now. It changes when the role does. */
export type CurrentLimits = () => LimitedView | null;

/** Where a client is, or was when it was deleted. */
interface Former {
  readonly inbound: number;
  readonly owner: number | undefined;
}
interface Found {
  readonly texts: readonly string[];
  /** The position of the last event that is shown, or where the search began. */
  readonly last: number;
  /** All events up to this position were examined. */
  readonly examined: number;
}

const DEFAULT_LIMIT = 500;
/** Events read from the disk before other work gets a turn, and those that one query examines. */
const CHUNK_EVENTS = 250;
const MAX_EXAMINED = 5000;
/** Deleted clients whose owners are remembered, and places in the log up to which followers have nothing to see. */
const REMEMBERED = 10_000;

/**
 * The event feed of a caller who sees only a part of the clients: the events of those clients. Its positions and cursors are
 * those of such events, so they do not change with the events of others.
 */
export class LimitedFeed {
  readonly #feed: EventFeed;
  readonly #search: LogSearch;
  readonly #former = lruOf<number, Former>(REMEMBERED);
  /** By caller and cursor: the position up to which there is nothing to see, so that it is not searched again. */
  readonly #examined = lruOf<string, number>(REMEMBERED);

  constructor(feed: EventFeed, search: LogSearch) {
    this.#feed = feed;
    this.#search = search;
  }

  /** The position after which a query begins, or why the query is rejected. */
  begin(query: FeedQuery, limits: LimitedView): number | Rejection {
    const { position: shown } = query.after;
    const position = shown === 0 ? 0 : limits.positions.reveal(shown);
    if (position === null || position > this.#feed.log.head().position)
      return reject('CURSOR_INVALID', { value: String(shown) });
    return this.#feed.refusalOf({ ...query, after: { ...query.after, position } }) ?? position;
  }

  /** One page. With `wait` it resolves when there is an event to see, after that time, or when the caller disconnects. */
  async page(query: FeedQuery, signal: AbortSignal, limits: CurrentLimits): Promise<JsonOf<FeedPage> | Rejection> {
    const view = limits();
    if (view === null) return reject('OUT_OF_SCOPE', { permission: 'audit:read' });
    const from = this.begin(query, view);
    if (typeof from !== 'number') return from;
    const key = this.#keyOf(query, from, view.access);
    let found = await this.#find(query, from, Math.max(from, this.#examined.get(key) ?? 0), limits);
    if (found.texts.length === 0 && query.wait > 0) {
      const waited = await this.#feed.whileWaiting(signal, (ended) =>
        this.#feed.untilFound(query.wait, ended, found.examined, async (examined) => {
          found = await this.#find(query, from, examined, limits);
          return { isFound: found.texts.length > 0, examined: found.examined };
        }),
      );
      if (waited === null) return reject('FOLLOWERS_FULL');
    }
    if (found.texts.length === 0) this.#examined.set(key, found.examined);
    return this.#pageOf(found, view);
  }

  /** With another owner of any client, other events of the past may be visible. */
  #keyOf({ types }: FeedQuery, from: number, access: Access): string {
    const [assigned] = this.#search.ofStream('client-owners', Number.MAX_SAFE_INTEGER, 1).headers;
    const { role, admin, inbounds } = access;
    const scopes = NEEDED.map((permission) => access.scopeOf(permission));
    return [role, ...scopes, admin, [...inbounds].join(','), types, from, assigned?.position ?? 0].join(' ');
  }

  /** The texts of an event for a limited caller, one for each of the own clients in it. */
  async textsOf(event: RecordedEvent, view: LimitedView, types: string): Promise<readonly string[]> {
    if (eventType(event.type)?.class !== 'kept' || !isWanted(event, types)) return [];
    const texts: string[] = [];
    for (const member of membersOf(event)) {
      const number = clientOf(member);
      if (number === null || !(await this.#sees(view, number))) continue;
      const concealed = view.concealed(member);
      const shown: FeedEvent = feedEvent(concealed, (client) => view.read.clients.get(client)?.identity.email);
      // Versions tell which changes were recorded together with those of clients of others.
      texts.push(JSON.stringify({ ...shown, position: view.hide(shown.position), version: 0 }));
    }
    return texts;
  }

  /** The cursor of a follower whose last event is at a position. */
  cursor(position: number, view: LimitedView): string {
    return cursorText({ ...cursorAt(this.#feed.log, position), position: position === 0 ? 0 : view.hide(position) });
  }

  /** The events to see after a position, in at most as many as one query examines. `from` names the query. */
  async #find({ limit, types }: FeedQuery, from: number, after: number, limits: CurrentLimits): Promise<Found> {
    const most = limit === 0 ? DEFAULT_LIMIT : limit;
    const texts: string[] = [];
    let [last, examined] = [from, after];
    for (let read = 0; read < MAX_EXAMINED; read += CHUNK_EVENTS) {
      const chunk = this.#feed.log.read(examined, CHUNK_EVENTS);
      if (chunk.length === 0) return { texts, last, examined: Math.max(examined, this.#feed.log.head().position) };
      for (const event of chunk) {
        const view = limits();
        const shown = view === null ? [] : await this.textsOf(event, view, types);
        examined = event.position;
        if (shown.length === 0) continue;
        texts.push(...shown);
        last = event.position;
        if (texts.length >= most) return { texts, last, examined };
      }
      await nextTurn();
    }
    return { texts, last, examined };
  }

  #pageOf({ texts, last }: Found, view: LimitedView): JsonOf<FeedPage> {
    const next = last === 0 ? 0 : view.hide(last);
    const { generation } = this.#feed.log;
    const rest = JSON.stringify({ next, cursor: this.cursor(last, view), head: next, generation });
    return new JsonOf<FeedPage>(`{"events":[${texts.join(',')}],${rest.slice(1)}`);
  }

  /** Whether the caller sees a client, or saw it last when it was deleted. */
  async #sees({ access, read }: LimitedView, number: number): Promise<boolean> {
    const client = read.clients.get(number);
    if (client) return covers(access, { inbound: client.inbound, owner: read.admins.access().owners.get(number) });
    const former = this.#former.get(number) ?? (await this.#formerOf(number));
    return former !== null && covers(access, former);
  }

  /** The owner and the inbound of a deleted client when it was deleted; null for another client. */
  async #formerOf(number: number): Promise<Former | null> {
    const stream = `client-${number}`;
    const [deleted] = this.#search.earlier(stream, Number.MAX_SAFE_INTEGER, ['ClientDeleted']);
    if (deleted?.type !== 'ClientDeleted') return null;
    const client = ClientNumber.parse(number);
    const steps = await ownerSteps(this.#search, [deleted], [client]);
    const former = { inbound: deleted.data.inbound, owner: steps.get(client)?.before ?? undefined };
    this.#former.set(number, former);
    return former;
  }
}

/** Events of a client are for callers who may read the client as well as its events. */
const NEEDED = ['clients:read', 'audit:read'] as const;
const covers = (access: Access, { inbound, owner }: Former): boolean =>
  NEEDED.every((permission) => access.covers(permission, inbound, owner));

/**
 * Whether an event is of the types of a query. The type of an event about many clients means that of its members: whether
 * clients of others were in the same event must not be seen.
 */
const isWanted = (event: RecordedEvent, types: string): boolean =>
  membersOf(event).some(wantedOf(types.replaceAll(/\w+/g, (type) => memberType(type) ?? type)));

function clientOf({ stream, data }: RecordedEvent): number | null {
  return stream.startsWith('client-') && 'client' in data && typeof data.client === 'number' ? data.client : null;
}
