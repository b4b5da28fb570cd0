import { copyFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readXui } from '../../../src/adapters/xui/read-file.js';
import { RefusedFile } from '../../../src/commands/ports/refused-file.js';
import { temporaryFolder } from '../../kit/log.js';
import { type XuiContent, xuiClient, xuiInbound, xuiStats } from '../../kit/xui-database.js';
import { inEnglish, xuiFile } from './kit.js';

const small: XuiContent = {
  users: [{ id: 1, username: 'root', password: '$2a$10$x' }],
  inbounds: [xuiInbound(3, { clients: [xuiClient(1)] })],
  client_traffics: [xuiStats(1, 3, 'user1', { up: 3, down: 4 })],
  settings: { webPort: '5000' },
};

const read = (file: string) => readXui(file, temporaryFolder());
const refused = async (file: string): Promise<string> => {
  const error: unknown = await read(file).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RefusedFile);
  return (error as RefusedFile).message;
};

describe('a database of 3x-ui', () => {
  it.each(['2.x', '3.0'] as const)('of release %s is read completely', async (version) => {
    const file = xuiFile({ version, ...small });
    const before = readFileSync(file);
    const { panel, sha256, bytes } = await read(file);
    expect(panel).toMatchObject({ version, nodes: [], geo: [] });
    expect(panel.users).toEqual([{ id: 1, username: 'root', password: '$2a$10$x' }]);
    expect(panel.inbounds).toMatchObject([{ id: 3, port: 20_003, allTime: 0, nodeId: 0, enable: true }]);
    expect(panel.stats).toMatchObject([{ id: 1, inboundId: 3, email: 'user1', up: 3, down: 4, enable: true }]);
    expect(panel.settings).toEqual([{ id: 1, key: 'webPort', value: '5000' }]);
    expect([sha256.length, bytes]).toEqual([64, before.length]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('is read with its write-ahead log, and both stay unchanged', async () => {
    const file = xuiFile(small);
    const writer = new Database(file);
    try {
      writer.pragma('journal_mode = WAL');
      writer.pragma('wal_autocheckpoint = 0');
      writer.exec("UPDATE client_traffics SET up = 77; INSERT INTO settings (key, value) VALUES ('subPath', '/s/')");
      const { panel } = await read(file);
      expect(panel.stats[0]?.up).toBe(77);
      expect(panel.settings).toHaveLength(2);
      expect(existsSync(`${file}-wal`)).toBe(true);
    } finally {
      writer.close();
    }
  });

  it('is read without an uncommitted transaction', async () => {
    const file = xuiFile(small);
    const left = join(temporaryFolder(), 'x-ui.db');
    const writer = new Database(file);
    writer.pragma('journal_mode = DELETE');
    writer.pragma('cache_size = 1');
    writer.exec(
      "BEGIN; UPDATE client_traffics SET up = 77; INSERT INTO settings (key, value) VALUES ('x', zeroblob(1e6))",
    );
    copyFileSync(file, left);
    copyFileSync(`${file}-journal`, `${left}-journal`);
    writer.exec('ROLLBACK');
    writer.close();
    expect((await read(left)).panel.stats[0]?.up).toBe(3);
  });

  it('may have a partial index', async () => {
    const after = `CREATE UNIQUE INDEX a ON client_traffics (email) WHERE email <> '' AND \`inbound_id\` IS NOT NULL;
      CREATE INDEX b ON inbounds (tag) WHERE id > 1`;
    expect((await read(xuiFile({ ...small, after }))).panel.stats).toHaveLength(1);
  });

  it('leaves nothing in the temporary folder, also after an error', async () => {
    const scratch = temporaryFolder();
    await readXui(xuiFile(small), scratch);
    await expect(readXui(xuiFile({ after: 'CREATE VIEW z AS SELECT 1' }), scratch)).rejects.toThrow(RefusedFile);
    expect(readdirSync(scratch)).toEqual([]);
  });
});

describe('an invalid database is rejected with the reason:', () => {
  it.each([
    ['a trigger', 'CREATE TRIGGER evil AFTER INSERT ON users BEGIN SELECT 1; END', 'the trigger "evil"'],
    ['a view', 'CREATE VIEW evil AS SELECT 1', 'the view "evil"'],
    [
      'a view in place of a table',
      'DROP TABLE nodes; CREATE VIEW nodes AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c',
      'the view "nodes"',
    ],
    ['a virtual table', 'DROP TABLE nodes; CREATE VIRTUAL TABLE nodes USING fts5(a)', 'virtual table "nodes"'],
    ['a generated column', 'ALTER TABLE users ADD COLUMN evil AS (length(password))', 'the generated column "evil"'],
    ['an index that computes', 'CREATE INDEX evil ON users (length(password))', 'the index "evil"'],
    [
      'an index whose rows are computed',
      'CREATE INDEX evil ON users (id) WHERE length(password) > 1',
      'the index "evil"',
    ],
    [
      'an index whose rows match a pattern',
      "CREATE INDEX evil ON users (id) WHERE password LIKE '%a'",
      'the index "evil"',
    ],
    ['a log of ours', 'DROP TABLE inbounds; CREATE TABLE events (a)', 'a log of Portolan itself'],
    ['no accounts', 'DROP TABLE users', 'no table users'],
    ['inbounds of something else', 'ALTER TABLE inbounds RENAME COLUMN settings TO options', 'no column settings'],
  ])('%s', async (_what, after, why) => {
    expect(await refused(xuiFile({ ...small, after }))).toContain(why);
  });

  it('not a database, an empty file, a folder, a missing file', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'x-ui.db');
    writeFileSync(file, 'hello, this is no database');
    expect(await refused(file)).toBe('It is not an SQLite database');
    writeFileSync(file, '');
    expect(await refused(file)).toBe('It is not an SQLite database');
    expect(await refused(folder)).toContain('is not a regular file');
    expect(await refused(join(folder, 'none'))).toContain('does not exist');
  });

  it('a truncated file, and one with a damaged page', async () => {
    const cut = xuiFile(small);
    truncateSync(cut, 30_000);
    expect(await refused(cut)).toMatch(/damaged|cannot be read/);
    const noisy = xuiFile(small);
    const bytes = readFileSync(noisy);
    bytes.fill(0xa5, 4096 * 3 + 8, 4096 * 4);
    writeFileSync(noisy, bytes);
    expect(await refused(noisy)).toMatch(/damaged|cannot be read/);
  });

  it('a file that is too large, before it is read', async () => {
    const file = xuiFile(small);
    truncateSync(file, 1024 ** 3 + 1);
    expect(await refused(file)).toContain('larger than 1 GB');
  });
});

describe('values with another type', () => {
  it('are corrected and reported, each with its row', async () => {
    const file = xuiFile({
      ...small,
      client_traffics: [
        xuiStats(7, 3, 'user1', { up: -5, down: 9_223_372_036_854_775_807n, total: null, expiry_time: 'soon' }),
      ],
      inbounds: [{ ...xuiInbound(3), port: 4_000_000, enable: 'yes', remark: null, listen: 'x'.repeat(70_000) }],
    });
    const { panel } = await read(file);
    expect(panel.stats[0]).toMatchObject({ up: 0, down: 2 ** 52 - 1, total: 0, expiryTime: 0 });
    expect(panel.inbounds[0]).toMatchObject({ port: 65_536, enable: false, remark: '', listen: '' });
    const named = inEnglish(panel.findings).map(({ table, item, reason: why }) => [table, item, why]);
    expect(named).toEqual([
      ['inbounds', 'row 3', 'its enable is "yes", which is not a valid value: false is used'],
      ['inbounds', 'row 3', 'its listen is too long and is left empty'],
      ['inbounds', 'row 3', 'its port is "4000000", which is not a valid value: 65536 is used'],
      ['client_traffics', 'row 7', 'its up is "-5", which is not a valid value: 0 is used'],
      [
        ...['client_traffics', 'row 7'],
        'its down is "9223372036854775807", which is not a valid value: 4503599627370495 is used',
      ],
      ['client_traffics', 'row 7', 'its expiry_time is "soon", which is not a valid value: 0 is used'],
    ]);
  });

  it('may be texts stored as blobs, as database editors do', async () => {
    const stored = { ...small, inbounds: [xuiInbound(3, { remark: 'Žluťoučký', clients: [xuiClient(1)] })] };
    const after = `UPDATE inbounds SET settings = CAST(settings AS BLOB), remark = CAST(remark AS BLOB), port = CAST(port AS BLOB);
      UPDATE settings SET value = CAST(value AS BLOB); UPDATE users SET password = CAST(password AS BLOB);
      UPDATE client_traffics SET enable = CAST('true' AS BLOB)`;
    const [bytes, texts] = [await read(xuiFile({ ...stored, after })), await read(xuiFile(stored))];
    expect(bytes.panel).toEqual(texts.panel);
  });

  it('may be texts or reals in integer columns, and are converted', async () => {
    const file = xuiFile({
      ...small,
      after: `CREATE TABLE odd (id, inbound_id, enable, email, up, down, all_time, expiry_time, total, reset, last_online);
        DROP TABLE client_traffics;
        ALTER TABLE odd RENAME TO client_traffics;
        INSERT INTO client_traffics VALUES ('1', '3', 'TRUE', 'user1', ' 12 ', 7.0, '19.0', 8.9, '', NULL, '5');`,
    });
    const { panel } = await read(file);
    expect(panel.findings).toEqual([]);
    expect(panel.stats).toEqual([
      {
        ...{ id: 1, inboundId: 3, enable: true, email: 'user1', up: 12, down: 7, allTime: 19 },
        ...{ expiryTime: 8, total: 0, reset: 0, lastOnline: 5 },
      },
    ]);
  });
});
