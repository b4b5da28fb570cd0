import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { CounterBaseline, CounterMark, NodeTraffic } from '../../../events/node/node-sync.js';
import { zero } from '../../../events/traffic/counters.js';
import { type Credit, carriedBy, creditOf, sharedBaseline, unlessDoubled } from '../../node/node-credit.js';
import type { ListedClients, ListedInbound, NodeListing, SeenCounter } from '../../ports/remote-panel.js';
import { matchClients, matchInbounds, type SentInbound } from './match.js';

export type CounterKind = NodeTraffic['anomalies'][number][0];

interface Known {
  readonly sent: readonly SentInbound[];
  /** The baseline of a client that is or was on this node. */
  readonly client: (number: ClientNumber) => CounterBaseline | undefined;
  readonly inbound: (id: InboundId) => CounterBaseline | undefined;
  /** Bytes by which a counter can have grown since the counters of this inbound were read. */
  readonly allowed: (kind: CounterKind, key: number, inbound: InboundId) => number;
  readonly now: number;
}

/** The counters of our inbounds and clients in a listing. */
export interface Observation {
  /** In parts that fit into one event each. */
  readonly traffic: readonly Omit<NodeTraffic, 'node'>[];
  /** Clients without a baseline whose counters are zero. */
  readonly newClients: ReadonlyMap<InboundId, readonly ClientNumber[]>;
  /** The same for inbounds. */
  readonly newInbounds: ReadonlySet<InboundId>;
  /** Inbounds whose counters were read. */
  readonly read: readonly InboundId[];
}

/** Clients of one event. */
const CLIENTS_PER_EVENT = 1_000;
/** Clients that are read before the event loop runs. */
const CLIENTS_PER_TURN = 500;

interface Counted<K> {
  readonly key: K;
  readonly before: CounterBaseline | undefined;
}

interface Place {
  readonly number: ClientNumber;
  readonly inbound: InboundId;
}

/**
 * A panel has one counter for an email, however many inbounds it is in. It is credited to one client: the lowest number among
 * those that have this email here too. The others share its baseline, so that any of them can take over when it is removed.
 */
interface Carried extends Place {
  /** Whether it has this email here, and not only on the node. */
  readonly named: boolean;
  readonly seen: SeenCounter;
  readonly at: number;
  /** All inbounds that have the email on the node. */
  readonly inbounds: readonly InboundId[];
  readonly others: readonly Place[];
}

const none: readonly never[] = [];

/** Reads the counters of a listing. Yields to the event loop: meanwhile baselines may be deleted and not changed. */
export async function observe(
  desired: readonly DesiredInbound[],
  listing: NodeListing,
  known: Known,
): Promise<Observation> {
  const { matches, leftBehind } = matchInbounds(desired, listing.inbounds, known.sent);
  const starting = new Map<InboundId, ClientNumber[]>();
  const fresh = new Set<InboundId>();
  const carried = new Map<string, Carried>();
  const inbounds: (Credit & Counted<InboundId>)[] = [];
  for (const { desired: inbound, listed, foreign } of matches) {
    if (listed === null || foreign) continue;
    const before = known.inbound(inbound.id);
    if (!before && isZero(listed.counter)) fresh.add(inbound.id);
    const most = known.allowed('inbound', inbound.id, inbound.id);
    inbounds.push({ key: inbound.id, before, ...creditOf(before, listed.counter, most) });
    await gather(carried, inbound, listed, known);
  }
  for (const sent of known.sent)
    for (const leftover of leftBehind(sent))
      gatherLeaving(carried, sent.inbound, leftover, leftover.clients.marks.keys(), known);
  const credits = new Map<InboundId, Credit>(inbounds.map((credit) => [credit.key, credit]));
  const clients: (Credit & Counted<ClientNumber> & { readonly at: number })[] = [];
  let looked = 0;
  for (const { number, inbound, seen, at, inbounds: places, others } of carried.values()) {
    looked += 1;
    if (looked % CLIENTS_PER_TURN === 0) await yieldToEventLoop();
    const own = known.client(number);
    // Nearly all clients are idle and have their own email.
    if (others.length === 0 && own?.up === seen.up && own.down === seen.down) continue;
    const siblings = others.map((other) => ({ ...other, before: known.client(other.number) }));
    const all = [{ number, inbound, before: own }, ...siblings];
    if (isZero(seen)) for (const one of all) if (!one.before) begin(starting, one);
    const before = sharedBaseline(
      all.flatMap((one) => one.before ?? none),
      seen,
    );
    if (!before && isZero(seen)) continue;
    const carried = carriedBy(places.map((place) => credits.get(place)));
    const most = known.allowed('client', number, inbound);
    const credit = unlessDoubled(creditOf(before, seen, most), before, carried);
    clients.push({ key: number, before: own, at, ...credit });
    for (const sibling of siblings)
      clients.push({ key: sibling.number, before: sibling.before, at, ...credit, growth: zero, note: null });
  }
  return {
    traffic: inParts(clients, inbounds),
    newClients: starting,
    newInbounds: fresh,
    read: inbounds.map(({ key }) => key),
  };
}

function begin(starting: Map<InboundId, ClientNumber[]>, { number, inbound }: Place): void {
  const others = starting.get(inbound);
  if (others) others.push(number);
  else starting.set(inbound, [number]);
}

async function gather(
  carried: Map<string, Carried>,
  inbound: DesiredInbound,
  listed: ListedInbound,
  known: Known,
): Promise<void> {
  const { clients } = listed;
  if (clients.emails.length > CLIENTS_PER_TURN) await yieldToEventLoop();
  const { both, obsolete } = matchClients(inbound, clients);
  for (const [n, [{ number, email }, i]] of both.entries()) {
    if (n > 0 && n % CLIENTS_PER_TURN === 0) await yieldToEventLoop();
    // By the email under which the node counts it, which may be a previous one.
    const name = emailKey(clients.emails[i] || email);
    const named = clients.emails[i] === email || emailKey(email) === name;
    carry(carried, name, { number, inbound: inbound.id, named, ...countedAt(clients, i, known.now) });
  }
  gatherLeaving(carried, inbound.id, listed, obsolete, known);
}

/** Clients that were deleted here and are still on the node: their traffic is credited to them. */
function gatherLeaving(
  carried: Map<string, Carried>,
  inbound: InboundId,
  { clients }: ListedInbound,
  places: Iterable<number>,
  known: Known,
): void {
  for (const i of places) {
    const number = (clients.marks[i] ?? 0) as ClientNumber;
    if (number <= 0 || !known.client(number)) continue;
    carry(carried, emailKey(clients.emails[i] ?? ''), {
      ...{ number, inbound, named: false },
      ...countedAt(clients, i, known.now),
    });
  }
}

function countedAt({ lastOnline, up, down, allTime }: ListedClients, i: number, now: number) {
  return {
    at: Math.min(lastOnline[i] || now, now),
    seen: { up: up[i] ?? 0, down: down[i] ?? 0, allTime: allTime[i] ?? 0 },
  };
}

function carry(carried: Map<string, Carried>, name: string, one: Omit<Carried, 'inbounds' | 'others'>): void {
  const { number, inbound, named } = one;
  const other = carried.get(name);
  if (!other) {
    carried.set(name, { ...one, inbounds: [inbound], others: none });
    return;
  }
  const inbounds = [...other.inbounds, inbound];
  if (other.named === named ? other.number < number : other.named)
    carried.set(name, { ...other, inbounds, others: [...other.others, { number, inbound }] });
  else {
    const others = [...other.others, { number: other.number, inbound: other.inbound }];
    carried.set(name, { ...one, inbounds, others });
  }
}

function inParts(
  clients: readonly (Credit & Counted<ClientNumber> & { readonly at: number })[],
  inbounds: readonly (Credit & Counted<InboundId>)[],
): readonly Omit<NodeTraffic, 'node'>[] {
  const news = clients.filter(hasChanged);
  const parts: Omit<NodeTraffic, 'node'>[] = [];
  const others = inbounds.filter(hasChanged);
  for (let from = 0; from < news.length || (from === 0 && others.length > 0); from += CLIENTS_PER_EVENT) {
    const chunk = news.slice(from, from + CLIENTS_PER_EVENT);
    const along = from === 0 ? others : [];
    parts.push({
      clients: chunk.flatMap(({ key, growth, next, at }) =>
        next ? [[key, growth.up, growth.down, ...tuple(next), at]] : [],
      ),
      inbounds: along.flatMap(({ key, growth, next }) => (next ? [[key, growth.up, growth.down, ...tuple(next)]] : [])),
      anomalies: [
        ...chunk.flatMap(({ key, note }): NodeTraffic['anomalies'] => (note ? [['client', key, note]] : [])),
        ...along.flatMap(({ key, note }): NodeTraffic['anomalies'] => (note ? [['inbound', key, note]] : [])),
      ],
    });
  }
  return parts;
}

function tuple({ up, down, allTime, marks, high }: CounterBaseline): [number, number, number, CounterMark[], number] {
  return [up, down, allTime, [...marks], high];
}

function hasChanged({ before, next }: Credit & Counted<number>): boolean {
  if (next === null) return false;
  if (!before) return !isZero(next);
  return before.up !== next.up || before.down !== next.down;
}

function isZero({ up, down }: Pick<SeenCounter, 'up' | 'down'>): boolean {
  return up === 0 && down === 0;
}
