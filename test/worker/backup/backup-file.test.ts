import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createBus } from '../../../src/commands/bus.js';
import { planRollUp } from '../../../src/commands/reactors/traffic/roll-up.js';
import { panelState } from '../../../src/commands/state.js';
import { begin, catchUp } from '../../../src/events/log/replay.js';
import { defaultSettings } from '../../../src/events/settings/settings.js';
import { settings } from '../../../src/projections/models/settings.js';
import { users } from '../../../src/projections/models/users.js';
import { privateCopy } from '../../../src/store/backup-files.js';
import { openJournal } from '../../../src/store/journal.js';
import { verify } from '../../../src/worker/backup-work.js';
import { admin, HOUR, one, userId } from '../../kit/builders.js';
import { busOver, readAll, type TestLog, temporaryFolder } from '../../kit/log.js';
import { makeXui } from '../../kit/xui-database.js';
import { backUp, digestsOf, lived, patch, staging, tamper, tamperEvents } from './kit.js';

const sound = (file: string, own: TestLog, passphrase = '') => verify({ file, passphrase, digests: digestsOf(own) });
const refusal = (file: string, passphrase = ''): string => {
  try {
    verify({ file, passphrase, digests: {} });
    return 'it was taken';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a backup', () => {
  it('contains all events and the key, and replays to the same digests', () => {
    const own = lived();
    const { file, position, sealed } = backUp(own);
    expect(position).toBe(own.log.head().position);
    expect(sealed).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const verified = sound(file, own);
    expect(verified).toMatchObject({ position, events: position, overtaken: false });
    expect(verified.compared).toBe(Object.keys(digestsOf(own)).length);
  });

  it('is not good when a fold of the panel has another digest', () => {
    const own = lived();
    const { file } = backUp(own);
    const digests = { ...digestsOf(own), users: { position: own.log.head().position, digest: 'another' } };
    expect(() => verify({ file, passphrase: '', digests })).toThrow(/^After a replay, its users differs/);
  });

  it('compares each fold at its position, also when events were appended', () => {
    const own = lived();
    const before = digestsOf(own);
    busOver(own.log, own.clock).must({ type: 'ChangeSettings', data: { changes: { subTitle: 'later' } } });
    const { file } = backUp(own);
    const digests = { ...digestsOf(own), settings: before['settings'] ?? { position: 0, digest: '' } };
    expect(verify({ file, passphrase: '', digests }).compared).toBe(Object.keys(digests).length);
  });

  it('does not compare data that was erased in between', () => {
    const own = lived();
    const digests = digestsOf(own);
    busOver(own.log, own.clock).must({ type: 'ChangeSettings', data: { changes: { ldapPassword: 'another' } } });
    expect(verify({ file: backUp(own).file, passphrase: '', digests })).toMatchObject({ overtaken: true, compared: 0 });
  });

  it('contains no erased data', () => {
    const own = lived();
    const bus = busOver(own.log, own.clock);
    const key = 'setting/ldapPassword/1';
    const wrapped = () =>
      new Database(own.directory.database, { readonly: true })
        .prepare<[string], { wrapped: Buffer | null }>('SELECT wrapped FROM keys WHERE id = ?')
        .get(key)?.wrapped;
    const before = wrapped();
    expect(before).toBeInstanceOf(Buffer);
    bus.must({ type: 'ChangeSettings', data: { changes: { ldapPassword: 'another' } } });
    expect(wrapped()).toBeNull();
    expect(readFileSync(backUp(own).file).includes(before ?? '')).toBe(false);
  });

  it('is rejected without its passphrase', () => {
    const own = lived();
    const { file, sealed } = backUp(own, 'sail by the stars');
    expect(sealed).toBe(true);
    const master = Buffer.from(readFileSync(own.directory.masterKey, 'utf8').trim(), 'hex');
    expect(readFileSync(file).includes(master)).toBe(false);
    expect(readFileSync(backUp(own).file).includes(master)).toBe(true);
    expect(refusal(file)).toBe('It is encrypted: its passphrase is needed to read it');
    expect(refusal(file, 'sail by the moon')).toBe('It is encrypted, and the passphrase is wrong');
    expect(sound(file, own, 'sail by the stars')).toMatchObject({ overtaken: false });
  });

  it('is rejected when its key belongs to another log', () => {
    const [mine, other] = [backUp(lived()), backUp(lived())];
    const key = new Database(other.file, { readonly: true })
      .prepare<[], { key: Buffer }>('SELECT key FROM backup')
      .get()?.key;
    tamper(mine.file, (db) => db.prepare('UPDATE backup SET key = ?').run(key));
    expect(refusal(mine.file)).toMatch(/^(It cannot be replayed|The chain of events is broken at position 1)/);
  });
});

describe('a file that is not a valid backup', () => {
  const fresh = (): string => backUp(lived()).file;
  const made = (bytes: Buffer | string): string => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, bytes);
    return file;
  };
  const database = (sql: string): string => {
    const file = join(temporaryFolder(), 'other.db');
    tamper(file, (db) => db.exec(sql));
    return file;
  };
  const changed = (sql: string): string => {
    const file = fresh();
    tamper(file, (db) => db.exec(sql));
    return file;
  };
  const events = (sql: string): string => {
    const file = fresh();
    tamperEvents(file, sql);
    return file;
  };
  const patched = (change: (bytes: Buffer) => Buffer | void): string => {
    const file = fresh();
    patch(file, change);
    return file;
  };

  it.each<[string, () => string, RegExp]>([
    ['empty', () => made(''), /^The file is empty$/],
    [
      'text',
      () => made('not a database, but as long as a header of one would be. '.repeat(3)),
      /^It is not an SQLite database$/,
    ],
    ['only a header', () => made('SQLite format 3\0'), /^It is not an SQLite database$/],
    ['a database without tables', () => database('PRAGMA user_version = 3'), /^It is a database without tables$/],
    [
      'a database of something else',
      () => database('CREATE TABLE songs (a); CREATE TABLE "x""y" (b)'),
      /another program; its tables are "songs", "x\\"y"$/,
    ],
    [
      'a log without its key',
      () => {
        const own = lived();
        own.log.checkpoint();
        const file = join(temporaryFolder(), 'events.db');
        copyFileSync(own.directory.database, file);
        patch(file, (bytes) => void bytes.fill(1, 18, 20));
        return file;
      },
      /^It is a log without its key/,
    ],
    [
      'cut short',
      () => patched((bytes) => bytes.subarray(0, bytes.length - 5000)),
      /^The file is truncated: it should have \d+ bytes and has \d+$/,
    ],
    [
      'claiming four thousand million pages',
      () => patched((bytes) => void bytes.writeUInt32BE(0xffffffff, 28)),
      /^The file is truncated/,
    ],
    [
      'with a broken page',
      () => patched((bytes) => void bytes.fill(0xff, 3 * 4096, 4 * 4096)),
      /^(The database is damaged|The chain of events is broken|It cannot be replayed|It has no)/,
    ],
    [
      'with a trigger more',
      () => changed("CREATE TRIGGER steal AFTER INSERT ON events BEGIN SELECT load_extension('x'); END"),
      /^It contains the trigger "steal", which no backup contains$/,
    ],
    [
      'with a view more',
      () => changed('CREATE VIEW v AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT n FROM c'),
      /^It contains the view "v", which no backup contains$/,
    ],
    [
      'with a table whose name turns the line around',
      () => changed('CREATE TABLE "\u202egnp.\u0007" (a)'),
      /^It contains the table "\\u202egnp\.\\u0007", which no backup contains$/,
    ],
    [
      'with a table more',
      () => changed('CREATE TABLE more (a)'),
      /^It contains the table "more", which no backup contains$/,
    ],
    [
      'with an index more',
      () => changed('CREATE INDEX more ON events (at)'),
      /^It contains the index "more", which no backup contains$/,
    ],
    [
      'with a generated column',
      () => changed('ALTER TABLE keys ADD COLUMN g TEXT GENERATED ALWAYS AS (upper(id)) VIRTUAL'),
      /^Its table "keys" differs from that of a backup$/,
    ],
    ['without a trigger', () => changed('DROP TRIGGER events_keep'), /^It has no trigger events_keep$/],
    [
      'of a newer layout',
      () => changed('PRAGMA user_version = 9'),
      /^It was written by another release \(layout 9; this release supports \d+\)$/,
    ],
    [
      'of a newer format',
      () => changed('UPDATE backup SET format = 2'),
      /^It is a backup of a newer release \(format 2/,
    ],
    [
      'that says twice what it is',
      () => changed('INSERT INTO backup SELECT * FROM backup'),
      /^Its table “backup” must have exactly one row/,
    ],
    [
      'with an unknown wrapping',
      () => changed("UPDATE backup SET sealing = 'scrypt', cost = 1073741824"),
      /^It is encrypted: its passphrase/,
    ],
    [
      'that lost its end',
      () => events('DELETE FROM events WHERE position > 20'),
      /^It should end at position \d+ but ends at 20$/,
    ],
    [
      'with a hole',
      () => events('DELETE FROM events WHERE position = 9'),
      /^The chain of events is broken at position 10: position 9 is missing$/,
    ],
    [
      'with an event that was changed',
      () => events('UPDATE events SET at = at + 1 WHERE position = 7'),
      /^The chain of events is broken at position 7: the hash does not match the previous event/,
    ],
    [
      'with a payload that was changed',
      () => events("UPDATE events SET payload = x'7b7d' WHERE position = 12"),
      /^The chain of events is broken at position 12: the payload does not match its hash/,
    ],
    [
      'with an event of an unknown type',
      () => {
        const own = lived();
        const { file } = backUp(own);
        tamperEvents(file, "UPDATE events SET type = 'ShipSunk' WHERE position = 5");
        return file;
      },
      /^The chain of events is broken at position 5/,
    ],
  ])('is rejected when it is %s', (_, make, why) => {
    expect(refusal(make())).toMatch(why);
  });

  it('is rejected when its key derivation requires too much memory', () => {
    const file = fresh();
    tamper(file, (db) => db.exec("UPDATE backup SET sealing = 'scrypt', cost = 1073741824"));
    expect(refusal(file, 'any')).toBe('Its key is not stored in the format of a backup');
  });

  it('leaves no state in the staged directory', async () => {
    const file = events('DELETE FROM events WHERE position = 9');
    const { directory, done } = staging(file);
    await expect(done).rejects.toThrow(/broken at position 10/);
    expect(existsSync(directory.database)).toBe(false);
    expect(existsSync(file)).toBe(true);
  });
});

describe('the state of a backup', () => {
  it('is rejected before it is read when the disk has too little space', async () => {
    const { file } = backUp(lived());
    truncateSync(file, 2 ** 42);
    const { directory, done } = staging(file);
    await expect(done).rejects.toThrow('The disk has too little free space: importing this file needs 4194368 MB');
    expect(existsSync(directory.database)).toBe(false);
    await expect(privateCopy(file, { root: directory.root })).rejects.toThrow(/^The disk has too little free space/);
    expect(readdirSync(join(directory.root, 'staged'))).toEqual([]);
  });

  it('is rejected likewise for 3x-ui, whose log needs more space', async () => {
    const file = join(temporaryFolder(), 'x-ui.db');
    makeXui(file, { inbounds: [] });
    const { bavail, bsize } = statfsSync(temporaryFolder());
    truncateSync(file, Math.floor((bavail * bsize) / 8));
    await expect(staging(file).done).rejects.toThrow(/^The disk has too little free space: importing this file needs/);
  });

  it('ignores content that the chain does not cover', async () => {
    const own = lived();
    own.clock.advance(48 * HOUR);
    const bus = busOver(own.log, own.clock);
    const plan = planRollUp(own.log, bus.state.rolledTo, own.clock.now(), own.clock.now());
    if (plan === null) throw new Error('there is nothing to roll up');
    const ranges = bus
      .must(plan)
      .flatMap((event) =>
        event.type === 'MeasurementsRolledUp' ? [[event.data.fromPosition, event.data.toPosition]] : [],
      );
    const position = own.log.head().position + 1;
    bus.dispatch(
      { type: 'ChangeSettings', data: { changes: { subTitle: 'Asked once' } } },
      { actor: admin, correlationId: 'asked', commandId: { key: 'asked', fingerprint: 'f' } },
    );
    const { file } = backUp(own);
    tamper(file, (db) =>
      db.exec(`
        INSERT INTO prunable VALUES (1, 99999);
        INSERT INTO commands SELECT 'forged', 'f', 1, 2, at FROM events WHERE position = 1;
        INSERT INTO commands VALUES ('beyond', 'f', 99999, 99998, 1);
        INSERT INTO meta VALUES ('more', 'x');
      `),
    );
    const { directory, done } = staging(file);
    await done;
    const db = new Database(directory.database, { readonly: true });
    const all = (sql: string): unknown[] => db.prepare(sql).raw().all();
    expect(all('SELECT * FROM prunable')).toEqual(ranges);
    const key = own.log.stored.keyring.blind('asked');
    expect(all('SELECT key, first, last FROM commands')).toEqual([[key, position, position]]);
    expect(all('SELECT key FROM meta')).toEqual([['generation']]);
    db.close();
  });

  it.each([
    [
      'a destroyed key of an admin',
      "UPDATE keys SET wrapped = NULL, shredded = 1 WHERE id LIKE 'user:1/%'",
      /key user:1\/\S+ is missing, but no/,
    ],
    [
      'a key to come that is destroyed',
      "INSERT INTO keys VALUES ('client:9/1', NULL, 1, 1)",
      /key client:9\/1 is missing, but no event/,
    ],
    [
      'a key to come that opens nothing',
      "INSERT INTO keys VALUES ('client:9/1', randomblob(60), 1, NULL)",
      /key client:9\/1 was not created by this panel$/,
    ],
  ])('rejects %s', async (_, sql, message) => {
    const { file } = backUp(lived());
    tamper(file, (db) => db.exec(sql));
    const { done } = staging(file);
    await expect(done).rejects.toThrow(message);
  });

  it('becomes another log with the same history, in which all sessions have ended', async () => {
    const own = lived();
    const bus = busOver(own.log, own.clock);
    bus.must({
      type: 'RecordLogin',
      data: {
        user: userId(1),
        session: { idHash: 'a'.repeat(64), csrfToken: 'token', device: 'Firefox' },
        expiresAt: own.clock.now() + 1e9,
      },
    });
    const { file, position } = backUp(own);
    const { directory, done } = staging(file);
    const replacement = await done;
    expect(replacement).toMatchObject({ kind: 'portolan', position: position + 1, kept: [], report: null });
    const { log, complaint } = openJournal(directory);
    expect(complaint).toBeNull();
    expect(log.generation).toBe(replacement.generation);
    expect(log.generation).not.toBe(own.log.generation);
    const events = readAll(log);
    expect(events.slice(0, -1)).toEqual(readAll(own.log));
    expect(events.at(-1)).toMatchObject({
      type: 'StateImported',
      data: {
        source: 'portolan',
        sha256: replacement.sha256,
        origin: { generation: own.log.generation, position },
        keptSettings: [],
      },
      meta: { actor: admin },
    });
    const known = begin(users);
    catchUp(log, [known]);
    expect(known.state.sessions.size).toBe(0);
    expect(known.state.users.size).toBe(1);
    log.close();
    // The key stands in its file and no more in the database.
    const master = Buffer.from(readFileSync(directory.masterKey, 'utf8').trim(), 'hex');
    expect(readFileSync(directory.database).includes(master)).toBe(false);
    expect(statSync(directory.masterKey).mode & 0o777).toBe(0o600);
    expect(existsSync(`${directory.database}-wal`)).toBe(false);
  });

  it('keeps the listen addresses of this machine, and skips missing certificates', async () => {
    const own = lived();
    const bus = busOver(own.log, own.clock);
    bus.must({
      type: 'ChangeSettings',
      data: { changes: { webCertFile: '/nowhere/cert.pem', webKeyFile: '/nowhere/key.pem', subTitle: 'Imported' } },
    });
    const host = { ...defaultSettings, webPort: 5001, webListen: '127.0.0.1', subTitle: 'Here' };
    const { directory, done } = staging(backUp(own).file, { host });
    const { kept } = await done;
    expect(kept.map(({ key }) => key).toSorted()).toEqual(
      ['subPort', 'webCertFile', 'webKeyFile', 'webListen', 'webPort'].toSorted(),
    );
    expect(kept.find(({ key }) => key === 'webCertFile')?.why).toMatchObject({ code: 'backup.keptCertificate' });
    const { log } = openJournal(directory, { readonly: true });
    const known = begin(settings);
    catchUp(log, [known]);
    expect(known.state.values).toMatchObject({
      ...{ webPort: 5001, webListen: '127.0.0.1', subPort: defaultSettings.subPort, subTitle: 'Imported' },
      ...{ webCertFile: '', webKeyFile: '' },
    });
    const [imported, change] = readAll(log).slice(-2);
    expect(change).toMatchObject({ type: 'SettingsChanged', meta: { causationId: imported?.id, actor: admin } });
    log.close();
  });

  it('accepts further commands', async () => {
    const { directory, done } = staging(backUp(lived(), 'sealed').file, { passphrase: 'sealed' });
    await done;
    const { log } = openJournal(directory);
    const state = begin(panelState);
    catchUp(log, [state]);
    const dispatch = createBus({ log, state, now: Date.now, ownPorts: () => [], closed: () => null });
    const context = { actor: admin, correlationId: 'after' };
    expect(
      dispatch({ type: 'DeleteClient', data: { inbound: one, client: { email: 'alice' } } }, context),
    ).toMatchObject({
      events: [{ type: 'ClientDeleted' }],
    });
    log.close();
  });
});
