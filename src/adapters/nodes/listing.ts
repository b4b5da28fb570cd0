import type { ListedClients, ListedInbound, NodeListing, SeenCounter } from '../../commands/ports/node-panel.js';
import { NodeError } from '../../commands/ports/nodes.js';
import type { NodeId } from '../../events/ids.js';
import { isDeeper, isObject, textOf } from '../../lib/json.js';
import {
  clientDigest,
  credentialMember,
  inboundDigest,
  keyMember,
  MARK,
  type Mark,
  OF_ANOTHER,
  OF_BEFORE,
  objectIn,
  readMark,
} from '../../lib/node-words.js';
import { openEnvelope } from './request.js';

type Fields = Readonly<Record<string, unknown>>;

/** A listing whose marks are as they stand there; what they are worth only the log knows. */
export interface ReadListing extends NodeListing {
  readonly inbounds: readonly ReadInbound[];
}
interface ReadInbound extends ListedInbound {
  readonly born: string;
  readonly clients: ReadClients;
}
interface ReadClients extends ListedClients {
  readonly births: readonly string[];
  /** What lets each in. */
  readonly credentials: readonly string[];
}

/** Which marks are of what the log knows. A mark of before is judged by what it stands on, too. */
export interface Marks {
  /** The name by which this panel marks what is its own. */
  readonly centre: () => string;
  readonly isInbound: (mark: Mark, tag: string) => boolean;
  readonly isClient: (mark: Mark, email: string, credential: string) => boolean;
  /** Tags of the inbounds that come from a panel before this one: there no mark of another centre counts. */
  readonly inherited: (node: NodeId) => ReadonlySet<string>;
}

/** More than these are no inbounds and clients of one machine. */
const MOST_INBOUNDS = 2_000;
const MOST_CLIENTS = 200_000;
/** Levels of nesting; what comes after reads it recursively. */
const DEEPEST = 100;

/**
 * What `GET panel/api/inbounds/list` answered, in the words of the port. `centre` is the name by which this panel marks
 * its clients. Throws `NodeError` when it is not the answer of a panel; a single inbound that makes no sense is named.
 */
export function parseListing(body: Buffer, centre: string): ReadListing {
  const rows = openEnvelope(body);
  if (!Array.isArray(rows) || rows.length > MOST_INBOUNDS)
    throw new NodeError('not-an-envelope', 'decode response: this is not the answer of a panel');
  const inbounds: ReadInbound[] = [];
  const unreadable: string[] = [];
  let clients = 0;
  for (const row of rows as readonly unknown[]) {
    const inbound = isObject(row) ? inboundOf(row, centre) : null;
    if (inbound === null) unreadable.push(isObject(row) ? textOf(row['tag']).slice(0, 128) : '');
    else inbounds.push(inbound);
    clients += inbound?.clients.emails.length ?? 0;
    if (clients > MOST_CLIENTS) throw new NodeError('too-large', 'The node lists more clients than one machine has');
  }
  return { inbounds, unreadable };
}

/** The listing, with those marks alone that are of what the log knows. */
export function recognised(
  { inbounds, unreadable }: ReadListing,
  { isInbound, isClient, inherited: inheritedOf }: Marks,
  node: NodeId,
): NodeListing {
  const tags = inheritedOf(node);
  const clientsOf = (clients: ReadClients, inherited: boolean): ListedClients => {
    const { marks, births, emails, credentials } = clients;
    const isLost = (number: number, i: number): boolean =>
      number > 0
        ? !isClient({ number, born: births[i] ?? '' }, emails[i] ?? '', credentials[i] ?? '')
        : inherited && number === OF_ANOTHER;
    return marks.some(isLost) ? { ...clients, marks: marks.map((n, i) => (isLost(n, i) ? 0 : n)) } : clients;
  };
  return {
    unreadable,
    inbounds: inbounds.map((inbound) => {
      const { mark: number, born, tag, clients } = inbound;
      const inherited = tags.has(tag);
      const isLost = number > 0 && !isInbound({ number, born }, tag);
      const mark = inherited && number === OF_ANOTHER ? OF_BEFORE : number;
      return { ...inbound, mark: isLost ? 0 : mark, clients: clientsOf(clients, inherited) };
    }),
  };
}

function inboundOf(row: Fields, centre: string): ReadInbound | null {
  const { id, tag, protocol, port, enable } = row;
  const settings = objectIn(row['settings']);
  const stream = objectIn(row['streamSettings']);
  const sniffing = objectIn(row['sniffing']);
  const named = typeof tag === 'string' && tag !== '' && tag.length <= 512 && typeof protocol === 'string';
  if (!named || !isId(id) || !Number.isInteger(port) || settings === null || stream === null || sniffing === null)
    return null;
  if ([settings, stream, sniffing].some((part) => isDeeper(part, DEEPEST))) return null;
  const words = {
    remark: textOf(row['remark']),
    listen: textOf(row['listen']),
    port: port as number,
    protocol,
    total: numberOf(row['total']),
    expiryTime: numberOf(row['expiryTime']),
    trafficReset: textOf(row['trafficReset']) || 'never',
    settings,
    stream,
    sniffing,
  };
  const mark = readMark(centre, settings[MARK]);
  return {
    id,
    tag,
    protocol,
    port: port as number,
    enabled: enable === true,
    digest: inboundDigest(words),
    mark: mark.number,
    born: mark.born,
    counter: counterOf(row),
    clients: clientsOf(protocol, settings['clients'], row['clientStats'], centre),
  };
}

function clientsOf(protocol: string, wire: unknown, stats: unknown, centre: string): ReadClients {
  const clients = (Array.isArray(wire) ? wire : []).filter(isObject);
  const rows = new Map<string, Fields>();
  for (const row of Array.isArray(stats) ? stats : [])
    if (isObject(row)) rows.set(textOf(row['email']).toLowerCase(), row);
  const count = clients.length;
  const columns = {
    emails: Array<string>(count).fill(''),
    keys: Array<string>(count).fill(''),
    digests: Array<string>(count).fill(''),
    marks: Array<number>(count).fill(0),
    births: Array<string>(count).fill(''),
    credentials: Array<string>(count).fill(''),
    raws: Array<string>(count).fill(''),
    up: new Float64Array(count),
    down: new Float64Array(count),
    allTime: new Float64Array(count),
    lastOnline: new Float64Array(count),
    open: new Uint8Array(count),
  };
  for (const [i, client] of clients.entries()) {
    const email = textOf(client['email']);
    const mark = readMark(centre, client['comment']);
    const row = rows.get(email.toLowerCase());
    const counter = row ? counterOf(row) : { up: 0, down: 0, allTime: 0 };
    columns.emails[i] = email;
    columns.keys[i] = textOf(client[keyMember(protocol)]);
    columns.digests[i] = clientDigest(protocol, client);
    columns.marks[i] = mark.number;
    columns.births[i] = mark.born;
    columns.credentials[i] = textOf(client[credentialMember(protocol)]);
    columns.raws[i] = JSON.stringify(client);
    columns.up[i] = counter.up;
    columns.down[i] = counter.down;
    columns.allTime[i] = counter.allTime;
    columns.lastOnline[i] = row ? timeOf(row['lastOnline']) : 0;
    columns.open[i] = client['enable'] === true && row?.['enable'] !== false ? 1 : 0;
  }
  return columns;
}

function counterOf(row: Fields): SeenCounter {
  const { up, down, allTime } = row;
  return { up: numberOf(up), down: numberOf(down), allTime: allTime === undefined ? 0 : numberOf(allTime) };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function timeOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
