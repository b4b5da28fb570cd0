import type { ClientRow, Gets, Inbound } from '../api/contract.generated';

/** An inbound that can have clients, without them. */
export type ClientInbound = Gets['/panel/api/clients/inbounds']['reply'][number];
/** A client of one inbound with its settings, credentials and addresses. */
export type ClientDetails = Gets['/panel/api/clients/:email/details']['reply'][number];
export type ClientState = ClientRow['state'];

/** A client as an element of `settings.clients`. The names are those of the API: `totalGB` is in bytes. */
export interface WireClient {
  readonly id?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly email: string;
  readonly enable?: boolean;
  readonly totalGB?: number;
  readonly expiryTime?: number;
  readonly limitIp?: number;
  readonly tgId?: number | string;
  readonly subId?: string;
  readonly comment?: string;
  readonly reset?: number;
  readonly flow?: string;
}

export const usedBytes = ({ up, down }: Pick<ClientRow, 'up' | 'down'>): number => up + down;

/** How much of its cap a client has used, 0 to 1 and more; 0 without a cap. */
export const usedShare = (row: Pick<ClientRow, 'up' | 'down' | 'total'>): number =>
  row.total > 0 ? usedBytes(row) / row.total : 0;

/** What names a client in the paths of the API: it depends on the protocol. */
export function clientKey(protocol: string, wire: WireClient): string {
  if (protocol === 'trojan') return wire.password ?? '';
  if (protocol === 'shadowsocks') return wire.email;
  if (protocol.startsWith('hysteria')) return wire.auth ?? '';
  return wire.id ?? '';
}

/** The state, and after it what prevents a connection as well: a client can be disabled, expired and depleted at once. */
export function statesOf(
  row: Pick<ClientRow, 'state' | 'expiryTime' | 'up' | 'down' | 'total'>,
  now: number,
): readonly ClientState[] {
  if (row.state !== 'disabled' && row.state !== 'expired' && row.state !== 'depleted') return [row.state];
  const isExpired = row.expiryTime > 0 && row.expiryTime <= now;
  const isDepleted = row.total > 0 && usedBytes(row) >= row.total;
  return [
    row.state,
    ...(isExpired && row.state !== 'expired' ? (['expired'] as const) : []),
    ...(isDepleted && row.state !== 'depleted' ? (['depleted'] as const) : []),
  ];
}

const HAVE_CLIENTS = new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria', 'hysteria2']);
export const hasClients = ({ protocol }: Pick<Inbound, 'protocol'>): boolean => HAVE_CLIENTS.has(protocol);

/** The name of an inbound for people. */
export const inboundName = ({ id, remark }: Pick<ClientInbound, 'id' | 'remark'>): string => remark || `#${id}`;

/** The address of the screen of a client. */
export const clientPath = (email: string): string => `/clients/${encodeURIComponent(email)}`;

/** The email in the address of a screen. The router's own parameter would take `%2F` in an email for a slash. */
export function emailIn(path: string): string {
  const [, , part = ''] = path.split('/');
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
