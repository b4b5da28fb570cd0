import type {
  ForeignGeo,
  ForeignInbound,
  ForeignIps,
  ForeignNode,
  ForeignOutbound,
  ForeignSetting,
  ForeignStats,
  ForeignUser,
} from '../../commands/ports/foreign-panel.js';
import { bytes, type Column, flag, id, signed, text, time, whole } from './columns.js';

type Columns<R> = { readonly [K in keyof R]: Column<R[K]> };

/** A table, with a column for each member of its rows; the names in the database are those with underscores. */
export interface Table<R> {
  readonly name: string;
  readonly columns: Columns<R>;
  /** Without these it is no table of 3x-ui. Others came with later releases. */
  readonly needed: readonly (keyof R & string)[];
  /** Rows beyond this are no table of a panel. */
  readonly most: number;
}

/** Characters of settings with all their clients, and of a template. */
const LONG = 64 * 1024 * 1024;
const MANY = 1_000_000;

const users: Table<ForeignUser> = {
  name: 'users',
  columns: { id, username: text(), password: text() },
  needed: ['id', 'username', 'password'],
  most: 1000,
};

const inbounds: Table<ForeignInbound> = {
  name: 'inbounds',
  columns: {
    id,
    userId: id,
    up: bytes,
    down: bytes,
    allTime: time,
    total: signed,
    remark: text(),
    enable: flag,
    expiryTime: signed,
    trafficReset: text(),
    lastTrafficResetTime: time,
    listen: text(),
    port: whole(-1, 65_536),
    protocol: text(),
    settings: text(LONG),
    streamSettings: text(LONG),
    tag: text(),
    sniffing: text(LONG),
    nodeId: id,
  },
  needed: ['id', 'port', 'protocol', 'settings', 'streamSettings', 'tag', 'up', 'down', 'enable'],
  most: 10_000,
};

const stats: Table<ForeignStats> = {
  name: 'client_traffics',
  columns: {
    id,
    inboundId: id,
    enable: flag,
    email: text(),
    up: bytes,
    down: bytes,
    allTime: time,
    expiryTime: signed,
    total: signed,
    reset: signed,
    lastOnline: time,
  },
  needed: ['id', 'inboundId', 'email', 'up', 'down'],
  most: MANY,
};

const outbounds: Table<ForeignOutbound> = {
  name: 'outbound_traffics',
  columns: { id, tag: text(), up: bytes, down: bytes },
  needed: ['id', 'tag', 'up', 'down'],
  most: 65_536,
};

const ips: Table<ForeignIps> = {
  name: 'inbound_client_ips',
  columns: { id, clientEmail: text(), ips: text(1024 * 1024) },
  needed: ['id', 'clientEmail', 'ips'],
  most: MANY,
};

const settings: Table<ForeignSetting> = {
  name: 'settings',
  columns: { id, key: text(), value: text(LONG) },
  needed: ['id', 'key', 'value'],
  most: 10_000,
};

const nodes: Table<ForeignNode> = {
  name: 'nodes',
  columns: {
    id,
    name: text(),
    remark: text(),
    scheme: text(),
    address: text(),
    port: whole(-1, 65_536),
    basePath: text(),
    apiToken: text(),
    enable: flag,
    allowPrivateAddress: flag,
  },
  needed: ['id', 'name', 'address', 'port', 'apiToken'],
  most: 65_536,
};

const geo: Table<ForeignGeo> = {
  name: 'custom_geo_resources',
  columns: { id, type: text(), alias: text(), url: text() },
  needed: ['id', 'type', 'alias', 'url'],
  most: 10_000,
};

/** What is read, under the names that the panel has for it. */
export const tables = { users, inbounds, stats, outbounds, ips, settings, nodes, geo } as const;
/** A database without one of these is none of 3x-ui. */
export const needed = [users, inbounds, settings] as const;
/** Tables that hold nothing to take over: notes of migrations, and what SQLite keeps for itself. */
export const passedOver: ReadonlySet<string> = new Set([
  'history_of_seeders',
  'sqlite_sequence',
  'sqlite_stat1',
  'sqlite_stat4',
]);

/** Columns of earlier releases that have no place here, by table. */
export const obsolete: Readonly<Record<string, readonly string[]>> = {
  users: ['login_secret', 'login_epoch'],
  inbounds: ['allocate'],
  outbound_traffics: ['total'],
  nodes: [
    ...['status', 'last_heartbeat', 'latency_ms', 'xray_version', 'cpu_pct', 'mem_pct', 'uptime_secs', 'last_error'],
    ...['created_at', 'updated_at'],
  ],
  custom_geo_resources: ['local_path', 'last_updated_at', 'last_modified', 'created_at', 'updated_at'],
};

/** `lastTrafficResetTime` → `last_traffic_reset_time`. */
export function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
