import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readDatabase } from '../../../src/adapters/xui/read-database.js';
import { planImport } from '../../../src/commands/import/plan.js';
import { eventType } from '../../../src/events/catalog.js';
import { temporaryFolder } from '../../kit/log.js';
import { makeDumped, makeXui } from '../../kit/xui-database.js';
import { findingLine, requestFor } from './kit.js';

/** The columns of a live 3.0.1, by table, independent of the reader and the kit. */
const COLUMNS = {
  users: 'id username password login_epoch',
  inbounds:
    'id user_id up down total all_time remark enable expiry_time traffic_reset last_traffic_reset_time ' +
    'listen port protocol settings stream_settings tag sniffing node_id',
  outbound_traffics: 'id tag up down total',
  settings: 'id key value',
  inbound_client_ips: 'id client_email ips',
  client_traffics: 'id inbound_id enable email up down all_time expiry_time total reset last_online',
  history_of_seeders: 'id seeder_name',
  custom_geo_resources: 'id geo_type alias url local_path last_updated_at last_modified created_at updated_at',
  nodes:
    'id name remark scheme address port base_path api_token enable allow_private_address status ' +
    'last_heartbeat latency_ms xray_version cpu_pct mem_pct uptime_secs last_error created_at updated_at',
} as const;

/** Without these a row means nothing. */
const NEEDED: Readonly<Record<string, string>> = {
  users: 'id username password',
  inbounds: 'id port protocol settings stream_settings',
  settings: 'id key value',
  inbound_client_ips: 'id client_email ips',
  client_traffics: 'id email',
  outbound_traffics: 'id tag',
  custom_geo_resources: 'id geo_type alias url',
  nodes: 'id name address port',
};
const WITHOUT_THESE_NONE = ['users', 'inbounds', 'settings'];
/** Of no use here, so that it makes no difference that they are missing. */
const UNUSED =
  /^(users\.login_epoch|outbound_traffics\.total|history_of_seeders\.|nodes\.(status|last_h|lat|x|c|m|u|last_e)|custom_geo_resources\.(l|c|u))/;
const NOW = Date.UTC(2025, 9, 1);

const file = (make: (path: string) => void): string => {
  const path = join(temporaryFolder(), 'x-ui.db');
  make(path);
  return path;
};
const columnsIn = (path: string) => {
  const db = new Database(path, { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  const columns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck();
  const found = tables
    .filter((name) => !name.startsWith('sqlite_'))
    .map((name) => [name, columns.all(name).join(' ')] as const);
  db.close();
  return Object.fromEntries(found);
};
/** The dump with a change, read and planned. */
const dumped = (after = '') => {
  const panel = readDatabase(file((path) => makeDumped(path, after)));
  const { events, report } = planImport(requestFor(panel), NOW);
  for (const { type, data } of events) eventType(type)?.schema.parse(data);
  const said = report.findings.map(findingLine);
  const of = (type: string) => events.filter((event) => event.type === type).map(({ data }) => data);
  return { panel, report, said, of };
};

describe('the dump of a database of 3.0.1', () => {
  it('has the same columns as the databases of the test kit', () => {
    expect(columnsIn(file((path) => makeDumped(path)))).toEqual(COLUMNS);
    expect(columnsIn(file((path) => makeXui(path)))).toEqual(COLUMNS);
    expect(columnsIn(file((path) => makeXui(path, { unique: false })))).toEqual(COLUMNS);
  });

  it('is imported completely', () => {
    const { of, report } = dumped();
    expect(report.version).toBe('3.0');
    expect(report.totals.after).toEqual(report.totals.before);
    expect(report.totals.before).toMatchObject({ inbounds: 6, clients: 9, clientDown: 19_332_596_412 });
    expect(of('GeoSourceAdded')).toEqual([
      { source: 1, type: 'geosite', alias: 'ads', url: 'https://downloads.example.com/lists/ads.dat' },
      { source: 2, type: 'geoip', alias: 'office-net', url: 'https://downloads.example.com/lists/office.dat' },
    ]);
    expect(of('NodeAdded')).toMatchObject([{ node: 1, enabled: true, spec: { name: 'fra-1', basePath: '/n0de/' } }]);
    expect(of('NodeInboundAdopted')).toEqual([{ node: 1, inbound: 7, tag: 'inbound-443-tcp' }]);
    expect(of('OutboundHistoryImported')).toHaveLength(2);
    expect(of('ClientIpsSeen')).toHaveLength(2);
    expect(of('SettingsChanged')).toMatchObject([{ changes: { webPort: 54_321, subPath: '/feed/', subPort: 2096 } }]);
  });

  it('has a report of the clients that 3x-ui had disabled because they were depleted', () => {
    const { said, of } = dumped();
    const again = 'enables it again';
    expect(said).toEqual([
      'nodes: noted: node fra-1: inbounds on it that this panel manages: 1; their clients are identified by email, and their traffic counts from the first report',
      `clients: noted: client phone-2 of inbound 1: 3x-ui had disabled it because its cap was used up: a reset or a larger cap ${again}`,
      `clients: noted: client laptop-3 of inbound 1: 3x-ui had disabled it because it had expired on 2025-03-01: a later expiry ${again}`,
    ]);
    expect(of('ClientDepleted')).toMatchObject([{ depletion: { reason: 'cap' } }, { depletion: { reason: 'expiry' } }]);
  });

  it('is read with the journal mode of a live panel', () => {
    const path = file((made) => makeDumped(made, 'PRAGMA user_version = 1'));
    const db = new Database(path);
    db.pragma('journal_mode = WAL');
    db.close();
    expect(readDatabase(path).inbounds).toHaveLength(6);
  });
});

describe('a release with', () => {
  const tables = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const without = tables.filter((table) => !WITHOUT_THESE_NONE.includes(table));
  const pairs = tables.flatMap((table) => COLUMNS[table].split(' ').map((column) => [table, column] as const));
  const optional = pairs.filter(([table, column]) => !NEEDED[table]?.split(' ').includes(column) && column !== 'id');
  const vital = pairs.filter(([table, column]) => NEEDED[table]?.split(' ').includes(column));
  const drop = (table: string, column: string): string => `
    DROP INDEX IF EXISTS idx_inbounds_node_id; DROP INDEX IF EXISTS idx_enable_traffic_reset;
    DROP INDEX IF EXISTS idx_custom_geo_type_alias; DROP INDEX IF EXISTS idx_nodes_name;
    CREATE TABLE less AS SELECT ${COLUMNS[table as keyof typeof COLUMNS].split(' ').filter((name) => name !== column)} FROM ${table};
    DROP TABLE ${table}; ALTER TABLE less RENAME TO ${table};`;

  it.each(without)('no table %s is imported without its content, with a report', (table) => {
    const { said, report } = dumped(`DROP TABLE ${table}`);
    const line = `${table}: noted: the table: this database does not contain it: nothing is imported from it`;
    if (table !== 'history_of_seeders') expect(said).toContain(line);
    expect(report.totals.after).toMatchObject({ inbounds: 6, clients: 9 });
  });

  it.each(optional)('no column %s.%s is imported completely, with a report of the default', (table, column) => {
    const { said, report, of } = dumped(drop(table, column));
    const named = said.filter((line) => line.includes(`column "${column}": this database does not contain it`));
    expect(named).toHaveLength(UNUSED.test(`${table}.${column}`) ? 0 : 1);
    expect(report.totals.after).toMatchObject({ inbounds: 6, clients: 9 });
    expect(report.tables.map(({ skipped }) => skipped)).toEqual(report.tables.map(() => 0));
    const spec = of('ClientAdded').map((data) => (data as { spec: object }).spec);
    expect(spec).toMatchObject([
      { enabled: true, capBytes: 50 * 1024 ** 3, expiresAt: 4_070_908_800_000, renewalDays: 30 },
      ...Array<object>(8).fill({}),
    ]);
  });

  it.each(vital)('no column %s.%s is rejected or imported without that table', (table, column) => {
    if (WITHOUT_THESE_NONE.includes(table)) {
      expect(() => dumped(drop(table, column))).toThrow(`the table ${table} has no column ${column}`);
    } else {
      const { said } = dumped(drop(table, column));
      expect(said).toContainEqual(
        expect.stringMatching(`^${table}: skipped: the table: the column ${column} is missing`),
      );
    }
  });

  it.each(tables)('one more column in %s and one more table is imported without them, with a report', (table) => {
    const { said, report } = dumped(`ALTER TABLE ${table} ADD COLUMN later_thing text DEFAULT 'x';
      CREATE TABLE api_tokens (id integer PRIMARY KEY, token text); CREATE INDEX by_token ON api_tokens (token COLLATE NOCASE DESC);
      CREATE TABLE "a ""b" (c); INSERT INTO "a ""b" VALUES (1), (2);`);
    expect(report.totals.after).toEqual(report.totals.before);
    const other = '"a \\"b": skipped: the table: the table is unknown to this panel and is not read (rows: 2)';
    expect(said).toContain(other);
    expect(said).toContain('"api_tokens": noted: the table: the table is unknown to this panel; it is empty');
    const line = `${table}: noted: column "later_thing": this panel cannot store its content`;
    if (table !== 'history_of_seeders') expect(said).toContain(line);
  });

  it('nothing of 3.0 is recognized as 2.x', () => {
    const { panel } = dumped(`DROP TABLE nodes; DROP TABLE custom_geo_resources; ${drop('inbounds', 'node_id')}`);
    expect(panel.version).toBe('2.x');
  });
});
