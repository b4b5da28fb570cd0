import type { ListedClients, ListedInbound, NodeListing, SeenCounter } from '../../commands/ports/remote-panel.js';
import { NodeError } from '../../commands/ports/remote-panel.js';
import type { NodeId } from '../../events/ids.js';
import { isDeeper, isObject, textOf } from '../../lib/json.js';
import { MARK_MEMBER, type Mark, OTHER_CENTRE, PREVIOUS_CENTRE, readMark } from '../../lib/ownership-mark.js';
import { clientDigest, credentialMember, inboundDigest, keyMember, objectIn } from '../../lib/panel-wire.js';
import { message } from '../../messages/message.js';
import { countIn, flagIn, invalidMember, listIn, textIn, wholeIn } from './reply-fields.js';
import { openEnvelope } from './request.js';

type Fields = Readonly<Record<string, unknown>>;

/** A listing with the marks as they are written on the node, not yet checked against the log. */
export interface ReadListing extends NodeListing {
  readonly inbounds: readonly ReadInbound[];
}
interface ReadInbound extends ListedInbound {
  readonly uid: string;
  readonly clients: ReadClients;
}
interface ReadClients extends ListedClients {
  readonly uids: readonly string[];
}

/** Checks marks against the log. An older mark, without a uid, is checked together with the inbound or client that has it. */
export interface Marks {
  /** The id of this panel. */
  readonly centre: () => string;
  readonly isInbound: (mark: Mark, tag: string) => boolean;
  readonly isClient: (mark: Mark, email: string, credential: string) => boolean;
  /** Tags of the inbounds that were imported from the previous centre: there the mark of another centre is ignored. */
  readonly adopted: (node: NodeId) => ReadonlySet<string>;
}

/** A reply with more inbounds or clients is rejected. */
const MAX_INBOUNDS = 2_000;
const MAX_CLIENTS = 200_000;
/** Limit for nested JSON, which is read recursively later. */
const MAX_DEPTH = 100;

/**
 * Parses the reply to `GET panel/api/inbounds/list`. `centre`: the id of this panel. Throws `NodeError` for a reply that is
 * invalid in any member. An inbound with invalid JSON in its settings is only listed as unreadable, because an admin of the
 * node can write that.
 */
export function parseListing(body: Buffer, centre: string): ReadListing {
  const rows = openEnvelope(body);
  if (!Array.isArray(rows) || rows.length > MAX_INBOUNDS)
    throw new NodeError('invalid-reply', message('node.replyNotPanel'));
  const inbounds: ReadInbound[] = [];
  const unreadable: string[] = [];
  let clients = 0;
  for (const [i, row] of (rows as readonly unknown[]).entries()) {
    if (!isObject(row)) throw invalidMember(`inbounds[${i}]`);
    const inbound = inboundOf(row, `inbounds[${i}]`, centre);
    if (inbound === null) unreadable.push(textOf(row['tag']).slice(0, 128));
    else inbounds.push(inbound);
    clients += inbound?.clients.emails.length ?? 0;
    if (clients > MAX_CLIENTS) throw new NodeError('too-large', message('node.tooManyClients', { most: MAX_CLIENTS }));
  }
  return { inbounds, unreadable };
}

/** The listing without marks that do not belong to a client or inbound of this panel's log. */
export function withOwnMarks(
  { inbounds, unreadable }: ReadListing,
  { isInbound, isClient, adopted }: Marks,
  node: NodeId,
): NodeListing {
  const adoptedTags = adopted(node);
  const clientsOf = (clients: ReadClients, isAdopted: boolean): ListedClients => {
    const { marks, uids, emails, credentials } = clients;
    const isLost = (number: number, i: number): boolean =>
      number > 0
        ? !isClient({ number, uid: uids[i] ?? '' }, emails[i] ?? '', credentials[i] ?? '')
        : isAdopted && number === OTHER_CENTRE;
    return marks.some(isLost) ? { ...clients, marks: marks.map((n, i) => (isLost(n, i) ? 0 : n)) } : clients;
  };
  return {
    unreadable,
    inbounds: inbounds.map((inbound) => {
      const { mark: number, uid, tag, clients } = inbound;
      const isAdopted = adoptedTags.has(tag);
      const isLost = number > 0 && !isInbound({ number, uid }, tag);
      const mark = isAdopted && number === OTHER_CENTRE ? PREVIOUS_CENTRE : number;
      return { ...inbound, mark: isLost ? 0 : mark, clients: clientsOf(clients, isAdopted) };
    }),
  };
}

function inboundOf(row: Fields, at: string, centre: string): ReadInbound | null {
  const id = countIn(row, 'id', at);
  const tag = textIn(row, 'tag', at);
  const enabled = flagIn(row, 'enable', at) === true;
  const counter = counterOf(row, at);
  const fields = {
    remark: textIn(row, 'remark', at),
    listen: textIn(row, 'listen', at),
    port: wholeIn(row, 'port', at),
    protocol: textIn(row, 'protocol', at),
    total: wholeIn(row, 'total', at),
    expiryTime: wholeIn(row, 'expiryTime', at),
    trafficReset: textIn(row, 'trafficReset', at) || 'never',
  };
  const stats = listIn(row, 'clientStats', at);
  const settings = objectIn(row['settings']);
  const stream = objectIn(row['streamSettings']);
  const sniffing = objectIn(row['sniffing']);
  const { port, protocol } = fields;
  if (!(id > 0) || tag === '' || tag.length > 512 || Number.isNaN(port)) return null;
  if (settings === null || stream === null || sniffing === null) return null;
  if ([settings, stream, sniffing].some((part) => isDeeper(part, MAX_DEPTH))) return null;
  const mark = readMark(centre, settings[MARK_MEMBER]);
  return {
    ...{ id, tag, protocol, port, enabled, counter },
    digest: inboundDigest({ ...fields, settings, stream, sniffing }),
    mark: mark.number,
    uid: mark.uid,
    clients: clientsOf(protocol, settings['clients'], statsByEmail(stats, `${at}.clientStats`), centre),
  };
}

interface Stats {
  readonly counter: SeenCounter;
  readonly lastOnline: number;
  readonly enabled: boolean;
}

/** The counters by email in lower case. */
function statsByEmail(rows: readonly unknown[], at: string): ReadonlyMap<string, Stats> {
  const stats = new Map<string, Stats>();
  for (const [i, row] of rows.entries()) {
    const where = `${at}[${i}]`;
    if (!isObject(row)) throw invalidMember(where);
    stats.set(textIn(row, 'email', where).toLowerCase(), {
      counter: counterOf(row, where),
      lastOnline: countIn(row, 'lastOnline', where) || 0,
      enabled: flagIn(row, 'enable', where) !== false,
    });
  }
  return stats;
}

function clientsOf(protocol: string, wire: unknown, stats: ReadonlyMap<string, Stats>, centre: string): ReadClients {
  const clients = (Array.isArray(wire) ? wire : []).filter(isObject);
  const count = clients.length;
  const columns = {
    emails: Array<string>(count).fill(''),
    keys: Array<string>(count).fill(''),
    digests: Array<string>(count).fill(''),
    marks: Array<number>(count).fill(0),
    uids: Array<string>(count).fill(''),
    credentials: Array<string>(count).fill(''),
    raws: Array<string>(count).fill(''),
    up: new Float64Array(count),
    down: new Float64Array(count),
    allTime: new Float64Array(count),
    lastOnline: new Float64Array(count),
    counted: new Uint8Array(count),
    open: new Uint8Array(count),
  };
  for (const [i, client] of clients.entries()) {
    const email = textOf(client['email']);
    const mark = readMark(centre, client['comment']);
    const row = stats.get(email.toLowerCase());
    const counter = row?.counter ?? { up: 0, down: 0, allTime: 0 };
    columns.emails[i] = email;
    columns.keys[i] = textOf(client[keyMember(protocol)]);
    columns.digests[i] = clientDigest(protocol, client);
    columns.marks[i] = mark.number;
    columns.uids[i] = mark.uid;
    columns.credentials[i] = textOf(client[credentialMember(protocol)]);
    columns.raws[i] = JSON.stringify(client);
    columns.counted[i] = row ? 1 : 0;
    columns.up[i] = counter.up;
    columns.down[i] = counter.down;
    columns.allTime[i] = counter.allTime;
    columns.lastOnline[i] = row?.lastOnline ?? 0;
    columns.open[i] = client['enable'] === true && row?.enabled !== false ? 1 : 0;
  }
  return columns;
}

function counterOf(row: Fields, at: string): SeenCounter {
  return { up: countIn(row, 'up', at), down: countIn(row, 'down', at), allTime: countIn(row, 'allTime', at) || 0 };
}
