import Database from 'better-sqlite3';

/** A row, by the names of the columns; what is left out is NULL. */
export type ForeignRow = Readonly<Record<string, string | number | bigint | Buffer | null>>;

/** What is put into a database; tables that are left out are empty. */
export interface ForeignContent {
  readonly version?: '2.x' | '3.0';
  readonly users?: readonly ForeignRow[];
  readonly inbounds?: readonly ForeignRow[];
  readonly client_traffics?: readonly ForeignRow[];
  readonly outbound_traffics?: readonly ForeignRow[];
  readonly inbound_client_ips?: readonly ForeignRow[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly nodes?: readonly ForeignRow[];
  readonly custom_geo_resources?: readonly ForeignRow[];
  /** Without the indexes that keep emails and tags apart, as a database has it that somebody worked on by hand. */
  readonly unique?: boolean;
  /** SQL that is run in the end. */
  readonly after?: string;
}

const key = '`id` integer PRIMARY KEY AUTOINCREMENT';

/** The columns of each table as 3x-ui declares them, beside its key. */
const later: Readonly<Record<string, readonly string[]>> = {
  users: ['`username` text', '`password` text', '`login_epoch` integer DEFAULT 0'],
  inbounds: [
    ...['`user_id` integer', '`up` integer', '`down` integer', '`total` integer', '`all_time` integer DEFAULT 0'],
    ...['`remark` text', '`enable` numeric', '`expiry_time` integer', '`traffic_reset` text DEFAULT "never"'],
    ...['`last_traffic_reset_time` integer DEFAULT 0', '`listen` text', '`port` integer', '`protocol` text'],
    ...['`settings` text', '`stream_settings` text', '`tag` text', '`sniffing` text', '`node_id` integer'],
    'CONSTRAINT `uni_inbounds_tag` UNIQUE (`tag`)',
  ],
  client_traffics: [
    ...['`inbound_id` integer', '`enable` numeric', '`email` text', '`up` integer', '`down` integer'],
    ...['`all_time` integer', '`expiry_time` integer', '`total` integer', '`reset` integer DEFAULT 0'],
    '`last_online` integer DEFAULT 0',
    'CONSTRAINT `fk_inbounds_client_stats` FOREIGN KEY (`inbound_id`) REFERENCES `inbounds`(`id`)',
  ],
  outbound_traffics: [
    ...['`tag` text', '`up` integer DEFAULT 0', '`down` integer DEFAULT 0', '`total` integer DEFAULT 0'],
    'CONSTRAINT `uni_outbound_traffics_tag` UNIQUE (`tag`)',
  ],
  inbound_client_ips: [
    ...['`client_email` text', '`ips` text'],
    'CONSTRAINT `uni_inbound_client_ips_client_email` UNIQUE (`client_email`)',
  ],
  settings: ['`key` text', '`value` text'],
  history_of_seeders: ['`seeder_name` text'],
  nodes: [
    ...['`name` text', '`remark` text', '`scheme` text', '`address` text', '`port` integer', '`base_path` text'],
    ...['`api_token` text', '`enable` numeric DEFAULT true', '`allow_private_address` numeric DEFAULT false'],
    ...['`status` text', '`last_heartbeat` integer', '`latency_ms` integer', '`xray_version` text', '`cpu_pct` real'],
    ...['`mem_pct` real', '`uptime_secs` integer', '`last_error` text', '`created_at` integer', '`updated_at` integer'],
  ],
  custom_geo_resources: [
    ...['`type` text', '`alias` text', '`url` text', '`local_path` text', '`last_updated_at` integer'],
    ...['`last_modified` text', '`created_at` integer', '`updated_at` integer'],
  ],
};

const NEW_TABLES = ['nodes', 'custom_geo_resources'];
const NEW_COLUMNS = /^`(all_time|traffic_reset|last_traffic_reset_time|node_id|last_online|login_epoch)`/;

function columnsOf(table: string, version: '2.x' | '3.0'): readonly string[] {
  const columns = later[table] ?? [];
  if (version === '3.0') return columns;
  const older = columns.filter((column) => !NEW_COLUMNS.test(column));
  // Tables of earlier releases had columns that are gone; constraints stand last.
  const extra = { users: ['`login_secret` text'], inbounds: ['`allocate` text'] }[table] ?? [];
  return [...extra, ...older];
}

/** Makes a database file as 3x-ui makes it. */
export function makeForeign(
  file: string,
  { version = '3.0', unique = true, after = '', ...content }: ForeignContent = {},
): void {
  const db = new Database(file);
  try {
    // The driver of 3x-ui leaves it off too.
    db.pragma('foreign_keys = OFF');
    for (const table of Object.keys(later)) {
      if (version === '2.x' && NEW_TABLES.includes(table)) continue;
      db.exec(
        `CREATE TABLE \`${table}\` (${[key, ...columnsOf(table, version).filter((column) => unique || !column.includes('UNIQUE'))].join(',')})`,
      );
    }
    if (unique) db.exec('CREATE UNIQUE INDEX `idx_client_traffics_email` ON `client_traffics`(`email`)');
    if (version === '3.0') {
      db.exec('CREATE INDEX `idx_enable_traffic_reset` ON `inbounds`(`enable`,`traffic_reset`)');
      db.exec('CREATE UNIQUE INDEX `idx_custom_geo_type_alias` ON `custom_geo_resources`(`type`,`alias`)');
    }
    const { settings = {}, ...tables } = content;
    const rows = Object.entries(settings).map(([name, value]) => ({ key: name, value }));
    const all: Readonly<Record<string, readonly ForeignRow[] | undefined>> = { ...tables, settings: rows };
    db.transaction(() => {
      for (const [table, own] of Object.entries(all)) for (const row of own ?? []) insert(db, table, row);
    })();
    if (after !== '') db.exec(after);
  } finally {
    db.close();
  }
}

function insert(db: Database.Database, table: string, row: ForeignRow): void {
  const names = Object.keys(row);
  const places = names.map(() => '?').join();
  db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${places})`).run(...Object.values(row));
}

/** A row of inbounds; its clients are members of `settings`. */
export function foreignInbound(
  id: number,
  {
    clients = [],
    settings = {},
    stream = {},
    ...over
  }: Readonly<Record<string, unknown>> & {
    readonly clients?: readonly object[];
    readonly settings?: object;
    readonly stream?: object;
  } = {},
): ForeignRow {
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
  } as ForeignRow;
}

/** An id that differs for each number. */
export function foreignUuid(n: number): string {
  return `b831381d-6324-4d53-ad4f-${n.toString(16).padStart(12, '0')}`;
}

/** A client as it stands in the settings of a vless inbound. */
export function foreignClient(n: number, over: object = {}): Readonly<Record<string, unknown>> {
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
export function foreignStats(id: number, inbound: number, email: string, over: ForeignRow = {}): ForeignRow {
  const limits = { expiry_time: 0, total: 0, reset: 0 };
  return { id, inbound_id: inbound, enable: 1, email, up: 0, down: 0, ...limits, ...over };
}
