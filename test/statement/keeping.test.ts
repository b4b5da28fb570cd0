import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LedgerFile } from '../../src/adapters/sqlite/ledger-file.js';
import { planRollUp } from '../../src/commands/reactors/roll-up.js';
import { SettingsChanged } from '../../src/events/settings.js';
import { keepLedger } from '../../src/ledger.js';
import { dayText } from '../../src/lib/days.js';
import type { Ledger } from '../../src/projections/ledger.js';
import { ReadModels } from '../../src/projections/read-models.js';
import { clientAdded, draft, first, HOUR, inboundAdded, second, traffic } from '../kit/builders.js';
import { busOver, TestLog, temporaryFolder } from '../kit/log.js';

const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
const used = (up: number, down: number) => traffic({ clients: [[first, up, down]] });

/** What a ledger has of the first client: bytes by day. */
const flowsIn = (ledger: Pick<Ledger, 'flowsOf'> | null): readonly [string, number, number][] => {
  const sums = new Map<string, [number, number]>();
  for (const { day, up, down } of ledger?.flowsOf(first) ?? []) {
    const [upBefore, downBefore] = sums.get(dayText(day)) ?? [0, 0];
    sums.set(dayText(day), [upBefore + up, downBefore + down]);
  }
  return [...sums].map(([day, [up, down]]) => [day, up, down]);
};

function kept(journal: TestLog) {
  const read = new ReadModels(journal.log);
  const said: string[] = [];
  const warn = (message: string): void => void said.push(message);
  const keeping = keepLedger({ log: journal.log, read, directory: journal.directory, warn });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await keeping.close();
    open = false;
  };
  onTestFinished(close);
  return { ...keeping, close, said, file: join(journal.directory.run, 'ledger.db') };
}

function history() {
  const journal = new TestLog();
  journal.append(utc, inboundAdded(), clientAdded(), used(1, 2)); // 22:13
  journal.clock.advance(2 * HOUR);
  journal.append(used(10, 20)); // 00:13
  return journal;
}

describe('the keeping of the ledger', () => {
  it('reads what was there before, follows, and has it after a new start', async () => {
    const journal = history();
    const before = kept(journal);
    journal.append(used(5, 5));
    expect(flowsIn(await before.ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 15, 25],
    ]);
    await before.close();
    const file = new LedgerFile(before.file, journal.log, 'UTC');
    expect(file.position).toBe(journal.log.head().position);
    expect(file.entriesOf(first)).toMatchObject([{ kind: 'added', position: 3, other: 1 }]);
    file.close();
    const after = kept(journal);
    journal.append(used(0, 1));
    expect(flowsIn(await after.ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 15, 26],
    ]);
    expect(after.said).toStrictEqual([]);
  });

  it('goes by the clocks of another zone as soon as that is set', async () => {
    const journal = history();
    const keeping = kept(journal);
    await keeping.ready();
    journal.append(SettingsChanged({ changes: { timeLocation: 'Asia/Tehran' } }));
    journal.append(used(5, 5));
    // 22:13 UTC is the next day there.
    expect(flowsIn(await keeping.ready())).toStrictEqual([['2023-11-15', 16, 27]]);
  });

  it('is made anew where it stands inside of what was rolled up since', async () => {
    const journal = history();
    journal.append(used(3, 4));
    const file = new LedgerFile(join(journal.directory.run, 'ledger.db'), journal.log, 'UTC');
    file.write(5, [{ client: first, day: 1, node: 0, position: 5, up: 99, down: 99 }], []);
    file.close();
    const rollUp = planRollUp(journal.log, 0, journal.clock.now() + 1);
    if (!rollUp) expect.fail('there is nothing to roll up');
    busOver(journal.log, journal.clock).must(rollUp);
    expect(flowsIn(await kept(journal).ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 13, 24],
    ]);
  });

  it('begins anew when a roll-up overtakes the reading', async () => {
    const journal = history();
    journal.append(...Array.from({ length: 300 }, () => used(1, 1)));
    // The first page is read, and the loop has not turned yet.
    const keeping = kept(journal);
    const rollUp = planRollUp(journal.log, 0, journal.clock.now() + 1);
    if (!rollUp) expect.fail('there is nothing to roll up');
    busOver(journal.log, journal.clock).must(rollUp);
    expect(flowsIn(await keeping.ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 310, 320],
    ]);
  });

  it.each([
    ['of another log', 'other log'],
    ['of another zone', 'Asia/Tehran'],
  ])('takes no file %s', async (_, which) => {
    const journal = history();
    const other = which === 'other log' ? new TestLog(temporaryFolder()) : journal;
    if (other !== journal) other.append(utc, inboundAdded(), clientAdded());
    const path = join(journal.directory.run, 'ledger.db');
    const file = new LedgerFile(path, other.log, other === journal ? which : 'UTC');
    file.write(3, [{ client: first, day: 1, node: 0, position: 3, up: 99, down: 99 }], []);
    file.close();
    expect(flowsIn(await kept(journal).ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 10, 20],
    ]);
  });

  it('makes a damaged file anew, and does without one where there can be none', async () => {
    const journal = history();
    const path = join(journal.directory.run, 'ledger.db');
    writeFileSync(path, 'no database at all, and long enough to be looked at'.repeat(100));
    const mended = kept(journal);
    expect(flowsIn(await mended.ready())).toHaveLength(2);
    expect(mended.said).toStrictEqual([]);
    await mended.close();

    const without = new TestLog();
    mkdirSync(join(without.directory.run, 'ledger.db', 'in the way'), { recursive: true });
    without.append(utc, inboundAdded(), clientAdded(), used(1, 2));
    const keeping = kept(without);
    expect(flowsIn(await keeping.ready())).toHaveLength(1);
    expect(keeping.said).toStrictEqual(['the ledger cannot be kept on disk, and is made anew at each start']);
  });

  it('loses nothing that cannot be written', async () => {
    const journal = history();
    const keeping = kept(journal);
    const ledger = await keeping.ready();
    if (!ledger) expect.fail('there is no ledger');
    const file = new LedgerFile(keeping.file, journal.log, 'UTC');
    // Another process writes at the position at which ours will: the row is there already.
    file.write(journal.log.head().position, [{ client: first, day: 1, node: 0, position: 1, up: 1, down: 1 }], []);
    file.close();
    expect(() => ledger.write()).toThrow();
    expect(ledger.flowsOf(first).slice(-2)).toMatchObject([
      { up: 1, down: 2 },
      { up: 10, down: 20 },
    ]);
  });
});

describe('a ledger', () => {
  it('is due after many events, or when much of it waits', async () => {
    const journal = new TestLog();
    const keeping = kept(journal);
    const ledger = await keeping.ready();
    journal.append(utc, inboundAdded(), clientAdded(), clientAdded(draft('bob', 2), second), used(1, 2));
    const now = await keeping.ready();
    expect([ledger?.due, now?.due]).toStrictEqual([false, false]);
    const position = now?.position ?? 0;
    now?.take([], position + 20_000);
    expect(now?.due).toBe(true);
  });
});
