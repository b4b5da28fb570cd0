import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A row, by the names of the columns; what is left out is NULL. */
export type XuiRow = Readonly<Record<string, string | number | bigint | Buffer | null>>;

/** The rows of a database; omitted tables are empty. */
export interface XuiContent {
  readonly version?: '2.x' | '3.0';
  readonly users?: readonly XuiRow[];
  readonly inbounds?: readonly XuiRow[];
  readonly client_traffics?: readonly XuiRow[];
  readonly outbound_traffics?: readonly XuiRow[];
  readonly inbound_client_ips?: readonly XuiRow[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly nodes?: readonly XuiRow[];
  readonly custom_geo_resources?: readonly XuiRow[];
  /** Without the unique indexes on emails and tags, as in a manually edited database. */
  readonly unique?: boolean;
  /** SQL to run at the end. */
  readonly after?: string;
}

/** A database of 3x-ui 3.0.1 as text, schema and rows. */
const dumpFile = join(import.meta.dirname, '../worker/import/databases/three-x-ui-3.0.1.sql');

/** What makes the tables and indexes of the dump: the kit has no idea of its own of how they look. */
function schemaOf(dump: string): readonly string[] {
  return dump.split('\n').filter((line) => line.startsWith('CREATE '));
}

/** From there to a release before the nodes; earlier ones had columns that are gone. */
const TO_2X = `
  DROP TABLE nodes;
  DROP TABLE custom_geo_resources;
  DROP INDEX idx_inbounds_node_id;
  DROP INDEX idx_enable_traffic_reset;
  ALTER TABLE inbounds DROP COLUMN node_id;
  ALTER TABLE inbounds DROP COLUMN all_time;
  ALTER TABLE inbounds DROP COLUMN traffic_reset;
  ALTER TABLE inbounds DROP COLUMN last_traffic_reset_time;
  ALTER TABLE inbounds ADD COLUMN allocate text;
  ALTER TABLE client_traffics DROP COLUMN all_time;
  ALTER TABLE client_traffics DROP COLUMN last_online;
  ALTER TABLE users DROP COLUMN login_epoch;
  ALTER TABLE users ADD COLUMN login_secret text;
`;
const UNIQUE = /,CONSTRAINT `uni_\w+` UNIQUE \(`\w+`\)|UNIQUE (?=INDEX)/g;

/** Makes a database file as 3x-ui makes it. */
export function makeXui(
  file: string,
  { version = '3.0', unique = true, after = '', ...content }: XuiContent = {},
): void {
  const schema = schemaOf(readFileSync(dumpFile, 'utf8')).join('\n');
  const db = new Database(file);
  try {
    // The driver of 3x-ui leaves it off too.
    db.pragma('foreign_keys = OFF');
    db.exec(unique ? schema : schema.replaceAll(UNIQUE, ''));
    if (version === '2.x') db.exec(TO_2X);
    const { settings = {}, ...tables } = content;
    const rows = Object.entries(settings).map(([name, value]) => ({ key: name, value }));
    const all: Readonly<Record<string, readonly XuiRow[] | undefined>> = { ...tables, settings: rows };
    db.transaction(() => {
      for (const [table, own] of Object.entries(all)) for (const row of own ?? []) insert(db, table, row);
    })();
    if (after !== '') db.exec(after);
  } finally {
    db.close();
  }
}

/** Makes a database file of the dump, with its rows. `after`: SQL to run at the end. */
export function makeDumped(file: string, after = ''): void {
  const db = new Database(file);
  try {
    db.exec(readFileSync(dumpFile, 'utf8'));
    if (after !== '') db.exec(after);
  } finally {
    db.close();
  }
}

function insert(db: Database.Database, table: string, row: XuiRow): void {
  const names = Object.keys(row);
  const places = names.map(() => '?').join();
  db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`).run(...Object.values(row));
}

/** A row of inbounds; its clients are members of `settings`. */
export function xuiInbound(
  id: number,
  {
    clients = [],
    settings = {},
    stream = {},
    ...over
  }: Readonly<Record<string, unknown>> & {
    /** Objects; anything else is invalid. */
    readonly clients?: readonly unknown[];
    readonly settings?: object;
    readonly stream?: object;
  } = {},
): XuiRow {
  return {
    id,
    user_id: 1,
    up: 0,
    down: 0,
    total: 0,
    remark: `inbound ${id}`,
    enable: 1,
    expiry_time: 0,
    listen: '',
    port: 20_000 + id,
    protocol: 'vless',
    settings: JSON.stringify({ clients, decryption: 'none', fallbacks: [], ...settings }, null, 2),
    stream_settings: JSON.stringify({ network: 'tcp', security: 'none', tcpSettings: {}, ...stream }),
    tag: `inbound-${20_000 + id}`,
    sniffing: '{"enabled":true,"destOverride":["http","tls"]}',
    ...over,
  } as XuiRow;
}

/** An id that differs for each number. */
export function foreignUuid(n: number): string {
  return `b831381d-6324-4d53-ad4f-${n.toString(16).padStart(12, '0')}`;
}

/** A client as it stands in the settings of a vless inbound. */
export function xuiClient(n: number, over: object = {}): Readonly<Record<string, unknown>> {
  return {
    id: foreignUuid(n),
    flow: '',
    email: `user${n}`,
    limitIp: 0,
    totalGB: 0,
    expiryTime: 0,
    enable: true,
    tgId: 0,
    subId: `sub${n}`,
    comment: '',
    reset: 0,
    created_at: 1_700_000_000_000,
    updated_at: 1_700_000_000_001,
    ...over,
  };
}

/** The row of counters of a client. */
export function xuiStats(id: number, inbound: number, email: string, over: XuiRow = {}): XuiRow {
  const limits = { expiry_time: 0, total: 0, reset: 0 };
  return { id, inbound_id: inbound, enable: 1, email, up: 0, down: 0, ...limits, ...over };
}
