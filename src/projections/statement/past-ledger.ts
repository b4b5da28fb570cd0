import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Entry, type Flow, LedgerError } from '../../events/log/ledger-store.js';
import type { EventLog } from '../../events/log/log.js';
import { zoneNamed } from '../../lib/time/calendar.js';
import type { Moment } from '../moments.js';
import { Ledger, type LedgerAnswer } from './ledger.js';
import { LedgerInMemory } from './ledger-in-memory.js';

/** The ledger of the panel: runs a question at the head of the log. */
type Query = <T>(question: (books: Ledger) => T) => Promise<LedgerAnswer<T>>;

interface PastLog extends Pick<EventLog, 'read'> {
  positionAt(time: number): number;
}

/** Events that are read between two turns of the event loop. */
const PAGE = 200;

/** The ledger as it was: the lines of another one up to a position, and those of the events that it has read itself. */
class PastLedger extends Ledger {
  readonly #from: number;
  #earlier: Ledger | null = null;

  constructor(from: number, zone: string) {
    super(new LedgerInMemory(from), zone);
    this.#from = from;
  }

  /** Takes the lines up to the first position from `books`. */
  over(books: Ledger): this {
    this.#earlier = this.#from === 0 ? null : books;
    return this;
  }

  override flowsOf(client: number): readonly Flow[] {
    return [...this.#kept(this.#earlier?.flowsOf(client)), ...super.flowsOf(client)];
  }

  override entriesOf(client: number): readonly Entry[] {
    return [...this.#kept(this.#earlier?.entriesOf(client)), ...super.entriesOf(client)];
  }

  #kept<L extends Flow | Entry>(lines: readonly L[] = []): readonly L[] {
    return lines.filter(({ position }) => position <= this.#from);
  }
}

/**
 * The ledger at a moment of the past. The lines up to the day before are those of the ledger; the rest of the day is read
 * from the log. If they do not add up to the counters of the moment, all of the log up to it is read.
 */
export function ledgerAt(query: Query, log: PastLog, { position, at, read }: Moment): Query {
  return async <T>(question: (books: Ledger) => T): Promise<LedgerAnswer<T>> => {
    const zone = zoneNamed(read.settings.current().timeLocation);
    const known = await query(({ days }) => ({ zone: days.zone, start: days.begin(days.of(at)) }));
    if ('unavailable' in known) return known;
    const before = known.answer.zone === zone ? Math.min(position, log.positionAt(known.answer.start - 1)) : 0;
    for (const from of new Set([before, 0])) {
      const past = await foldedFrom(from, position, zone, log);
      const outcome = await query((books) => attempted(question, past.over(books)));
      if ('unavailable' in outcome) return outcome;
      if (outcome.answer !== 'wrong') return outcome.answer;
    }
    return { unavailable: 'wrong' };
  };
}

async function foldedFrom(from: number, to: number, zone: string, log: PastLog): Promise<PastLedger> {
  const ledger = new PastLedger(from, zone);
  while (ledger.position < to) {
    const events = log.read(ledger.position, PAGE).filter(({ position }) => position <= to);
    ledger.apply(events, events.at(-1)?.position ?? to);
    await nextTurn();
  }
  return ledger;
}

/** An error of this ledger is not one of the ledger at the head, which would be rebuilt. */
function attempted<T>(question: (books: Ledger) => T, books: Ledger): { readonly answer: T } | 'wrong' {
  try {
    return { answer: question(books) };
  } catch (error) {
    if (error instanceof LedgerError) return 'wrong';
    throw error;
  }
}
