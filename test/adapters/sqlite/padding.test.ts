import { describe, expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../src/adapters/sqlite/database.js';
import { MeasurementsRolledUp } from '../../../src/events/traffic/traffic.js';
import { verifyLog } from '../../../src/store/verify.js';
import { clientAdded, clientNumber, inboundAdded, T0, traffic } from '../../kit/builders.js';
import { context, openParts, readAll, temporaryFolder } from '../../kit/log.js';

/** A poll of this many clients; the bytes are not compressible. */
function pollOf(clients: number, seed: number) {
  let state = seed;
  const bytes = (): number => (state = (state * 48_271) % 2_147_483_647);
  return traffic({ clients: Array.from({ length: clients }, (_, n) => [clientNumber(n + 1), bytes(), bytes()]) });
}

/** Pages of the table of events: leaf pages and overflow pages. */
function pagesOf(db: SqliteDatabase): { readonly leaf: number; readonly overflow: number } {
  const count = db
    .prepare<[string], number>("SELECT count(*) FROM dbstat WHERE name = 'events' AND pagetype = ?")
    .pluck();
  return { leaf: count.get('leaf') ?? 0, overflow: count.get('overflow') ?? 0 };
}

describe('a measured payload', () => {
  it('is read as it was appended, whatever its size, and keeps the chain', () => {
    const root = temporaryFolder();
    const { db, log } = openParts(root);
    const polls = Array.from({ length: 120 }, (_, n) => pollOf(1 + n * 7, n + 1));
    log.append([inboundAdded(), clientAdded(), ...polls], context());
    expect(readAll(log).slice(2)).toMatchObject(polls);
    expect(verifyLog(log)).toStrictEqual({ events: 122, pruned: 0, fault: null, keys: null });
    db.close();
    const again = openParts(root);
    expect(readAll(again.log).slice(2)).toMatchObject(polls);
    expect(verifyLog(again.log).fault).toBeNull();
  });

  it.each([60, 150, 350, 480])('of %i clients leaves at most a seventh of a page when it is pruned', (clients) => {
    const { db, log } = openParts(temporaryFolder());
    const polls = Array.from({ length: 140 }, (_, n) => pollOf(clients, n + 1));
    log.append([inboundAdded(), clientAdded()], context());
    const before = pagesOf(db);
    for (const poll of polls) log.append([poll], context());
    const last = log.head().position;
    const { root, count } = log.measuredRoot(1, last);
    expect(count).toBe(140);
    const sums = [{ position: last, sum: pollOf(1, 1).data }];
    const span = { fromPosition: 1, toPosition: last, firstAt: T0, lastAt: T0 };
    log.append([MeasurementsRolledUp({ ...span, digest: root, prunedCount: count, sums, nodeSums: [] })], context());
    const after = pagesOf(db);
    expect(after.leaf - before.leaf).toBeLessThanOrEqual(140 / 7);
    expect(after.overflow).toBe(0);
    expect(verifyLog(log)).toStrictEqual({ events: 143, pruned: 140, fault: null, keys: null });
  });
});
