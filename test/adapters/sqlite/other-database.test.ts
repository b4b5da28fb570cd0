import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { prepareDataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { openDatabase } from '../../../src/adapters/sqlite/database.js';
import { LedgerFile } from '../../../src/adapters/sqlite/ledger-file.js';
import { lockDirectory } from '../../../src/adapters/sqlite/lock.js';
import { message } from '../../../src/messages/message.js';
import { openJournal } from '../../../src/store/journal.js';
import { inboundAdded } from '../../kit/builders.js';
import { TestLog, temporaryFolder } from '../../kit/log.js';
import { operatorWarnings } from '../../kit/warnings.js';
import { backUp } from '../../worker/backup/kit.js';

/** A database of another program, with or without a write-ahead log. */
function foreign(file: string, { wal = false, mark = 0 } = {}): Buffer {
  const db = new Database(file);
  if (wal) db.pragma('journal_mode = WAL');
  db.exec(`PRAGMA application_id = ${mark}; CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Anchors')`);
  db.close();
  return readFileSync(file);
}

const fresh = () => prepareDataDirectory(temporaryFolder());

describe('a database of another program in the place of events.db', () => {
  it.each([
    ['with a rollback journal', {}, /its tables are "songs"/],
    ['with a write-ahead log', { wal: true }, /its tables are "songs"/],
    ['with a mark of its own', { mark: 252_006_674 }, /its application_id is 252006674/],
  ])('%s is rejected and not changed', (_, kind, why) => {
    const directory = fresh();
    const before = foreign(directory.database, kind);
    const files = readdirSync(directory.root);
    for (const readonly of [false, true]) {
      expect(() => openJournal(directory, { readonly })).toThrow(why);
      expect(() => openJournal(directory, { readonly })).toThrow(
        /is not a database of this panel.*portolan restore FILE/,
      );
    }
    expect(readFileSync(directory.database).equals(before)).toBe(true);
    expect(readdirSync(directory.root)).toEqual(files);
    expect(existsSync(directory.masterKey)).toBe(false);
  });

  it.each([
    ['a view', 'CREATE VIEW songs AS SELECT 1 AS title', /it has no tables, but it contains view "songs"/],
    ['a user_version', 'PRAGMA user_version = 7', /its user_version is 7, and it has no tables/],
    ['our user_version', 'PRAGMA user_version = 1', /its user_version is 1, and it has no tables/],
    ['a negative user_version', 'PRAGMA user_version = -3', /its user_version is -3/],
    ['an application_id', 'PRAGMA application_id = 5', /its application_id is 5/],
  ])('that has only %s is not considered empty', (_, sql, why) => {
    for (const wal of [false, true]) {
      const directory = fresh();
      const db = new Database(directory.database);
      if (wal) db.pragma('journal_mode = WAL');
      db.exec(sql);
      db.close();
      const before = readFileSync(directory.database);
      const files = readdirSync(directory.root);
      for (const readonly of [false, true]) expect(() => openJournal(directory, { readonly })).toThrow(why);
      expect(readFileSync(directory.database).equals(before)).toBe(true);
      expect(readdirSync(directory.root)).toEqual(files);
    }
  });

  it('is recognized by content in its write-ahead log', () => {
    const elsewhere = join(temporaryFolder(), 'other.db');
    const db = new Database(elsewhere);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA application_id = 5');
    const { database } = fresh();
    for (const end of ['', '-wal']) copyFileSync(elsewhere + end, database + end);
    db.close();
    const before = ['', '-wal'].map((end) => readFileSync(database + end, 'hex'));
    expect(() => openDatabase(database)).toThrow('its application_id is 5');
    expect(['', '-wal'].map((end) => readFileSync(database + end, 'hex'))).toEqual(before);
  });

  it('is rejected and not changed when it is not a database', () => {
    const directory = fresh();
    writeFileSync(directory.database, 'a list of songs\n'.repeat(100));
    expect(() => openJournal(directory)).toThrow('events.db is not a database');
    expect(readFileSync(directory.database, 'utf8')).toMatch(/^a list of songs\n/);
  });

  it('is reported as a backup when it is one', () => {
    const own = new TestLog();
    own.append(inboundAdded());
    const { file } = backUp(own);
    own.log.close();
    copyFileSync(file, own.directory.database);
    expect(() => own.reopen()).toThrow(/events\.db is a backup\. Move it away, then restore it/);
  });
});

describe('a link in the place of a file of the panel', () => {
  it.each(['', '-wal', '-shm', '-journal'])('is not followed: events.db%s', (end) => {
    const directory = fresh();
    const elsewhere = join(temporaryFolder(), 'target');
    writeFileSync(elsewhere, '');
    symlinkSync(elsewhere, directory.database + end);
    for (const readonly of [false, true])
      expect(() => openJournal(directory, { readonly })).toThrow(`${directory.database}${end} is a symbolic link`);
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
  });

  it('is not followed when its target does not exist', () => {
    const directory = fresh();
    const elsewhere = join(temporaryFolder(), 'target');
    symlinkSync(elsewhere, directory.database);
    expect(() => openJournal(directory)).toThrow('is a symbolic link');
    expect(existsSync(elsewhere)).toBe(false);
  });

  it('is not followed when its target is a log of the panel', () => {
    const own = new TestLog();
    own.append(inboundAdded());
    own.log.close();
    renameSync(own.directory.database, `${own.directory.database}.moved`);
    symlinkSync(`${own.directory.database}.moved`, own.directory.database);
    expect(() => own.reopen()).toThrow('is a symbolic link');
  });

  it('is not followed for the master key and the lock', () => {
    const own = new TestLog();
    own.log.close();
    const { masterKey, lock, database } = own.directory;
    renameSync(masterKey, `${masterKey}.moved`);
    symlinkSync(`${masterKey}.moved`, masterKey);
    expect(() => own.reopen()).toThrow(/master\.key is a symbolic link/);
    symlinkSync(database, lock);
    const before = readFileSync(database);
    expect(() => lockDirectory(lock)).toThrow('is a symbolic link');
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it('is not followed for the folder of snapshots, whose files are deleted at times', async () => {
    const warnings = operatorWarnings();
    const own = new TestLog();
    own.append(inboundAdded());
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, 'letter.txt'), 'dear');
    symlinkSync(elsewhere, own.directory.snapshots);
    const { snapshots } = own.reopen();
    await snapshots.save('all', 1, 1, {});
    expect(snapshots.load('all', 1)).toBeNull();
    snapshots.clear();
    expect(readdirSync(elsewhere)).toEqual(['letter.txt']);
    expect(warnings).toStrictEqual([message('storage.snapshotsOff', { folder: own.directory.snapshots })]);
  });
});

describe('a database of another program in the place of a file that can be recreated', () => {
  it('is renamed and kept unchanged in the case of the ledger', () => {
    const warnings = operatorWarnings();
    const { log } = new TestLog();
    const file = join(temporaryFolder(), 'ledger.db');
    const before = foreign(file);
    new LedgerFile(file, log, 'UTC').close();
    expect(readFileSync(`${file}.not-ours`).equals(before)).toBe(true);
    expect(warnings).toStrictEqual([message('storage.ledgerMovedAside', { file, aside: `${file}.not-ours` })]);
    foreign(`${file}.second`);
    renameSync(`${file}.second`, file);
    expect(() => new LedgerFile(file, log, 'UTC')).toThrow('is not a database of this panel');
    expect(readFileSync(`${file}.not-ours`).equals(before)).toBe(true);
  });

  it('is rejected and not changed in the case of the lock', () => {
    const file = join(temporaryFolder(), 'lock.db');
    const before = foreign(file);
    expect(() => lockDirectory(file)).toThrow('is not a database of this panel');
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('a log of an earlier release', () => {
  it('is recognized by its tables, also in its write-ahead log, and is marked', () => {
    const own = new TestLog();
    own.append(inboundAdded());
    own.log.close();
    const { database, root } = own.directory;
    const db = new Database(database);
    db.exec('PRAGMA application_id = 0; DROP INDEX pruned');
    const copy = join(root, 'copy.db');
    // As a panel leaves it that is killed: the newest pages are only in the write-ahead log.
    for (const end of ['', '-wal']) copyFileSync(database + end, copy + end);
    db.close();
    for (const file of [database, copy]) {
      openDatabase(file, { readonly: true }).close();
      expect(openDatabase(file).pragma('application_id', { simple: true })).toBe(0x504f_4c47);
    }
    expect(own.reopen().complaint).toBeNull();
    expect(own.all()).toHaveLength(1);
  });

  it('is created again when it has no tables yet', () => {
    const directory = fresh();
    const db = new Database(directory.database);
    db.pragma('journal_mode = WAL');
    db.close();
    expect(openJournal(directory).complaint).toBeNull();
    const empty = fresh();
    writeFileSync(empty.database, '');
    expect(openJournal(empty).complaint).toBeNull();
    expect(lstatSync(empty.database).size).toBeGreaterThan(0);
  });

  it('is not accepted when it is a folder', () => {
    const directory = fresh();
    mkdirSync(directory.database);
    expect(() => openJournal(directory)).toThrow('is not a file');
  });
});
