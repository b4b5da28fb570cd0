import { digest } from './digest.js';
import { isObject, type JsonObject, textOf } from './json.js';
import { MARK_MEMBER } from './ownership-mark.js';

/** The member of a client that identifies it in the paths of the panel API, by protocol. */
export function keyMember(protocol: string): 'id' | 'password' | 'auth' | 'email' {
  if (protocol === 'trojan') return 'password';
  if (protocol === 'shadowsocks') return 'email';
  return protocol === 'hysteria' || protocol === 'hysteria2' ? 'auth' : 'id';
}

/** The member of a client that holds its credential, by protocol. */
export function credentialMember(protocol: string): 'id' | 'password' | 'auth' {
  const member = keyMember(protocol);
  return member === 'email' ? 'password' : member;
}

/** A digest of everything that is sent to a panel about a client. `client`: its element of `settings.clients`, from any panel. */
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
    numberOf(client['totalGB']),
    numberOf(client['expiryTime']),
    numberOf(client['limitIp']),
    textOf(client['subId']),
    textOf(client['comment']),
    ...(of[protocol] ?? []),
  ]).slice(0, 20);
}

/** An inbound as it is sent to a panel, without its clients, its counters and whether it is enabled. */
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

/** A digest of an inbound. It does not depend on what panels add, leave out or write in their own way. */
export function inboundDigest(fields: InboundFields): string {
  const { settings, stream, sniffing, ...rest } = fields;
  const { clients: _clients, testseed: _seed, [MARK_MEMBER]: _mark, ...own } = settings;
  return digest([
    rest,
    Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null)),
    stream === null || Object.keys(stream).length === 0 ? null : { network: 'tcp', security: 'none', ...stream },
    { enabled: false, ...sniffing },
  ]).slice(0, 20);
}

/** The request header by which a centre asks a Portolan node for current counters: `now`. A 3x-ui ignores it. */
export const FRESH_COUNTERS = 'x-portolan-counters';

/** A JSON object, or the one in a text; null when it is neither. An empty text is an empty object. */
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

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
