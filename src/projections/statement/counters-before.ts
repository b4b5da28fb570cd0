import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Counter, sumOf } from '../../events/traffic/counters.js';
import type { Ledger, LedgerAnswer } from './ledger.js';

/** Clients whose counters are summed up before other work gets a turn. */
const CLIENTS_PER_TURN = 20;

/** The counters of clients before a position: the sums of their lines in the ledger. Or why the ledger has no answer. */
export async function countersBefore<N extends number>(
  ledger: <T>(question: (books: Ledger) => T) => Promise<LedgerAnswer<T>>,
  clients: readonly N[],
  before: number,
): Promise<ReadonlyMap<N, Counter> | 'unready' | 'wrong'> {
  const counters = new Map<N, Counter>();
  for (let at = 0; at < clients.length; at += CLIENTS_PER_TURN) {
    const some = clients.slice(at, at + CLIENTS_PER_TURN);
    const asked = await ledger((books) =>
      some.map((number) => {
        const lines = [...books.flowsOf(number), ...books.entriesOf(number)];
        return [number, sumOf(lines.filter(({ position }) => position < before))] as const;
      }),
    );
    if ('unavailable' in asked) return asked.unavailable;
    for (const [number, sum] of asked.answer) counters.set(number, sum);
    await nextTurn();
  }
  return counters;
}
