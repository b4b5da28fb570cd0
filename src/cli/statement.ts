import type { Command } from 'commander';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { type Rejection, reject } from '../commands/rejection.js';
import type { Counter } from '../events/counters.js';
import { OperatorError } from '../lib/operator-error.js';
import { zoneNamed } from '../lib/time/calendar.js';
import { dayRange, MOST_YEARS, type RangeFlaw } from '../lib/time/day-range.js';
import { bytesText, timeText } from '../lib/words.js';
import { ReadModels } from '../projections/read-models.js';
import { Ledger } from '../projections/statement/ledger.js';
import { LedgerInMemory } from '../projections/statement/ledger-in-memory.js';
import type { Statement } from '../projections/statement/statement.js';
import { statementCsv } from '../projections/statement/statement-csv.js';
import { statementOfNumbers } from '../projections/statement/statement-of-client.js';
import type { Journal } from '../store/journal.js';
import { clientsNamed, numberIn } from './clients-named.js';
import { print } from './output.js';
import { type Common, reading } from './reading.js';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly csv?: boolean;
}

const PAGE = 1000;

/** `portolan events statement CLIENT`: the statement of a client, from the log alone and nothing that was made of it. */
export function statementCommand(events: Command, common: (command: Command) => Common): void {
  events
    .command('statement')
    .argument('<client>', 'an email, or the number of a client as #12, also of a deleted one')
    .description('what a client used by day and machine, and whatever set its counter, from one balance to the other')
    .option('--from <day>', 'the first day, as 2026-03-31', '')
    .option('--to <day>', 'the last day', '')
    .option('--csv', 'as a table')
    .action((name: string, options: Options, command: Command) => {
      const { dataDir, json } = common(command);
      reading(dataDir, (journal) => {
        const statement = statementIn(journal, name, options);
        if (options.csv) process.stdout.write(statementCsv(statement));
        else print(json ? JSON.stringify(statement) : text(name, statement));
      });
    });
}

function statementIn({ log, snapshots }: Journal, name: string, { from, to }: Options): Statement {
  const read = new ReadModels(log, snapshots);
  const roots = rootsOf(log, read, name);
  const ledger = new Ledger(
    new LedgerInMemory(),
    zoneNamed(read.settings.current().timeLocation),
    withHeirs(log, roots),
  );
  for (let page = log.read(0, PAGE); page.length > 0; page = log.read(page.at(-1)?.position ?? 0, PAGE))
    ledger.take(page, page.at(-1)?.position ?? 0);
  const now = Date.now();
  const range = dayRange(from, to, ledger.days, now);
  if ('flaw' in range) throw new OperatorError(refusal(range.flaw).message);
  return statementOfNumbers(read, ledger, log, roots, range.days, now);
}

/** Everyone who has the email, or the one with the number. Throws a sentence where there is no such client. */
function rootsOf(log: SqliteEventLog, read: ReadModels, name: string): readonly number[] {
  const number = numberIn(name);
  if (number !== null) {
    if (log.readStream(`client-${number}`, 0, 1).length > 0) return [number];
    throw new OperatorError(`The log knows no client ${name}`);
  }
  const living = read.clients.byEmail(name).map((client) => client.number);
  if (living.length > 0) return living;
  const gone = clientsNamed(log, name).filter((client) => read.clients.get(client) === undefined);
  if (gone.length === 0) throw new OperatorError(`The log knows no client ${name}`);
  throw new OperatorError(
    `${name} was deleted: ask for ${gone.map((client) => `#${client}`).join(' or ')}, each has an account of its own`,
  );
}

/** With those whose bytes they took over, and so on. */
function withHeirs(log: SqliteEventLog, roots: readonly number[]): ReadonlySet<number> {
  const all = new Set(roots);
  const left = [...log.readTypes(['ClientTrafficTransferred'])].reverse();
  for (const { data } of left)
    if ('fromClient' in data && 'client' in data && all.has(data.client)) all.add(Number(data.fromClient));
  return all;
}

function refusal(flaw: RangeFlaw): Rejection {
  if (flaw === 'reversed') return reject('DAYS_REVERSED');
  if (flaw === 'too long') return reject('DAYS_TOO_MANY', { years: MOST_YEARS });
  return reject('DAY_UNKNOWN', { field: flaw.day });
}

function text(name: string, { zone, from, to, clients, opening, closing, used, changed, days }: Statement): string {
  const sum = ({ up, down }: Counter): string => `${bytesText(up)} up, ${bytesText(down)} down`;
  return [
    `${name}, ${from} to ${to}, by the clocks of ${zone}`,
    ...clients.map(
      ({ client, inbound, since, until }) =>
        `  client #${client}, ${inbound}, since ${timeText(since)}${until === null ? '' : ` until ${timeText(until)}`}`,
    ),
    `opening balance   ${sum(opening)}`,
    ...days.flatMap(({ date, sources, entries }) => [
      date,
      ...sources.map((one) => `  ${sum(one)}  ${one.source}, client #${one.client}, ${one.inbound}`),
      ...entries.map(
        (entry) =>
          `  ${entry.up + entry.down === 0 ? '' : `${sum(entry)}  `}#${entry.position} ${entry.what} (by ${entry.by})`,
      ),
    ]),
    `used              ${sum(used)}`,
    `changed otherwise ${sum(changed)}`,
    `closing balance   ${sum(closing)}`,
  ].join('\n');
}
