import { assert as check, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogDamage } from '../../../src/adapters/sqlite/codec.js';
import { MeasurementsRolledUp } from '../../../src/events/traffic/traffic.js';
import { clientAdded, first, inboundAdded, T0, traffic } from '../../kit/builders.js';
import { openParts, TestLog, temporaryFolder } from '../../kit/log.js';
import { beside, chainBreak, tamper } from './raw.js';

const used = (bytes: number) => traffic({ clients: [[first, bytes, 0]] });
const rollUp = (from: number, to: number, at: number, bytes: number) =>
  MeasurementsRolledUp({
    fromPosition: from,
    toPosition: to,
    firstAt: T0,
    lastAt: T0,
    digest: 'ab',
    prunedCount: 2,
    sums: [{ position: at, sum: used(bytes).data }],
    nodeSums: [],
  });

describe('the table of events', () => {
  const filled = (): TestLog => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2));
    return journal;
  };
  const refuses = (sql: string, message: string): void => {
    const { directory } = filled();
    expect(() => beside(directory.database, (db) => db.exec(sql)), sql).toThrow(message);
  };

  it('rejects deletions', () => {
    refuses('DELETE FROM events', 'events are never deleted');
    refuses('DELETE FROM events WHERE position = 4', 'events are never deleted');
  });

  it('rejects changes', () => {
    const columns = [
      'position',
      'stream',
      'version',
      'id',
      'type',
      'schema',
      'at',
      'meta',
      'measured',
      'encoding',
      'payload',
      'payload_hash',
      'hash',
    ];
    const { directory } = filled();
    beside(directory.database, (db) => {
      expect(db.pragma('table_info(events)')).toHaveLength(columns.length);
      for (const column of columns) {
        const value = ['stream', 'type', 'meta'].includes(column)
          ? "'x'"
          : /id|payload|hash/.test(column)
            ? "x'00'"
            : '99';
        expect(() => db.exec(`UPDATE events SET ${column} = ${value} WHERE position = 3`), column).toThrow(
          'events are never changed',
        );
      }
    });
  });

  it('rejects the replacement of an event', () => {
    const { directory } = filled();
    const insert = (version: number) =>
      `INSERT OR REPLACE INTO events SELECT 5, stream, ${version}, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash FROM events WHERE position = 1`;
    expect(() => beside(directory.database, (db) => db.exec(insert(1).replace('INSERT OR REPLACE', 'INSERT')))).toThrow(
      'UNIQUE constraint failed: events.stream, events.version',
    );
    expect(() => beside(directory.database, (db) => db.exec('PRAGMA recursive_triggers = ON; ' + insert(1)))).toThrow(
      'events are never deleted',
    );
  });

  it('rejects the removal of a measured payload that no roll-up covers', () => {
    refuses('UPDATE events SET payload = NULL WHERE position = 3', 'events are never changed');
  });

  it('rejects the removal of another payload in the range of a roll-up', () => {
    const journal = filled();
    journal.append(rollUp(1, 4, 4, 3));
    beside(journal.directory.database, (db) => {
      expect(() => db.exec('UPDATE events SET payload = NULL WHERE position = 2')).toThrow('events are never changed');
      expect(() => db.exec("UPDATE events SET payload = x'00' WHERE position = 3")).toThrow('events are never changed');
    });
  });
});

describe('a roll-up', () => {
  it('removes only the measured payloads of its range and keeps the chain', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2), used(4));
    const { root, count } = journal.log.measuredRoot(1, 4);
    expect(count).toBe(2);
    journal.append(rollUp(1, 4, 4, 3));
    const rows = journal.log.stored.rows(0, 10);
    expect(rows.map(({ payload }) => payload === null)).toStrictEqual([false, false, true, true, false, false]);
    expect(chainBreak(rows)).toBeNull();
    expect(journal.log.measuredRoot(1, 4)).toStrictEqual({ root, count: 2 });
    expect([2, 3, 4, 5].map((position) => journal.log.stored.coversPruned(position))).toStrictEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('returns its sum in place of the removed payloads, also after a restart', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2), rollUp(1, 4, 4, 3));
    for (const _ of [1, 2]) {
      expect(journal.all().map(({ position, type }) => [position, type])).toStrictEqual([
        [1, 'InboundAdded'],
        [2, 'ClientAdded'],
        [4, 'TrafficRecorded'],
        [5, 'MeasurementsRolledUp'],
      ]);
      expect(journal.all()[2]?.data).toStrictEqual(used(3).data);
      journal.reopen();
    }
  });

  it('does not end a read whose page has only removed payloads', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), ...Array.from({ length: 20 }, () => used(1)));
    journal.append(rollUp(1, 22, 22, 20));
    expect(journal.log.read(2, 5).map(({ position }) => position)).toStrictEqual([22]);
    expect(journal.log.read(22, 5).map(({ position }) => position)).toStrictEqual([23]);
    expect(journal.log.read(23, 5)).toStrictEqual([]);
  });

  it('is found by a reader that was opened before it', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2));
    const reader = new TestLog(journal.directory.root);
    journal.append(rollUp(1, 4, 4, 3));
    expect(reader.all()).toStrictEqual(journal.all());
  });

  it('that was rolled back has no effect', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2));
    expect(() => journal.append(rollUp(1, 3, 3, 99), { type: 'Unheard', data: {} } as never)).toThrow();
    expect(journal.log.stored.coversPruned(3)).toBe(false);
    expect(journal.all()[2]?.data).toStrictEqual(used(1).data);
    journal.append(rollUp(1, 4, 4, 3));
    expect(journal.all()[2]?.data).toStrictEqual(used(3).data);
  });

  it('that is missing is detected', () => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded(), used(1), used(2));
    tamper(journal.directory.database, (db) => db.exec('UPDATE events SET payload = NULL WHERE position = 3'));
    journal.reopen();
    expect(() => journal.all()).toThrow('position 3: its payload is missing, and no roll-up accounts for it');
  });
});

describe('content that this release does not know', () => {
  const withRow = (type: string, schema: number): TestLog => {
    const journal = new TestLog();
    journal.append(inboundAdded(), clientAdded());
    tamper(journal.directory.database, (db) =>
      db.prepare(`UPDATE events SET type = ?, schema = ? WHERE position = 2`).run(type, schema),
    );
    journal.reopen();
    return journal;
  };

  it('ends the read: an event type', () => {
    const journal = withRow('ClientTeleported', 1);
    expect(() => journal.all()).toThrow(LogDamage);
    expect(() => journal.all()).toThrow(
      'position 2: event type ClientTeleported is unknown: the log was written by a newer release',
    );
  });

  it('ends the read: a newer schema', () => {
    expect(() => withRow('ClientAdded', 2).all()).toThrow(
      'position 2: ClientAdded has schema version 2; this release supports 1',
    );
  });

  it('fails the opening: a newer layout', () => {
    const journal = new TestLog();
    beside(journal.directory.database, (db) => db.pragma('user_version = 2'));
    expect(() => journal.reopen()).toThrow(
      'the database was written by a newer release (layout 2; this release supports 1)',
    );
  });
});

describe('the chain', () => {
  it('detects every change of a row', () => {
    const { log, db } = openParts(temporaryFolder());
    log.append([inboundAdded(), clientAdded(), used(1), used(2)], {
      at: T0,
      actor: { kind: 'system', id: 'x', name: 'x', ip: null },
      correlationId: 'c',
    });
    const rows = log.stored.rows(0, 10);
    db.close();
    expect(chainBreak(rows)).toBeNull();
    const changes = {
      stream: 'x',
      version: 9,
      id: Buffer.alloc(16),
      type: 'InboundDeleted',
      schema: 99,
      at: 1,
      meta: '{}',
      encoding: 1,
      payload: Buffer.from('{}'),
      payload_hash: Buffer.alloc(32),
      hash: Buffer.alloc(32),
    };
    check(
      property(tuple(integer({ min: 0, max: 3 }), constantFrom(...Object.entries(changes))), ([i, [column, value]]) => {
        const changed = rows.map((row, j) => (i === j ? { ...row, [column]: value } : row));
        expect(chainBreak(changed)).toBe(i + 1);
      }),
    );
    expect(chainBreak(rows.filter((_, i) => i !== 1))).toBe(2);
  });
});
