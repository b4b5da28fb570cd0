import { type Counter, sumOf } from '../../events/counters.js';
import { type Entry, LedgerError } from '../../events/log/ledger-store.js';
import { accountOf } from '../core/accounts.js';
import type { ReadModels } from '../read-models.js';
import { actorText, type StoryLog, sentence } from '../story.js';
import type { Ledger } from './ledger.js';
import { type Statement, type StatementNames, statementOf } from './statement.js';

type Names = Pick<ReadModels, 'inbounds' | 'nodes'>;

/** The statement of an email. `counter`: what it has used now; null where something followed after the days that were asked for. */
export interface ClientStatement extends Statement {
  readonly counter: Counter | null;
}

/**
 * The statement of everyone of an email, or null where nobody has it. Days as those of the ledger; both are included. The
 * ledger and the counters are at the same event. Throws `LedgerError` if they do not agree.
 */
export function statementOfEmail(
  read: Pick<ReadModels, 'clients' | 'usage'> & Names,
  ledger: Ledger,
  log: Pick<StoryLog, 'at'>,
  email: string,
  days: readonly [from: number, to: number],
  now: number,
): ClientStatement | null {
  const clients = read.clients.byEmail(email);
  const [first] = clients;
  if (!first) return null;
  const counter = read.usage.client(first);
  const account = accountOf(
    ledger,
    clients.map(({ number }) => number),
  );
  const lines = [...account.flows, ...account.entries];
  if (!agree(sumOf(lines), counter)) throw new LedgerError('it does not add up to the counter of a client');
  const today = ledger.days.of(now);
  const statement = statementOf(account, { zone: ledger.days.zone, today }, days, namesOf(read, log));
  return { ...statement, counter: days[1] < today ? null : counter };
}

/** Beyond 2^53 a sum depends on the order of what it is made of. */
function agree(balance: Counter, counter: Counter): boolean {
  const all = [balance.up, balance.down, counter.up, counter.down];
  return !all.every(Number.isSafeInteger) || (balance.up === counter.up && balance.down === counter.down);
}

/** The same of clients by their numbers, also of deleted ones. */
export function statementOfNumbers(
  names: Names,
  ledger: Ledger,
  log: Pick<StoryLog, 'at'>,
  clients: readonly number[],
  days: readonly [from: number, to: number],
  now: number,
): Statement {
  const { zone } = ledger.days;
  const today = ledger.days.of(now);
  return statementOf(accountOf(ledger, clients), { zone, today }, days, namesOf(names, log));
}

function namesOf(names: Names, log: Pick<StoryLog, 'at'>): StatementNames {
  return {
    inbound: (id) => names.inbounds.get(id)?.tag ?? `inbound ${id}, deleted`,
    node: (id) => `node ${names.nodes.get(id)?.name ?? `${id}, deleted`}`,
    told: (entry) => told(entry, log),
  };
}

/** Resets by rule can be thousands, and all of them say the same. */
function told(entry: Entry, log: Pick<StoryLog, 'at'>): { readonly what: string; readonly by: string } {
  if (entry.rule === 'period')
    return { what: 'a new period began: its counters were set to zero', by: 'the panel (period)' };
  if (entry.rule === 'renewal')
    return { what: 'its term renewed itself: its counters were set to zero', by: 'the panel (renewal)' };
  if (entry.kind === 'bequeathed')
    return { what: `left its email: what it used stays there, with client #${entry.other}`, by: byOf(entry, log) };
  const event = log.at(entry.position);
  return event ? { what: sentence(event), by: actorText(event.meta) } : { what: entry.kind, by: '' };
}

function byOf({ position }: Entry, log: Pick<StoryLog, 'at'>): string {
  const event = log.at(position);
  return event ? actorText(event.meta) : '';
}
