import { digest } from './digest.js';
import { isObject, type JsonObject, textOf } from './json.js';

/** The member of a client that names it in the paths of the panel API, by protocol. */
export function keyMember(protocol: string): 'id' | 'password' | 'auth' | 'email' {
  if (protocol === 'trojan') return 'password';
  if (protocol === 'shadowsocks') return 'email';
  return protocol === 'hysteria' || protocol === 'hysteria2' ? 'auth' : 'id';
}

/** What lets a client of the protocol in. */
export function credentialMember(protocol: string): 'id' | 'password' | 'auth' {
  const member = keyMember(protocol);
  return member === 'email' ? 'password' : member;
}

/** A digest of all that a panel is told of a client, from its element of `settings.clients`, whoever wrote it. */
export function clientDigest(protocol: string, client: Readonly<Record<string, unknown>>): string {
  const reverse = client['reverse'];
  const of: Readonly<Record<string, readonly unknown[]>> = {
    vless: [textOf(client['flow']), isObject(reverse) ? textOf(reverse['tag']) : ''],
    vmess: [textOf(client['security'])],
    shadowsocks: [textOf(client['method'])],
  };
  return digest([
    textOf(client[credentialMember(protocol)]),
    textOf(client['email']),
    client['enable'] === true,
    wholeOf(client['totalGB']),
    wholeOf(client['expiryTime']),
    wholeOf(client['limitIp']),
    textOf(client['subId']),
    textOf(client['comment']),
    ...(of[protocol] ?? []),
  ]).slice(0, 20);
}

/** An inbound as a panel is told of it: without clients and counters, and without whether it is on. */
export interface InboundFields {
  readonly remark: string;
  readonly listen: string;
  readonly port: number;
  readonly protocol: string;
  readonly total: number;
  readonly expiryTime: number;
  readonly trafficReset: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly stream: Readonly<Record<string, unknown>> | null;
  readonly sniffing: Readonly<Record<string, unknown>>;
}

/** A digest of an inbound that does not see what panels add, leave out or spell in their own way. */
export function inboundDigest(words: InboundFields): string {
  const { settings, stream, sniffing, ...rest } = words;
  const { clients: _clients, testseed: _seed, [MARK]: _mark, ...own } = settings;
  return digest([
    rest,
    Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)),
    stream === null || Object.keys(stream).length === 0 ? null : { network: 'tcp', security: 'none', ...stream },
    { enabled: false, ...sniffing },
  ]).slice(0, 20);
}

/** The member of the settings of an inbound that holds the mark of its centre. A core looks at nothing that it does not know. */
export const MARK = 'managedBy';

/** The header by which a centre asks for counters as they are `now`. A 3x-ui does not know it. */
export const FRESH_COUNTERS = 'x-portolan-counters';

/** What a centre writes to what it puts into a node. */
export interface Mark {
  /** Of the client or inbound; `OTHER_CENTRE` when another centre wrote it, 0 when none did. */
  readonly number: number;
  /** See `bornOf`; empty in marks of before, which have only the number. */
  readonly born: string;
}

/**
 * The comment by which a centre knows its own client in a node again, under whatever name or credential; and, with the
 * number of an inbound, the same of that. Numbers are handed out anew after a backup was restored: `born` are not.
 */
export function markOf(centre: string, number: number, born: string): string {
  return `portolan:${centre}:${number}${born === '' ? '' : `:${born}`}`;
}

/** What tells a client or an inbound from any other that ever had its number: of the id of the event that added it. */
export function bornOf({ id }: { readonly id: string }): string {
  return id.slice(-12);
}

/** In place of a number: another centre put it there. */
export const OTHER_CENTRE = -1;

/** In place of the number of an inbound: another centre marked it, but it came to this one since. */
export const FORMER_CENTRE = -2;

/** The mark that the centre wrote. */
export function readMark(centre: string, mark: unknown): Mark {
  const [, of, digits, born = ''] = /^portolan:([\w-]{1,64}):([1-9]\d{0,14})(?::(\w{1,12}))?$/.exec(textOf(mark)) ?? [];
  if (of === undefined) return { number: 0, born: '' };
  return of === centre ? { number: Number(digits), born } : { number: OTHER_CENTRE, born: '' };
}

/** A JSON object inside of a text; null when it is none. An empty text is an empty object. */
export function objectIn(text: unknown): JsonObject | null {
  if (isObject(text)) return text as JsonObject;
  if (text === '' || text === null || text === undefined) return {};
  try {
    const value: unknown = JSON.parse(textOf(text));
    return isObject(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

function wholeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
