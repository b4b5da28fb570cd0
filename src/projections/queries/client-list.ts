import type { Client } from '../../events/client/client-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { atOnce, type Steps } from '../../lib/time/slices.js';
import type { ReadModels } from '../read-models.js';
import { chunks, mergeSorted } from './sorted-lists.js';

const DAY_MS = 86_400_000;
/** A client that expires within this time is shown as expiring. */
const EXPIRING_MS = 7 * DAY_MS;
/** A client that has used this share of its cap is shown as running out of traffic. */
const HIGH_USAGE = 0.8;

/** The state of a client by its own terms, whatever its inbound does. */
type ClientState = 'active' | 'expiring' | 'high' | 'disabled' | 'depleted' | 'expired';
/** `active` also matches clients that are about to run out; `enabled` also those that have run out. */
type StateFilter = ClientState | 'all' | 'enabled';
type ClientCounts = Readonly<Record<StateFilter | 'online' | 'offline', number>>;
const CLIENT_SORTS = ['email', 'inbound', 'state', 'used', 'expiry', 'seen', 'comment', 'created'] as const;
type ClientSort = (typeof CLIENT_SORTS)[number];

/** Which clients a list shows. */
interface ClientSelection {
  /** A part of the email, UUID, subscription id, comment or chat id; letter case does not matter. */
  readonly search: string;
  /** Whether UUIDs and subscription ids are not searched; absent = they are. */
  readonly ignoresIds?: boolean;
  readonly state: StateFilter;
  /** Whether the client is connected now; absent = all. */
  readonly online?: boolean | undefined;
  /** Number of the inbound; 0 = all. */
  readonly inbound: number;
  /** Number of the node whose inbounds count; 0 = this panel, absent = all. */
  readonly node?: number | undefined;
}

interface ClientOrder {
  readonly sort: ClientSort;
  readonly desc: boolean;
  readonly limit?: number;
}

interface ClientList {
  /** The matching clients, in order, at most as many as were requested. */
  readonly clients: readonly Client[];
  /** How many clients match. */
  readonly matched: number;
  /** How many clients match the search and the inbound: by state with the wanted connection, and the other way round. */
  readonly counts: ClientCounts;
  /** Bytes that were booked to the matching clients. Clients with one email share its counters, so no byte counts twice. */
  readonly used: number;
  /** Whether the search is a part of the email, comment or chat id of a client, and not only of its credentials. */
  readonly named: boolean;
}

type Reads = Pick<ReadModels, 'clients' | 'inbounds' | 'usage'>;

export function stateOf(read: Pick<ReadModels, 'usage'>, client: Client, now: number): ClientState {
  const { enabled, capBytes, expiresAt } = client.spec;
  if (!enabled) return 'disabled';
  const { up, down } = read.usage.client(client);
  if (client.depletion?.reason === 'expiry' || (expiresAt > 0 && expiresAt <= now)) return 'expired';
  if (client.depletion !== null || (capBytes > 0 && up + down >= capBytes)) return 'depleted';
  if (expiresAt > 0 && expiresAt - now < EXPIRING_MS) return 'expiring';
  return capBytes > 0 && up + down >= HIGH_USAGE * capBytes ? 'high' : 'active';
}

/** Clients between two points at which other work may run. */
const STEP = 1000;

/**
 * The clients of `own` inbounds that match, sorted, as they are at the first step; counters are read in the steps. `limit`: how
 * many clients are needed at most.
 */
export function* clientListSteps(
  read: Reads,
  own: ReadonlySet<Inbound['id']>,
  { state, online, ...selection }: ClientSelection,
  { sort, desc, limit = Number.POSITIVE_INFINITY }: ClientOrder,
  now: number,
): Steps<ClientList> {
  const matches = matcher(read, own, selection);
  const compare = byKey(desc);
  const keyOf = keys(read)[sort];
  const sortedParts: Sortable[][] = [];
  const counts = { ...NO_COUNTS };
  const isNamed = namedBy(selection.search);
  let [matched, used] = [0, 0];
  let named = false;
  for (const part of chunks([...read.clients.all()], STEP)) {
    const found: Sortable[] = [];
    for (const client of part) {
      if (!matches(client)) continue;
      named ||= isNamed(client);
      const its = stateOf(read, client, now);
      const filters = filtersOf(its);
      const isOnline = read.usage.isOnline(client, now);
      const [hasState, hasConnection] = [filters.includes(state), online === undefined || online === isOnline];
      if (hasState) counts[isOnline ? 'online' : 'offline'] += 1;
      if (hasConnection) for (const filter of filters) counts[filter] += 1;
      if (!hasState || !hasConnection) continue;
      used += ownShare(read, client);
      matched += 1;
      found.push({ client, key: keyOf({ client, state: its }) });
    }
    sortedParts.push(found.sort(compare).slice(0, limit));
    yield;
  }
  const clients = (yield* merged(sortedParts, compare, limit)).map(({ client }) => client);
  return { clients, matched, counts, used, named: named || selection.search.trim() === '' };
}

/** The first `limit` elements of sorted lists, merged two by two. */
function* merged(
  parts: readonly (readonly Sortable[])[],
  compare: ReturnType<typeof byKey>,
  limit: number,
): Steps<readonly Sortable[]> {
  if (parts.length < 2) return parts[0] ?? [];
  const fewer: Sortable[][] = [];
  for (const [one = [], other = []] of chunks(parts, 2)) {
    fewer.push(mergeSorted(one, other, compare, limit));
    yield;
  }
  return yield* merged(fewer, compare, limit);
}

/** The same at once: a few milliseconds for 25,000 clients. */
export function listClients(...list: Parameters<typeof clientListSteps>): ClientList {
  return atOnce(clientListSteps(...list));
}

/** Whether a client belongs to the list, whatever its state and its connection are. */
function matcher(
  read: Reads,
  own: ReadonlySet<Inbound['id']>,
  { search, inbound, node, ignoresIds = false }: Omit<ClientSelection, 'state' | 'online'>,
): (client: Client) => boolean {
  const text = search.trim().toLowerCase();
  const searched = ignoresIds ? namesOf : textOf;
  return (client) => {
    if (!own.has(client.inbound) || (inbound !== 0 && client.inbound !== inbound)) return false;
    if (node !== undefined && (read.inbounds.get(client.inbound)?.node ?? 0) !== node) return false;
    return text === '' || searched(client).includes(text);
  };
}

interface Found {
  readonly client: Client;
  readonly state: ClientState;
}

interface Sortable {
  readonly client: Client;
  readonly key: string | number;
}

const NO_COUNTS: ClientCounts = {
  ...{ online: 0, offline: 0, all: 0, enabled: 0, active: 0 },
  ...{ expiring: 0, high: 0, depleted: 0, expired: 0, disabled: 0 },
};

function filtersOf(state: ClientState): readonly StateFilter[] {
  const filters: StateFilter[] = ['all', state];
  if (state !== 'disabled') filters.push('enabled');
  if (state === 'expiring' || state === 'high') filters.push('active');
  return filters;
}

function ownShare(read: Reads, client: Client): number {
  const { up, down } = read.usage.clientAlone(client);
  return up + down;
}

const texts = new WeakMap<Client, string>();

/** What a search looks through. Documents are immutable, so the text of each is made once. */
function textOf(client: Client): string {
  const known = texts.get(client);
  if (known !== undefined) return known;
  const text = [namesOf(client), client.credential.id, client.identity.subId].join('\n').toLowerCase();
  texts.set(client, text);
  return text;
}

/** Whether a search is a part of what is not secret in a client. */
function namedBy(search: string): (client: Client) => boolean {
  const text = search.trim().toLowerCase();
  return (client) => namesOf(client).includes(text);
}

/** The part of the searched text that is not secret. */
const namesOf = ({ identity: { email, comment, tgId } }: Client): string =>
  [email, comment, tgId || ''].join('\n').toLowerCase();

const STATE_ORDER: readonly ClientState[] = ['expired', 'depleted', 'expiring', 'high', 'active', 'disabled'];

/** By key; with the same key, the client that was added first comes first. */
function byKey(desc: boolean): (a: Sortable, b: Sortable) => number {
  const sign = desc ? -1 : 1;
  return (a, b) => {
    if (a.key === b.key) return a.client.number - b.client.number;
    return a.key < b.key ? -sign : sign;
  };
}

function keys(read: Reads): Readonly<Record<ClientSort, (found: Found) => string | number>> {
  return {
    email: ({ client }) => client.identity.email.toLowerCase(),
    inbound: ({ client }) => read.inbounds.get(client.inbound)?.remark.toLowerCase() ?? '',
    state: ({ state }) => STATE_ORDER.indexOf(state),
    used({ client }) {
      const { up, down } = read.usage.client(client);
      return up + down;
    },
    // Never is the latest; a period that has not started comes before it.
    expiry({ client: { spec } }) {
      if (spec.expiresAt > 0) return spec.expiresAt;
      return spec.expiresAt === 0 ? Number.POSITIVE_INFINITY : Number.MAX_SAFE_INTEGER;
    },
    seen: ({ client }) => read.usage.lastOnline(client),
    comment: ({ client }) => client.identity.comment.toLowerCase(),
    created: ({ client }) => client.createdAt,
  };
}
