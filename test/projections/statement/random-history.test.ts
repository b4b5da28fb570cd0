import { join } from 'node:path';
import { assert as check, constantFrom, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LedgerFile } from '../../../src/adapters/sqlite/ledger-file.js';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { sumOf } from '../../../src/events/traffic/counters.js';
import { Days, dayText } from '../../../src/lib/time/days.js';
import { LogReadModels } from '../../../src/projections/read-models.js';
import { Ledger } from '../../../src/projections/statement/ledger.js';
import { LedgerInMemory } from '../../../src/projections/statement/ledger-in-memory.js';
import { type ClientStatement, statementOfEmail } from '../../../src/projections/statement/statement-of-client.js';
import { History, type Step, steps } from '../../kit/history/history.js';
import { busOver, readAll, TestLog, temporaryFolder } from '../../kit/log.js';

const ZONES = ['UTC', 'Asia/Tehran', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Chatham'] as const;

/** Two machines with clients on them, some of which are one person. */
const BEGIN: readonly Step[] = (['inbound', 'inbound', 'node', 'nodeInbound', 'coreStarted'] as const)
  .map((kind, i): Step => ({ kind, a: 0, b: i, c: 2 }))
  .concat(Array.from({ length: 12 }, (_, i) => ({ kind: 'client', a: i % 3, b: i % 5, c: 3 * i })));

/** Chance alone rarely comes to bytes: after every few steps some flow, and time goes by. */
function busy(history: readonly Step[]): readonly Step[] {
  const flowing = (step: Step): Step[] => [
    { ...step, kind: 'traffic' },
    { ...step, kind: 'nodeTraffic' },
    { ...step, kind: 'waitLong' },
  ];
  return [...BEGIN, ...history.flatMap((step, i) => (i % 3 === 0 ? [step, ...flowing(step)] : [step]))];
}

/** The ledger of a log, from nothing. */
function made(journal: TestLog, zone: string): Ledger {
  const ledger = new Ledger(new LedgerInMemory(), zone);
  ledger.apply(readAll(journal.log), journal.log.head().position);
  return ledger;
}

/** By how much the clock is set before a step, in ms: never, now and then by hours, or by days. */
function jumpBefore({ a, b, c }: Step, jumps: number): number {
  if (jumps === 0 || (a + b + c) % 9 > 0) return 0;
  return ((c % 7) - 3) * (jumps === 1 ? 5_000_000 : 40_000_000);
}

/** Entries of a ledger, besides the bytes. */
const ENTRIES = /^Client(Added|Deleted|Renewed|HistoryImported|Traffic(Reset|Adjusted|Inherited))$/;

/**
 * What each client moved on each day, from the events alone and by another calendar. Nothing is of a later day than what
 * follows it in the log.
 */
function movedByDay(events: readonly RecordedEvent[], zone: string, now: number): Map<string, number> {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const sums = new Map<string, number>();
  let day = format.format(now);
  for (const event of events.toReversed()) {
    const isFlow = event.type === 'TrafficRecorded' || event.type === 'NodeTrafficRecorded';
    const counts = isFlow && event.data.clients.some(([, up, down]) => up + down > 0);
    const renamed = event.type === 'ClientIdentityChanged' && event.data.emailChanged;
    const own = format.format(event.meta.at);
    if ((counts || renamed || ENTRIES.test(event.type)) && own < day) day = own;
    if (!isFlow) continue;
    for (const [client, up, down] of event.data.clients) {
      const key = `${client} ${day}`;
      if (up + down > 0) sums.set(key, (sums.get(key) ?? 0) + up + 1e9 * down);
    }
  }
  return sums;
}

describe('the statement of any client of any history', () => {
  it('adds up to its counter on every day, and is the same from the file, from the log, and after a roll-up', () => {
    const root = temporaryFolder();
    let runs = 0;
    let told = { today: 0, sources: 0, entries: 0, shared: 0, pruned: 0 };
    check(
      property(steps(100), constantFrom(...ZONES), nat(2), (history, zone, jumps) => {
        runs += 1;
        const journal = new TestLog(join(root, String(runs)));
        const { log } = journal;
        const bus = busOver(log, journal.clock);
        const read = new LogReadModels(log);
        const path = join(root, `${runs}.db`);
        let file = new LedgerFile(path, log, zone);
        let ledger = new Ledger(file, zone);
        const player = new History(bus, log);
        for (const [i, step] of busy(history).entries()) {
          journal.clock.advance(jumpBefore(step, jumps));
          player.play([step]);
          const [first] = log.read(ledger.position, 1);
          if (first) ledger.apply(log.read(ledger.position, 10_000), log.head().position);
          // In parts of one or two entries, or whole.
          if (i % 7 === 3) ledger.write(i % 3 || Number.POSITIVE_INFINITY);
          if (i % 31 !== 30) continue;
          // A killed panel: unwritten entries are read again.
          file.close();
          file = new LedgerFile(path, log, zone);
          ledger = new Ledger(file, zone);
          ledger.apply(log.read(ledger.position, 10_000), log.head().position);
        }
        const days = new Days(zone);
        const now = journal.clock.now();
        const events = readAll(log);
        const today = days.of(now);
        const from = Math.min(...events.map(({ meta }) => days.of(meta.at)), today) - 1;
        const left = new Set(
          events.flatMap((event) =>
            event.type === 'ClientTrafficTransferred' ? [event.data.fromClient as number] : [],
          ),
        );
        const emails = [...new Set([...read.clients.all()].map(({ identity }) => identity.email))];
        const statements = (books: Ledger): (ClientStatement | null)[] =>
          emails.map((email) => statementOfEmail(read, books, log, email, [from, today], now));
        const live = statements(ledger);
        expect(statements(made(journal, zone))).toStrictEqual(live);
        const bytesToday = (books: Ledger) => [...books.bytesOn(today)].toSorted(([one], [other]) => one - other);
        if (jumps === 0) {
          expect(bytesToday(ledger)).toStrictEqual(bytesToday(made(journal, zone)));
          for (const [client, bytes] of ledger.bytesOn(today)) {
            const flows = ledger.flowsOf(client).filter(({ day }) => day === today);
            expect(flows.reduce((sum, { up, down }) => sum + up + down, 0)).toBe(bytes);
          }
          told = { ...told, today: told.today + ledger.bytesOn(today).size };
        }
        const moved = movedByDay(events, zone, now);

        for (const [i, statement] of live.entries()) {
          const email = emails[i] ?? '';
          if (!statement) expect.fail(`no statement of ${email}`);
          expect(statement.opening).toStrictEqual({ up: 0, down: 0 });
          expect(statement.closing).toStrictEqual(statement.counter);
          expect(sumOf([statement.opening, statement.used, statement.changed])).toStrictEqual(statement.closing);
          expect(statement.days.at(-1)?.balance ?? statement.opening).toStrictEqual(statement.closing);
          told = { ...told, shared: told.shared + Number(statement.clients.length > 1) };
          // Cut anywhere, both halves meet.
          const middle = from + ((runs + i) % (today - from + 1));
          const half = (a: number, b: number) => statementOfEmail(read, ledger, log, email, [a, b], now);
          const before = half(from, middle);
          expect(half(middle + 1, today + 1)?.opening).toStrictEqual(before?.closing);
          expect(before?.days).toStrictEqual(statement.days.filter(({ date }) => date <= dayText(middle)));
          for (const { date, sources, entries } of statement.days) {
            told = { ...told, sources: told.sources + sources.length, entries: told.entries + entries.length };
            // A client that left the email has its later bytes under another one; all others share one sum.
            for (const { client } of statement.clients.filter((member) => !left.has(member.client))) {
              const all = sumOf(sources.filter((source) => source.client === client));
              expect(all.up + 1e9 * all.down).toBe(moved.get(`${client} ${date}`) ?? 0);
              moved.delete(`${client} ${date}`);
            }
          }
        }

        // Nothing is missing either.
        const living = new Set([...read.clients.all()].map(({ number }) => number as number));
        const missing = [...moved.keys()].map(Number.parseFloat).filter((client) => living.has(client));
        expect(missing.filter((client) => !left.has(client))).toStrictEqual([]);

        journal.clock.advance(1);
        const [rolledUp] = player.rollUp(0);
        told = {
          ...told,
          pruned: told.pruned + (rolledUp?.type === 'MeasurementsRolledUp' ? rolledUp.data.prunedCount : 0),
        };
        expect(statements(made(journal, zone))).toStrictEqual(live);
        file.close();
        log.close();
      }),
      { numRuns: 15 },
    );
    expect(told.sources).toBeGreaterThan(100);
    expect(told.entries).toBeGreaterThan(30);
    expect(told.shared).toBeGreaterThan(0);
    expect(told.today).toBeGreaterThan(0);
    expect(told.pruned).toBeGreaterThan(20);
  });
});
