import type { ClientTraffic, Inbound } from '../api/contract.generated';

const DAY_MS = 86_400_000;
/** Before its end, and of its cap, a client is shown as running out. */
export const EXPIRING_MS = 7 * DAY_MS;
export const HIGH_USAGE = 0.8;

/** A client as it stands in the settings of its inbound. The names are those of the API: `totalGB` is in bytes. */
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

export type ClientState = 'active' | 'expiring' | 'high' | 'disabled' | 'depleted' | 'expired';

/** One client in one inbound, with its counters. */
export interface ClientRow {
  /** Number of the client, as text. */
  readonly key: string;
  readonly email: string;
  readonly inbound: Pick<Inbound, 'id' | 'remark' | 'protocol' | 'port'>;
  readonly wire: WireClient;
  readonly stats: ClientTraffic;
  readonly used: number;
  /** Of its cap, 0 to 1 and more; 0 without a cap. */
  readonly share: number;
  readonly state: ClientState;
  /** What a search looks through, in lower case. */
  readonly text: string;
}

/** The settings of an inbound, parsed once as long as the text stays the same. */
const parsed = new Map<number, { readonly text: string; readonly clients: ReadonlyMap<string, WireClient> }>();
/** Rows by their counters: a poll that moves ten clients makes ten rows. */
const rows = new WeakMap<ClientTraffic, ClientRow>();

function wireClients({ id, settings }: Inbound): ReadonlyMap<string, WireClient> {
  const known = parsed.get(id);
  if (known?.text === settings) return known.clients;
  const list =
    settings === '' ? [] : ((JSON.parse(settings) as { readonly clients?: readonly WireClient[] }).clients ?? []);
  const clients = new Map(list.map((client) => [client.email, client]));
  parsed.set(id, { text: settings, clients });
  return clients;
}

export function stateOf(wire: WireClient, stats: ClientTraffic, now: number): ClientState {
  const used = stats.up + stats.down;
  if (wire.enable === false) return 'disabled';
  if (stats.total > 0 && used >= stats.total) return 'depleted';
  if (stats.expiryTime > 0 && stats.expiryTime <= now) return 'expired';
  if (!stats.enable) return 'disabled';
  if (stats.expiryTime > 0 && stats.expiryTime - now < EXPIRING_MS) return 'expiring';
  return stats.total > 0 && used >= HIGH_USAGE * stats.total ? 'high' : 'active';
}

/** Every client of every inbound. */
export function clientRows(inbounds: readonly Inbound[], now = Date.now()): readonly ClientRow[] {
  return inbounds.flatMap((inbound) => {
    const clients = wireClients(inbound);
    return inbound.clientStats.map((stats) =>
      rowOf(inbound, clients.get(stats.email) ?? { email: stats.email }, stats, now),
    );
  });
}

function rowOf(inbound: Inbound, wire: WireClient, stats: ClientTraffic, now: number): ClientRow {
  const known = rows.get(stats);
  const state = stateOf(wire, stats, now);
  if (known?.wire === wire && known.state === state) return known;
  const used = stats.up + stats.down;
  const row: ClientRow = {
    key: String(stats.id),
    email: stats.email,
    inbound,
    wire,
    stats,
    used,
    share: stats.total > 0 ? used / stats.total : 0,
    state,
    text: [stats.email, stats.uuid, stats.subId, wire.comment, wire.tgId].join('\n').toLowerCase(),
  };
  rows.set(stats, row);
  return row;
}

/** What names a client in the paths of the API: it depends on the protocol. */
export function clientKey({ inbound: { protocol }, wire }: Pick<ClientRow, 'inbound' | 'wire'>): string {
  if (protocol === 'trojan') return wire.password ?? '';
  if (protocol === 'shadowsocks') return wire.email;
  if (protocol.startsWith('hysteria')) return wire.auth ?? '';
  return wire.id ?? '';
}

const HAVE_CLIENTS = new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria', 'hysteria2']);
export const hasClients = ({ protocol }: Pick<Inbound, 'protocol'>): boolean => HAVE_CLIENTS.has(protocol);
