import { closeSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { lockDirectory } from '../../../src/adapters/sqlite/lock.js';
import { Rejection } from '../../../src/commands/rejection.js';
import { panelState } from '../../../src/commands/state.js';
import { stateDigest } from '../../../src/events/log/fold.js';
import { StorageError } from '../../../src/events/log/log.js';
import { admin, alice, bob, draft, inboundDraft, one, userId } from '../../kit/builders.js';
import { busOver, openParts, readAll, TestLog, temporaryFolder } from '../../kit/log.js';

const addInbound = { type: 'AddInbound', data: { owner: userId(1), ...inboundDraft() } } as const;
const add = (...clients: readonly (typeof alice)[]) =>
  ({ type: 'AddClients', data: { inbound: one, clients } }) as const;
const context = { actor: admin, correlationId: 'test' };

describe('a connection', () => {
  it('is durable to the last commit', () => {
    const root = temporaryFolder();
    for (const _ of [1, 2]) {
      const { db } = openParts(root);
      expect(db.pragma('synchronous', { simple: true })).toBe(2);
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.pragma('secure_delete', { simple: true })).toBe(1);
      db.close();
    }
  });

  it('blocks the event loop for at most 50 ms while another process holds the lock', () => {
    const { db } = openParts(temporaryFolder());
    expect(db.pragma('busy_timeout', { simple: true })).toBe(50);
  });

  it('has a version of SQLite without the write-ahead log reset bug', () => {
    const { db } = openParts(temporaryFolder());
    const version = db.prepare('SELECT sqlite_version()').pluck().get() as string;
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
  });
});

describe('a database that another program has locked', () => {
  it('rejects a command, changes nothing, and accepts it afterwards', () => {
    const journal = new TestLog();
    const { dispatch, must, state } = busOver(journal.log);
    must(addInbound);
    const before = stateDigest(panelState, state);
    const other = new Database(journal.directory.database);
    other.exec('BEGIN IMMEDIATE');
    expect(dispatch(add(alice), context)).toMatchObject({ code: 'STORAGE_BUSY' });
    expect(stateDigest(panelState, state)).toBe(before);
    expect(readAll(journal.log)).toHaveLength(1);
    other.exec('ROLLBACK');
    other.close();
    expect(must(add(alice))).toHaveLength(1);
    expect(journal.log.head().position).toBe(2);
  });
});

describe('a full disk', () => {
  it('rejects a whole command, keeps serving reads, and continues when there is space', () => {
    const { db, log } = openParts(temporaryFolder());
    const { dispatch, must, state } = busOver(log);
    must(addInbound);
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 4}`);
    let n = 0;
    const many = () => add(...Array.from({ length: 20 }, () => draft(`client-${(n += 1)}`, n)));
    let refused: unknown;
    for (let tries = 0; tries < 50 && !(refused instanceof Rejection); tries += 1) refused = dispatch(many(), context);
    expect(refused).toMatchObject({ code: 'STORAGE_FULL' });
    const { position } = log.head();
    expect(position % 20).toBe(1); // all of a command or nothing
    expect(state.clients.size).toBe(position - 1);
    expect(readAll(log)).toHaveLength(position);
    expect(dispatch(many(), context)).toMatchObject({ code: 'STORAGE_FULL' });
    db.pragma(`max_page_count = ${pages + 10_000}`);
    expect(must(many())).toHaveLength(20);
    expect(readAll(log).map((event) => event.position)).toStrictEqual(
      Array.from({ length: position + 20 }, (_, i) => i + 1),
    );
  });
});

describe('a file that cannot be written', () => {
  it('can be read, and every command is rejected', () => {
    const root = temporaryFolder();
    const first = openParts(root);
    busOver(first.log).must(addInbound);
    const { log } = openParts(root, { readonly: true });
    const { dispatch, state } = busOver(log);
    expect(state.inbounds.size).toBe(1);
    expect(dispatch(add(alice), context)).toMatchObject({ code: 'STORAGE_READ_ONLY' });
    expect(readAll(log)).toHaveLength(1);
    first.db.close();
  });
});

describe('a damaged database file', () => {
  it('is rejected with an error, whichever page is damaged', () => {
    const root = temporaryFolder();
    const { db, log } = openParts(root);
    const { must } = busOver(log);
    must(addInbound);
    for (let n = 1; n <= 40; n += 1) must(add(draft(`client-${n}`, n)));
    const file = db.name;
    const pages = db.pragma('page_count', { simple: true }) as number;
    const roots = db
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name IN ('events', 'keys')")
      .pluck()
      .all() as number[];
    db.close();
    expect(pages).toBeGreaterThan(Math.max(...roots));
    for (const page of roots) {
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.from([0xff]), 0, 1, (page - 1) * 4096);
      closeSync(handle);
      expect(() => {
        const damaged = openParts(root);
        readAll(damaged.log);
      }).toThrow();
    }
  });

  it('is not recognized as a database when its header is overwritten', () => {
    const root = temporaryFolder();
    const { db } = openParts(root);
    const file = db.name;
    db.close();
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.from('not a database'), 0, 14, 0);
    closeSync(handle);
    expect(() => openParts(root)).toThrow(StorageError);
  });
});

describe('an idempotency key', () => {
  const commandId = (key: string, fingerprint: string) => ({ ...context, commandId: { key, fingerprint } });

  it('has one effect and the same result, also after a restart', () => {
    const journal = new TestLog();
    busOver(journal.log).must(addInbound);
    const first = busOver(journal.log).dispatch(add(alice, bob), commandId('k', 'f'));
    expect(first).toMatchObject({ events: [{ position: 2 }, { position: 3 }] });
    for (const _ of [1, 2]) {
      expect(busOver(journal.log).dispatch(add(alice, bob), commandId('k', 'f'))).toStrictEqual(first);
      journal.reopen();
    }
    expect(journal.log.head().position).toBe(3);
  });

  it('is rejected for another request', () => {
    const journal = new TestLog();
    const { dispatch, must } = busOver(journal.log);
    must(addInbound);
    dispatch(add(alice), commandId('k', 'f'));
    expect(dispatch(add(bob), commandId('k', 'g'))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(dispatch(add(bob), commandId('l', 'g'))).toMatchObject({ events: [{ position: 3 }] });
  });

  it('can be used again when its command was rejected', () => {
    const journal = new TestLog();
    const { dispatch, must } = busOver(journal.log);
    expect(dispatch(add(alice), commandId('k', 'f'))).toMatchObject({ code: 'INBOUND_NOT_FOUND' });
    must(addInbound);
    expect(dispatch(add(alice), commandId('k', 'f'))).toMatchObject({ events: [{ position: 2 }] });
  });
});

describe('the lock of a data directory', () => {
  it('is held by one panel and released when it ends', () => {
    const { directory } = new TestLog();
    const first = lockDirectory(directory.lock);
    expect(() => lockDirectory(directory.lock)).toThrow(/another portolan process .*uses this data directory/);
    first.release();
    lockDirectory(directory.lock).release();
  });
});
