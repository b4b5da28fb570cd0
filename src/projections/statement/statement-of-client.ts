import { type Entry, LedgerError } from '../../events/log/ledger-store.js';
import { type Counter, sumOf } from '../../events/traffic/counters.js';
import { message, type Text, verbatim } from '../../messages/message.js';
import { accountOf } from '../core/accounts.js';
import type { ReadModels } from '../read-models.js';
import { textOfEvent } from '../why/event-texts.js';
import { actorText, type HistoryLog } from '../why/history.js';
import type { Ledger } from './ledger.js';
import { type Statement, type StatementNames, statementOf } from './statement.js';

type Names = Pick<ReadModels, 'inbounds' | 'nodes'>;

/** The statement of an email. `counter` is its counter now; null when the days end before today. */
export interface ClientStatement extends Statement {
  readonly counter: Counter | null;
}

/**
 * The statement of all clients with an email; null when there is none. `days` are days of the ledger, both inclusive. The
 * ledger and the counters must be at the same position. Throws `LedgerError` if they do not agree.
 */
export function statementOfEmail(
  read: Pick<ReadModels, 'clients' | 'usage'> & Names,
  ledger: Ledger,
  log: Pick<HistoryLog, 'at'>,
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

/** Above 2^53 a sum depends on the order of its terms, so it is not compared. */
function agree(balance: Counter, counter: Counter): boolean {
  const all = [balance.up, balance.down, counter.up, counter.down];
  return !all.every(Number.isSafeInteger) || (balance.up === counter.up && balance.down === counter.down);
}

/** The statement of clients by number, deleted ones included. */
export function statementOfNumbers(
  names: Names,
  ledger: Ledger,
  log: Pick<HistoryLog, 'at'>,
  clients: readonly number[],
  days: readonly [from: number, to: number],
  now: number,
): Statement {
  const { zone } = ledger.days;
  const today = ledger.days.of(now);
  return statementOf(accountOf(ledger, clients), { zone, today }, days, namesOf(names, log));
}

/** Texts for the ids of a statement, which are repeated in many lines. */
function namesOf(names: Names, log: Pick<HistoryLog, 'at'>): StatementNames {
  const inbounds = new Map<number, Text>();
  const nodes = new Map<number, Text>([[0, message('history.thisMachine')]]);
  return {
    inbound: (id) => remembered(inbounds, id, () => inboundName(names, id)),
    node: (id) => remembered(nodes, id, () => nodeName(names, id)),
    entry: (entry) => entryText(entry, log),
  };
}

function remembered(texts: Map<number, Text>, id: number, make: () => Text): Text {
  const text = texts.get(id) ?? make();
  texts.set(id, text);
  return text;
}

function inboundName({ inbounds }: Names, id: number): Text {
  const inbound = inbounds.get(id);
  return inbound ? verbatim(inbound.tag) : message('history.inboundDeleted', { id });
}

function nodeName({ nodes }: Names, id: number): Text {
  const node = nodes.get(id);
  return node ? message('history.node', { name: node.name }) : message('history.nodeDeleted', { id });
}

interface EntryText {
  readonly what: Text;
  readonly by: Text;
}

const PERIOD_RESET: EntryText = {
  what: message('history.periodReset'),
  by: message('history.byPanel', { part: message('history.partPeriod') }),
};
const RENEWAL_RESET: EntryText = {
  what: message('history.renewalReset'),
  by: message('history.byPanel', { part: message('history.partRenewal') }),
};

/** An account can have thousands of resets by a rule. They all have the same text, so their events are not read. */
function entryText({ rule, kind, other, position }: Entry, log: Pick<HistoryLog, 'at'>): EntryText {
  if (rule === 'period') return PERIOD_RESET;
  if (rule === 'renewal') return RENEWAL_RESET;
  const event = log.at(position);
  const by = event ? actorText(event.meta) : verbatim('');
  if (kind === 'transferred out') return { what: message('history.transferredOut', { client: other }), by };
  return { what: event ? textOfEvent(event) : message('history.otherEvent', { type: kind }), by };
}
