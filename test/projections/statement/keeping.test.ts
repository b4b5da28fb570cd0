import { closeSync, linkSync, lstatSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LedgerFile } from '../../../src/adapters/sqlite/ledger-file.js';
import { planRollUp } from '../../../src/commands/reactors/traffic/roll-up.js';
import { ClientNumber } from '../../../src/events/ids.js';
import { LedgerError } from '../../../src/events/log/ledger-store.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { dayText } from '../../../src/lib/time/days.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import type { Ledger } from '../../../src/projections/statement/ledger.js';
import { statementOfEmail } from '../../../src/projections/statement/statement-of-client.js';
import { keepLedger } from '../../../src/store/ledger.js';
import { clientAdded, draft, first, HOUR, inboundAdded, second, traffic } from '../../kit/builders.js';
import { busOver, TestLog, temporaryFolder } from '../../kit/log.js';
import { eventually } from '../../kit/wait.js';

const utc = SettingsChanged({ changes: { timeLocation: 'UTC' } });
const used = (up: number, down: number) => traffic({ clients: [[first, up, down]] });

/** The bytes of the first client in a ledger, by day. */
const flowsIn = (ledger: Pick<Ledger, 'flowsOf'> | null): readonly [string, number, number][] => {
  const sums = new Map<string, [number, number]>();
  for (const { day, up, down } of ledger?.flowsOf(first) ?? []) {
    const [upBefore, downBefore] = sums.get(dayText(day)) ?? [0, 0];
    sums.set(dayText(day), [upBefore + up, downBefore + down]);
  }
  return [...sums].map(([day, [up, down]]) => [day, up, down]);
};

function kept(journal: TestLog) {
  const read = new LogReadModels(journal.log);
  const said: string[] = [];
  const warn = (message: string): void => void said.push(message);
  const keeping = keepLedger({ log: journal.log, read, directory: journal.directory, warn });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await keeping.close();
    open = false;
  };
  onTestFinished(close);
  /** The closing balance and the counter of the first client. */
  const asked = async () => {
    const now = journal.clock.now();
    const answer = await keeping.query((ledger) =>
      statementOfEmail(read, ledger, journal.log, 'alice', [0, ledger.days.of(now)], now),
    );
    return 'unavailable' in answer ? answer.unavailable : [answer.answer?.closing, answer.answer?.counter];
  };
  return {
    ready: () => keeping.ready(),
    query: keeping.query.bind(keeping),
    asked,
    close,
    said,
    file: join(journal.directory.run, 'ledger.db'),
  };
}

function history() {
  const journal = new TestLog();
  journal.append(utc, inboundAdded(), clientAdded(), used(1, 2)); // 22:13
  journal.clock.advance(2 * HOUR);
  journal.append(used(10, 20)); // 00:13
  return journal;
}

describe('the ledger', () => {
  it('contains earlier events, follows new ones, and continues after a restart', async () => {
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

  it('uses another time zone as soon as the setting changes', async () => {
    const journal = history();
    const keeping = kept(journal);
    await keeping.ready();
    journal.append(SettingsChanged({ changes: { timeLocation: 'Asia/Tehran' } }));
    journal.append(used(5, 5));
    // 22:13 UTC is the next day there.
    expect(flowsIn(await keeping.ready())).toStrictEqual([['2023-11-15', 16, 27]]);
  });

  it('is rebuilt when its position is inside a range that was rolled up since', async () => {
    const journal = history();
    journal.append(used(3, 4));
    const file = new LedgerFile(join(journal.directory.run, 'ledger.db'), journal.log, 'UTC');
    file.write(5, {
      flows: [{ client: first, day: 1, node: 0, position: 5, up: 99, down: 99 }],
      entries: [],
      setbacks: [],
      day: 1,
    });
    file.close();
    const rollUp = planRollUp(journal.log, 0, journal.clock.now() + 1, journal.clock.now());
    if (!rollUp) expect.fail('there is nothing to roll up');
    busOver(journal.log, journal.clock).must(rollUp);
    expect(flowsIn(await kept(journal).ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 13, 24],
    ]);
  });

  it('starts again when a roll-up overtakes its reading', async () => {
    const journal = history();
    journal.append(...Array.from({ length: 300 }, () => used(1, 1)));
    // The first page is read, and the loop has not turned yet.
    const keeping = kept(journal);
    const rollUp = planRollUp(journal.log, 0, journal.clock.now() + 1, journal.clock.now());
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
  ])('is not read from a file %s', async (_, which) => {
    const journal = history();
    const other = which === 'other log' ? new TestLog(temporaryFolder()) : journal;
    if (other !== journal) other.append(utc, inboundAdded(), clientAdded());
    const path = join(journal.directory.run, 'ledger.db');
    const file = new LedgerFile(path, other.log, other === journal ? which : 'UTC');
    file.write(3, {
      flows: [{ client: first, day: 1, node: 0, position: 3, up: 99, down: 99 }],
      entries: [],
      setbacks: [],
      day: 1,
    });
    file.close();
    expect(flowsIn(await kept(journal).ready())).toStrictEqual([
      ['2023-11-14', 1, 2],
      ['2023-11-15', 10, 20],
    ]);
  });

  it('is rebuilt when its file is damaged, and kept in memory when no file can be created', async () => {
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
    expect(keeping.said).toStrictEqual(['the ledger cannot be kept on disk and is rebuilt at each start']);
  });

  it('loses no entry that could not be written', async () => {
    const journal = history();
    const keeping = kept(journal);
    const ledger = await keeping.ready();
    if (!ledger) expect.fail('there is no ledger');
    const file = new LedgerFile(keeping.file, journal.log, 'UTC');
    // Another process writes at the same position: the row exists already.
    file.write(journal.log.head().position, {
      flows: [{ client: first, day: 1, node: 0, position: 1, up: 1, down: 1 }],
      entries: [],
      setbacks: [],
      day: 1,
    });
    file.close();
    expect(() => ledger.write()).toThrow();
    expect(ledger.flowsOf(first).slice(-2)).toMatchObject([
      { up: 1, down: 2 },
      { up: 10, down: 20 },
    ]);
  });
});

const REBUILT = 'the ledger was wrong and is rebuilt';
const true2 = [
  { up: 11, down: 22 },
  { up: 11, down: 22 },
];

/** A ledger file on the disk, with all of the history in it. */
async function written() {
  const journal = history();
  const keeping = kept(journal);
  await keeping.ready();
  await keeping.close();
  return { journal, file: keeping.file };
}

/** Fills the page on which a table begins with rubbish. */
function damage(file: string, table: string): void {
  const db = new Database(file);
  const page = db
    .prepare<[string], { rootpage: number }>('SELECT rootpage FROM sqlite_master WHERE name = ?')
    .get(table);
  const size = Number(db.pragma('page_size', { simple: true }));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 0xff), 0, size, ((page?.rootpage ?? 0) - 1) * size);
  closeSync(handle);
}

describe('an invalid ledger', () => {
  it.each(['entries', 'flows', 'head'])('is rebuilt when its table %s cannot be read', async (table) => {
    const { journal, file } = await written();
    damage(file, table);
    const keeping = kept(journal);
    expect(await keeping.asked()).toStrictEqual(true2);
    expect(keeping.said).toStrictEqual(table === 'head' ? [] : [REBUILT]);
    await keeping.close();
    // The file is sound again.
    const next = kept(journal);
    expect(await next.asked()).toStrictEqual(true2);
    expect(next.said).toStrictEqual([]);
  });

  it.each([
    ['bytes that never flowed', 'UPDATE entries SET up = up + 1000'],
    ['a kind that is none', "UPDATE entries SET kind = 'gift'"],
    ['flows that are cut off', 'UPDATE flows SET content = substr(content, 1, length(content) - 1)'],
    ['flows that are rubbish', 'UPDATE flows SET content = randomblob(64)'],
    ['no flows', 'DELETE FROM flows'],
  ])('with %s is rebuilt before it is used', async (_, sql) => {
    const { journal, file } = await written();
    const db = new Database(file);
    db.exec(sql);
    db.close();
    const keeping = kept(journal);
    expect(await keeping.asked()).toStrictEqual(true2);
    expect(keeping.said).toStrictEqual([REBUILT]);
    journal.append(used(1, 1));
    expect(await keeping.asked()).toMatchObject([{ up: 12 }, { up: 12 }]);
    expect(keeping.said).toHaveLength(1);
  });

  it('is rebuilt when a write finds it damaged', async () => {
    const { journal, file } = await written();
    damage(file, 'entries');
    const before = kept(journal);
    journal.append(clientAdded(draft('bob', 2), second));
    await before.ready();
    await before.close();
    expect(before.said).toStrictEqual([REBUILT]);
    const after = kept(journal);
    expect(await after.asked()).toStrictEqual(true2);
    expect(after.said).toStrictEqual([]);
  });

  it('is kept in memory when the next file is damaged too', async () => {
    const journal = history();
    const put = vi.spyOn(LedgerFile.prototype, 'write').mockImplementation(() => {
      throw new LedgerError('the file is damaged');
    });
    onTestFinished(() => put.mockRestore());
    const keeping = kept(journal);
    await keeping.ready();
    // So much of one day that it is due to be written on the next.
    const many = Array.from({ length: 10_000 }, (_, i): [ClientNumber, number, number] => [
      ClientNumber.parse(i + 2),
      1,
      1,
    ]);
    journal.append(traffic({ clients: many }));
    journal.clock.advance(24 * HOUR);
    journal.append(used(1, 1));
    await eventually(() => expect(put).toHaveBeenCalledTimes(2));
    expect(await keeping.asked()).toMatchObject([{ up: 12 }, { up: 12 }]);
    await keeping.close();
    // It writes at its end, and no more to the disk.
    expect(put).toHaveBeenCalledTimes(2);
    expect(keeping.said).toStrictEqual([REBUILT]);
  });

  it('reports when a rebuilt one is invalid too, and is not rebuilt for each query', async () => {
    const keeping = kept(history());
    const never = (): never => {
      throw new LedgerError('it is never right');
    };
    expect(await keeping.query(never)).toStrictEqual({ unavailable: 'wrong' });
    expect(await keeping.query(never)).toStrictEqual({ unavailable: 'wrong' });
    expect(keeping.said).toStrictEqual([REBUILT]);
    expect(await keeping.asked()).toStrictEqual(true2);
    await expect(keeping.query(() => expect.fail('a defect'))).rejects.toThrow('a defect');
  });

  it('matches the counter when the clock was set back after the last entry', async () => {
    const journal = history();
    const keeping = kept(journal);
    journal.clock.advance(-24 * HOUR);
    expect(await keeping.asked()).toStrictEqual(true2);
  });
});

describe('a file of another program in the place of the ledger', () => {
  const foreign = (): string => {
    const path = join(temporaryFolder(), 'precious.db');
    const db = new Database(path);
    db.exec('CREATE TABLE precious (x); INSERT INTO precious VALUES (7)');
    db.close();
    return path;
  };
  const read = (path: string): unknown[] => {
    const db = new Database(path, { readonly: true });
    const rows = [db.pragma('journal_mode', { simple: true }), ...db.prepare('SELECT x FROM precious').pluck().all()];
    db.close();
    return rows;
  };

  it.each([
    ['a link', (to: string, path: string) => symlinkSync(to, path)],
    ['a second name', (to: string, path: string) => linkSync(to, path)],
  ])('that is %s is renamed and not changed', async (_, put) => {
    const journal = history();
    const precious = foreign();
    const file = join(journal.directory.run, 'ledger.db');
    put(precious, file);
    const keeping = kept(journal);
    expect(await keeping.asked()).toStrictEqual(true2);
    await keeping.close();
    expect(read(precious)).toStrictEqual(['delete', 7]);
    expect(lstatSync(file).isFile()).toBe(true);
  });

  it('is not used as the write-ahead log either', async () => {
    const { journal, file } = await written();
    const precious = foreign();
    symlinkSync(precious, `${file}-wal`);
    expect(await kept(journal).asked()).toStrictEqual(true2);
    expect(read(precious)).toStrictEqual(['delete', 7]);
  });
});

describe('a write of the ledger', () => {
  it('is due after many events', async () => {
    const journal = new TestLog();
    const keeping = kept(journal);
    const ledger = await keeping.ready();
    journal.append(utc, inboundAdded(), clientAdded(), clientAdded(draft('bob', 2), second), used(1, 2));
    const now = await keeping.ready();
    expect([ledger?.due, now?.due]).toStrictEqual([false, false]);
    const position = now?.position ?? 0;
    now?.apply([], position + 20_000);
    expect(now?.due).toBe(true);
  });
});
