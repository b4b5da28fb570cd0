import { isIP } from 'node:net';
import type { RecordedEvent } from '../../events/catalog.js';
import { withMany } from '../../events/client/members.js';
import type { EventHeader, HeaderFilter, LogSearch } from '../../events/log/log-search.js';
import { Networks } from '../../lib/net/networks.js';

/** What an auditor looks for. All conditions must hold. */
export interface AuditFilter extends HeaderFilter {
  /** A part of the name of the actor, in lower case; empty = any. */
  readonly actorName: string;
  /** An address or a network; empty = any. */
  readonly ip: string;
  /** Numbers of clients; null = any. */
  readonly clients: readonly number[] | null;
  /** Number of an inbound or a node; 0 = any. */
  readonly inbound: number;
  readonly node: number;
}

/** A part of a search. All events at `next` and later were examined; 1 = the search has ended. */
export interface SearchStep {
  readonly found: readonly EventHeader[];
  readonly next: number;
}

/** Rows that SQLite examines in one step: about 2 ms. */
const STEP_ROWS = 1000;
/** Headers that one step reads: about 1 ms, because names and addresses of actors have to be decrypted. */
const STEP_HEADERS = 60;

/**
 * Searches backwards from the event before `before` down to `after`, both exclusive, newest first. A step reads about
 * `rows` rows. Clients, inbounds and nodes are found by their streams, everything else by reading all headers.
 */
export function* searchLog(
  log: LogSearch,
  filter: AuditFilter,
  before: number,
  after = 0,
  rows = STEP_ROWS,
): Generator<SearchStep> {
  const streams = streamsOf(filter);
  const matches = matcher(log, filter);
  let next = Math.min(before, log.head().position + 1);
  while (next > after + 1) {
    const range = { before: next, after, rows };
    const part =
      streams === null
        ? rangeBefore(log, filter, range)
        : streamsBefore(log, streams, { ...range, rows: Math.min(rows, STEP_HEADERS) });
    next = part.next;
    yield { found: part.headers.filter(matches), next };
  }
}

interface Part {
  readonly headers: readonly EventHeader[];
  readonly next: number;
}

interface Range {
  /** Both exclusive. */
  readonly before: number;
  readonly after: number;
  /** How many rows are read. */
  readonly rows: number;
}

function rangeBefore(log: LogSearch, filter: AuditFilter, { before, after, rows }: Range): Part {
  const low = Math.max(after + 1, before - rows);
  const limit = Math.min(rows, STEP_HEADERS);
  const headers = log.between(low, before - 1, filter, {
    limit,
    addressTypes: filter.ip === '' ? null : ADDRESS_TYPES,
  });
  return { headers, next: headers.length < limit ? low : (headers.at(-1)?.position ?? low) };
}

/** Merges streams. Below the oldest row of a stream that has more rows, the others are not complete. */
function streamsBefore(log: LogSearch, streams: readonly string[], { before, after, rows }: Range): Part {
  const each = Math.ceil(rows / streams.length);
  const parts = streams.map((stream) => log.ofStream(stream, before, each));
  const next = Math.max(after + 1, ...parts.map((part) => part.next));
  const headers = parts.flatMap((part) => part.headers).filter(({ position }) => position >= next);
  return { headers: headers.sort((a, b) => b.position - a.position), next };
}

/** The streams that contain every matching event; null = all streams. */
function streamsOf({ clients, inbound, node }: AuditFilter): readonly string[] | null {
  if (clients !== null) return clients.map((client) => `client-${client}`);
  if (inbound !== 0) return [`inbound-${inbound}`, 'core'];
  return node === 0 ? null : [`node-${node}`, `node-sync-${node}`];
}

function matcher(log: LogSearch, filter: AuditFilter): (header: EventHeader) => boolean {
  const { types, actorKind, actorName, from, to } = filter;
  const networks = filter.ip === '' ? null : new Networks([filter.ip]);
  const isAbout = subjectTest(log, filter);
  return (header) => {
    const { type, meta, isPart = false } = header;
    if (types !== null && !types.has(type) && !(isPart && withMany([type]).some((one) => types.has(one)))) return false;
    if (meta.at < from || meta.at > to) return false;
    if (actorKind !== null && meta.actor.kind !== actorKind) return false;
    if (actorName !== '' && !meta.actor.name.toLowerCase().includes(actorName)) return false;
    return isAbout(header) && (networks === null || addressesOf(log, header).some((ip) => isIn(networks, ip)));
  };
}

/** Whether an event is about the clients, the inbound and the node of a filter. */
function subjectTest(log: LogSearch, { clients, inbound, node }: AuditFilter): (header: EventHeader) => boolean {
  const ofClients = clients === null ? null : new Set(clients.map((client) => `client-${client}`));
  return (header) => {
    const { stream } = header;
    if (ofClients && !ofClients.has(stream)) return false;
    if (inbound !== 0 && stream !== `inbound-${inbound}` && inboundOf(log, header) !== inbound) return false;
    return node === 0 || stream === `node-${node}` || stream === `node-sync-${node}`;
  };
}

/** The inbound that the core rejected or accepted. These events are in the stream of the core. */
function inboundOf(log: LogSearch, { type, position }: EventHeader): number | null {
  if (type !== 'InboundRejectedByCore' && type !== 'InboundAcceptedByCore') return null;
  return rejectedInbound(log.event(position));
}

/** The number of the inbound in an event in the stream of the core; null for other events. */
export function rejectedInbound(event: RecordedEvent | undefined): number | null {
  const isInbound = event?.type === 'InboundRejectedByCore' || event?.type === 'InboundAcceptedByCore';
  return isInbound ? event.data.inbound : null;
}

/** Events that contain addresses besides that of the actor. */
const ADDRESS_TYPES = ['LoginFailed', 'ClientIpsSeen', 'ClientIpsBlocked'];
const WITH_ADDRESSES: ReadonlySet<string> = new Set(ADDRESS_TYPES);

/** The address of the actor, and the addresses in the event. */
function addressesOf(log: LogSearch, { meta, type, position }: EventHeader): readonly string[] {
  const { ip } = meta.actor;
  const own = ip === null ? [] : [ip];
  return WITH_ADDRESSES.has(type) ? [...own, ...addressesIn(log.event(position))] : own;
}

function addressesIn(event: RecordedEvent | undefined): readonly string[] {
  if (event?.type === 'LoginFailed') return [event.data.attempt.ip];
  if (event?.type === 'ClientIpsSeen') return event.data.ips.map(({ ip }) => ip);
  if (event?.type === 'ClientIpsBlocked') return [...event.data.ips.allowed, ...event.data.ips.blocked];
  return [];
}

/** A blocked network counts by its first address. Erased addresses are empty. */
function isIn(networks: Networks, ip: string): boolean {
  const [address = ''] = ip.split('/');
  return isIP(address) !== 0 && networks.holds(address);
}
