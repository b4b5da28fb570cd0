import type {
  XuiGeo,
  XuiInbound,
  XuiIps,
  XuiNode,
  XuiOutbound,
  XuiSetting,
  XuiStats,
  XuiUser,
} from '../../commands/ports/xui-panel.js';
import { bytes, type Column, flag, id, integerBetween, signed, text, time, withDefault } from './columns.js';

type Columns<R> = { readonly [K in keyof R]: Column<R[K]> };

/** A table, with a column for each member of its rows; `columnOf` makes the name in the database of that of the member. */
export interface Table<R> {
  readonly name: string;
  readonly columns: Columns<R>;
  /** Required columns. Others differ between releases and have a default. */
  readonly needed: readonly (keyof R & string)[];
  /** The most rows that are accepted. */
  readonly most: number;
}

/** Characters of settings with all their clients, and of a template. */
const MAX_JSON_CHARS = 64 * 1024 * 1024;
const MAX_ROWS = 1_000_000;

const users: Table<XuiUser> = {
  name: 'users',
  columns: { id, username: text(), password: text() },
  needed: ['id', 'username', 'password'],
  most: 1000,
};

const inbounds: Table<XuiInbound> = {
  name: 'inbounds',
  columns: {
    id,
    userId: id,
    up: bytes,
    down: bytes,
    allTime: time,
    total: signed,
    remark: text(),
    enable: withDefault(flag, true),
    expiryTime: signed,
    trafficReset: withDefault(text(), 'never'),
    lastTrafficResetTime: time,
    listen: text(),
    port: integerBetween(-1, 65_536),
    protocol: text(),
    settings: text(MAX_JSON_CHARS),
    streamSettings: text(MAX_JSON_CHARS),
    tag: text(),
    sniffing: text(MAX_JSON_CHARS),
    nodeId: id,
  },
  needed: ['id', 'port', 'protocol', 'settings', 'streamSettings'],
  most: 10_000,
};

const stats: Table<XuiStats> = {
  name: 'client_traffics',
  columns: {
    id,
    inboundId: id,
    enable: withDefault(flag, null),
    email: text(),
    up: bytes,
    down: bytes,
    allTime: time,
    expiryTime: withDefault(signed, null),
    total: withDefault(signed, null),
    reset: withDefault(signed, null),
    lastOnline: time,
  },
  needed: ['id', 'email'],
  most: MAX_ROWS,
};

const outbounds: Table<XuiOutbound> = {
  name: 'outbound_traffics',
  columns: { id, tag: text(), up: bytes, down: bytes },
  needed: ['id', 'tag'],
  most: 65_536,
};

const ips: Table<XuiIps> = {
  name: 'inbound_client_ips',
  columns: { id, clientEmail: text(), ips: text(1024 * 1024) },
  needed: ['id', 'clientEmail', 'ips'],
  most: MAX_ROWS,
};

const settings: Table<XuiSetting> = {
  name: 'settings',
  columns: { id, key: text(), value: text(MAX_JSON_CHARS) },
  needed: ['id', 'key', 'value'],
  most: 10_000,
};

const nodes: Table<XuiNode> = {
  name: 'nodes',
  columns: {
    id,
    name: text(),
    remark: text(),
    scheme: withDefault(text(), 'https'),
    address: text(),
    port: integerBetween(-1, 65_536),
    basePath: withDefault(text(), '/'),
    apiToken: text(),
    enable: withDefault(flag, true),
    allowPrivateAddress: flag,
  },
  needed: ['id', 'name', 'address', 'port'],
  most: 65_536,
};

const geo: Table<XuiGeo> = {
  name: 'custom_geo_resources',
  columns: { id, geoType: text(), alias: text(), url: text() },
  needed: ['id', 'geoType', 'alias', 'url'],
  most: 10_000,
};

/** The tables that are read. */
export const tables = { users, inbounds, stats, outbounds, ips, settings, nodes, geo } as const;
/** Every database of 3x-ui has these. */
export const needed = [users, inbounds, settings] as const;
/** Whether a table has nothing to import: notes of migrations, and tables of SQLite itself. */
export function isPassedOver(table: string): boolean {
  return table === 'history_of_seeders' || table.startsWith('sqlite_');
}

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
