import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { chainHash, type EventRow, payloadHash } from '../../src/adapters/sqlite/codec.js';
import { planRollUp } from '../../src/commands/reactors/traffic/roll-up.js';
import { ClientUpdated } from '../../src/events/client/client.js';
import { message, verbatim } from '../../src/messages/message.js';
import { render } from '../../src/messages/render.js';
import { type Verdict, verifyLog } from '../../src/store/verify.js';
import { verify as verifyBackup } from '../../src/worker/backup-work.js';
import { tamper } from '../adapters/sqlite/raw.js';
import { clientAdded, first, HOUR, inboundAdded, traffic } from '../kit/builders.js';
import { busOver, TestLog } from '../kit/log.js';
import { backUp, staging, tamperEvents } from '../worker/backup/kit.js';

const used = (bytes: number) => traffic({ clients: [[first, bytes, bytes]] });
const renewed = ClientUpdated({ client: first, changes: { capBytes: 1000 } });

/** 1 inbound, 2 client, 3-4 traffic, 5 ClientUpdated, 6 traffic, 7 roll-up of 1 to 6, 8 traffic, 9 ClientUpdated. */
const KEPT = 5;
const PRUNED = 6;
const ROLL_UP = 7;
const YOUNG = 8;
const HEAD = 9;

async function rolledUp(): Promise<TestLog> {
  const own = new TestLog();
  own.append(inboundAdded(), clientAdded(), used(1), used(2), renewed, used(4));
  const { must } = busOver(own.log, own.clock);
  own.clock.advance(HOUR);
  const now = own.clock.now();
  must(planRollUp(own.log, 0, now, now) ?? expect.fail('there is nothing to roll up'));
  own.append(used(8), renewed);
  await own.journal.anchor.flush();
  return own;
}

/** Computes the chain of all rows again, as an attacker who knows its format would. */
function chainAnew(db: Database.Database): void {
  let before: Buffer = Buffer.alloc(32);
  for (const row of db.prepare<[], EventRow>('SELECT * FROM events ORDER BY position').all()) {
    const sealed = { ...row, payload_hash: row.payload === null ? row.payload_hash : payloadHash(row.payload) };
    before = chainHash(before, sealed);
    db.prepare('UPDATE events SET payload_hash = ?, hash = ? WHERE position = ?').run(
      sealed.payload_hash,
      before,
      row.position,
    );
  }
}

const blank = (position: number) => `UPDATE events SET payload = NULL WHERE position = ${position}`;
const forged = (from: number, to: number) => `
  INSERT INTO events SELECT 10, stream, 2, id, type, schema, at, meta, measured, encoding,
    CAST(json_set(CAST(payload AS TEXT), '$.fromPosition', ${from}, '$.toPosition', ${to}, '$.prunedCount', 1, '$.sums', json('[]')) AS BLOB), payload_hash, zeroblob(32)
  FROM events WHERE position = ${ROLL_UP}`;

interface Attack {
  readonly name: string;
  readonly sql: string;
  /** The chain is computed again after the change. */
  readonly chained?: true;
  readonly position: number;
  readonly what: RegExp;
  /** The error of a start, which does not read the whole log; undefined: it cannot detect it. */
  readonly start?: RegExp;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'the payload of a kept event inside a rolled-up range is erased',
    sql: blank(KEPT),
    position: KEPT,
    what: /^its payload is missing, and a ClientUpdated is never rolled up$/,
    start: /position 5: its payload is missing, and a ClientUpdated is never rolled up/,
  },
  {
    name: 'the payload of a measurement outside of every range is erased',
    sql: blank(YOUNG),
    position: YOUNG,
    what: /^its payload is missing, and no roll-up accounts for it$/,
    start: /position 8: its payload is missing, and no roll-up accounts for it/,
  },
  {
    name: 'a roll-up without a place in the chain is put at the end for what was erased',
    sql: `${blank(YOUNG)}; ${forged(8, 9)}`,
    position: 10,
    what: /^the hash does not match the previous event/,
    start: /position 10: the hash does not match the previous event/,
  },
  {
    name: 'a roll-up is made for what was erased, and it tells another number of measurements',
    sql: `${blank(YOUNG)}; ${forged(8, 9).replace("'$.prunedCount', 1", "'$.prunedCount', 2")}`,
    chained: true,
    position: 10,
    what: /^it replaces 2 measurements, but its range contains 1$/,
  },
  {
    name: 'a roll-up is made for what was erased, of other measurements',
    sql: `${blank(YOUNG)}; ${forged(8, 9)}`,
    chained: true,
    position: 10,
    what: /^the measurements in its range are not those that it summed up$/,
  },
  {
    name: 'a roll-up is made whose range overlaps the one before',
    sql: `${blank(YOUNG)}; ${forged(1, 9)}`,
    chained: true,
    position: 10,
    what: /^its range starts at 1, but the previous range ends at 6$/,
  },
  {
    name: 'an administrative event is marked as a measurement and erased',
    sql: `UPDATE events SET type = 'TrafficRecorded', measured = 1, payload = NULL WHERE position = ${KEPT}`,
    position: KEPT,
    what: /^the hash does not match the previous event/,
  },
  {
    name: 'an administrative event is marked as a measurement and erased, and the chain is computed again',
    sql: `UPDATE events SET type = 'TrafficRecorded', measured = 1, payload = NULL WHERE position = ${KEPT}`,
    chained: true,
    position: ROLL_UP,
    what: /^it replaces 3 measurements, but its range contains 4$/,
  },
  {
    name: 'a kept event is marked as measured, for the next roll-up to erase it',
    sql: 'UPDATE events SET measured = 1 WHERE position = 9',
    position: 9,
    what: /^it is marked as measured, but a ClientUpdated is not a measurement$/,
  },
  {
    name: 'the range of a roll-up is extended',
    sql: `UPDATE events SET payload = CAST(json_set(CAST(payload AS TEXT), '$.toPosition', 8) AS BLOB) WHERE position = ${ROLL_UP}; ${blank(YOUNG)}`,
    position: ROLL_UP,
    what: /^the payload does not match its hash$/,
    start: /position 7: the payload does not match its hash/,
  },
  {
    name: 'the range of a roll-up is extended, and the chain is computed again',
    sql: `UPDATE events SET payload = CAST(json_set(CAST(payload AS TEXT), '$.toPosition', 8) AS BLOB) WHERE position = ${ROLL_UP}; ${blank(YOUNG)}`,
    chained: true,
    position: ROLL_UP,
    what: /^its range, from 1 to 8, does not end before its own position$/,
  },
  {
    name: 'a sum is moved to where no traffic was recorded',
    sql: `UPDATE events SET payload = CAST(json_set(CAST(payload AS TEXT), '$.sums[0].position', ${KEPT}) AS BLOB) WHERE position = ${ROLL_UP}`,
    chained: true,
    position: ROLL_UP,
    what: /^it has a sum at 5, where the log has no TrafficRecorded$/,
  },
];

describe('a log whose history was modified', () => {
  it.each(ATTACKS)('is rejected: $name', async ({ sql, chained, position, what, start }) => {
    const own = await rolledUp();
    const { file } = backUp(own);
    own.log.close();
    tamper(own.directory.database, (db) => {
      db.exec(sql);
      if (chained) chainAnew(db);
    });
    const { log, complaint } = own.reopen();
    const { fault } = verifyLog(log);
    expect(fault?.position).toBe(position);
    expect(render(fault?.what ?? verbatim(''), 'en')).toMatch(what);
    // A chain that was computed again does not contain the head in the anchor, unless only later events were changed.
    if (chained) expect(complaint === null).toBe(position > HEAD);
    else if (start) expect(render(complaint ?? verbatim(''), 'en')).toMatch(start);

    tamperEvents(file, sql);
    if (chained) return;
    const refused = new RegExp(
      `^(The chain of events is broken at position ${position}: |It should end at position 9)`,
    );
    expect(() => verifyBackup({ file, passphrase: '', digests: {} })).toThrow(refused);
    await expect(staging(file).done).rejects.toThrow(refused);
  });

  it('is rejected when the payload of a rolled-up measurement was restored, which would count twice', async () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded(), used(1), used(2), renewed, used(4));
    const payload = own.log.stored.rows(PRUNED - 1, 1)[0]?.payload;
    const { must } = busOver(own.log, own.clock);
    own.clock.advance(HOUR);
    must(planRollUp(own.log, 0, own.clock.now(), own.clock.now()) ?? expect.fail('there is nothing to roll up'));
    expect(verifyLog(own.log)).toEqual<Verdict>({ events: 7, pruned: 3, fault: null, keys: null });
    tamper(own.directory.database, (db) =>
      db.prepare('UPDATE events SET payload = ? WHERE position = ?').run(payload, PRUNED),
    );
    expect(verifyLog(own.log).fault).toEqual({
      position: ROLL_UP,
      what: message('storage.rollUpUnpruned', { position: PRUNED }),
    });
  });

  it('keeps the payload of an administrative event that is marked as measured', () => {
    const own = new TestLog();
    own.append(inboundAdded(), clientAdded(), used(1), renewed);
    tamper(own.directory.database, (db) => db.exec('UPDATE events SET measured = 1 WHERE position = 4'));
    const { must } = busOver(own.log, own.clock);
    own.clock.advance(HOUR);
    must(planRollUp(own.log, 0, own.clock.now(), own.clock.now()) ?? expect.fail('there is nothing to roll up'));
    expect(own.log.stored.rows(0, 4).map(({ payload }) => payload === null)).toEqual([false, false, true, false]);
  });

  it('is not backed up', async () => {
    const own = await rolledUp();
    tamper(own.directory.database, (db) => db.exec(blank(KEPT)));
    expect(() => backUp(own)).toThrow(
      'The log is damaged at position 5: its payload is missing, and a ClientUpdated is never rolled up. Run portolan events verify',
    );
  });

  it('is read only up to the damage by every reader', async () => {
    const own = await rolledUp();
    tamper(own.directory.database, (db) => db.exec(blank(KEPT)));
    expect(() => own.all()).toThrow('position 5: its payload is missing, and a ClientUpdated is never rolled up');
    expect(() => own.log.readStream('client-1')).toThrow('position 5');
    expect(() => own.log.at(KEPT)).toThrow('position 5');
  });

  it('has no problems at a start and in a verification when it is valid', async () => {
    const own = await rolledUp();
    expect(verifyLog(own.log)).toEqual<Verdict>({ events: 9, pruned: 3, fault: null, keys: null });
    expect(own.reopen().complaint).toBeNull();
  });
});
