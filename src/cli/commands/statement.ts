import type { Command } from 'commander';
import type { SqliteEventLog } from '../../adapters/sqlite/event-log.js';
import { type Rejection, reject } from '../../commands/rejection.js';
import type { Counter } from '../../events/traffic/counters.js';
import { OperatorError, UsageError } from '../../lib/errors/operator-error.js';
import { zoneNamed } from '../../lib/time/calendar.js';
import { dayRange, MAX_YEARS, type RangeProblem } from '../../lib/time/day-range.js';
import { message, type Text } from '../../messages/message.js';
import { rendered } from '../../messages/rendered.js';
import type { Say } from '../../messages/terminal.js';
import { LogReadModels, type ReadModels } from '../../projections/read-models.js';
import { Ledger } from '../../projections/statement/ledger.js';
import { LedgerInMemory } from '../../projections/statement/ledger-in-memory.js';
import type { Statement } from '../../projections/statement/statement.js';
import { statementCsv } from '../../projections/statement/statement-csv.js';
import { statementOfNumbers } from '../../projections/statement/statement-of-client.js';
import type { Journal } from '../../store/journal.js';
import { clientsNamed, numberIn } from '../clients-named.js';
import { inEnglish, print } from '../output.js';
import { type GlobalOptions, reading } from '../reading.js';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly csv?: boolean;
}

const PAGE = 1000;

/** `portolan events statement CLIENT`: the statement of a client, computed from the log alone. */
export function statementCommand(events: Command, globals: () => GlobalOptions, say: Say): void {
  events
    .command('statement')
    .argument('<client>', say(message('cli.argumentClient')))
    .description(say(message('cli.statement')))
    .option('--from <day>', say(message('cli.optionFromDay')), '')
    .option('--to <day>', say(message('cli.optionToDay')), '')
    .option('--csv', say(message('cli.optionCsv')))
    .action((name: string, options: Options) => {
      const { dataDir, json } = globals();
      reading(dataDir, (journal) => {
        const statement = statementIn(journal, name, options);
        if (options.csv) process.stdout.write(statementCsv(rendered(statement, say)));
        else print(json ? JSON.stringify(inEnglish(statement)) : text(name, statement, say));
      });
    });
}

function statementIn({ log, snapshots }: Journal, name: string, { from, to }: Options): Statement {
  const read = new LogReadModels(log, snapshots);
  const numbers = clientsOf(log, read, name);
  const ledger = ledgerOf(log, read, numbers);
  const now = Date.now();
  const range = dayRange(from, to, ledger.days, now);
  if ('problem' in range) throw new UsageError(refusal(range.problem).text);
  return statementOfNumbers(read, ledger, log, numbers, range.days, now);
}

/** The statement of clients between two times (ms since 1970), from the log alone. */
export function statementOfAll(
  { log }: Journal,
  read: LogReadModels,
  numbers: readonly number[],
  from: number,
  now: number,
): Statement {
  const ledger = ledgerOf(log, read, numbers);
  return statementOfNumbers(read, ledger, log, numbers, [ledger.days.of(from), ledger.days.of(now)], now);
}

function ledgerOf(log: SqliteEventLog, read: LogReadModels, numbers: readonly number[]): Ledger {
  const ledger = new Ledger(
    new LedgerInMemory(),
    zoneNamed(read.settings.current().timeLocation),
    withTransferred(log, numbers),
  );
  for (let page = log.read(0, PAGE); page.length > 0; page = log.read(page.at(-1)?.position ?? 0, PAGE))
    ledger.apply(page, page.at(-1)?.position ?? 0);
  return ledger;
}

/** The numbers of the clients with this email, or the one number given. Throws `OperatorError` when there is none. */
export function clientsOf(
  log: Pick<SqliteEventLog, 'readStream' | 'stored'>,
  read: ReadModels,
  name: string,
): readonly number[] {
  const number = numberIn(name);
  if (number !== null) {
    if (log.readStream(`client-${number}`, 0, 1).length > 0) return [number];
    throw new OperatorError(message('cli.clientUnknown', { client: name }));
  }
  const current = read.clients.byEmail(name).map((client) => client.number);
  if (current.length > 0) return current;
  const deleted = clientsNamed(log.stored, name).filter((client) => read.clients.get(client) === undefined);
  if (deleted.length === 0) throw new OperatorError(message('cli.clientUnknown', { client: name }));
  const numbers = deleted.map((client) => `#${client}`);
  throw new OperatorError(message('cli.clientDeleted', { client: name, numbers }));
}

/** Also the clients whose usage was transferred to them, directly or indirectly. */
function withTransferred(log: Pick<SqliteEventLog, 'stored'>, numbers: readonly number[]): ReadonlySet<number> {
  const all = new Set(numbers);
  const left = [...log.stored.ofTypes(['ClientTrafficTransferred'])].reverse();
  for (const { data } of left)
    if ('fromClient' in data && 'client' in data && all.has(data.client)) all.add(Number(data.fromClient));
  return all;
}

function refusal(problem: RangeProblem): Rejection {
  if (problem === 'reversed') return reject('DAYS_REVERSED');
  if (problem === 'too long') return reject('DAYS_TOO_MANY', { years: MAX_YEARS });
  return reject('DAY_UNKNOWN', { field: problem.day, value: problem.value.slice(0, 100) });
}

function text(name: string, statement: Statement, say: Say): string {
  const { zone, from, to, clients, opening, closing, used, changed, days } = statement;
  const sum = ({ up, down }: Counter): Text => message('cli.statementBytes', { up, down });
  return [
    say(message('cli.statementTitle', { client: name, from, to, zone })),
    ...clients.map(({ client, inbound, since, until }) => {
      const known = { client, inbound, since };
      const shown =
        until === null
          ? message('cli.statementClient', known)
          : message('cli.statementClientUntil', { ...known, until });
      return `  ${say(shown)}`;
    }),
    say(message('cli.statementOpening', { bytes: sum(opening) })),
    ...days.flatMap(({ date, sources, entries }) => [
      date,
      ...sources.map((one) => `  ${say(message('cli.statementSource', { ...one, bytes: sum(one) }))}`),
      ...entries.map((entry) => {
        const bytes = entry.up + entry.down === 0 ? '' : `${say(sum(entry))}  `;
        return `  ${bytes}${say(message('cli.statementEntry', entry))}`;
      }),
    ]),
    say(message('cli.statementUsed', { bytes: sum(used) })),
    say(message('cli.statementChanged', { bytes: sum(changed) })),
    say(message('cli.statementClosing', { bytes: sum(closing) })),
  ].join('\n');
}
