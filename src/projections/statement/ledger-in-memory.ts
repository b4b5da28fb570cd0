import type { ClockSetback, Entry, Flow, LedgerBatch, LedgerStore } from '../../events/log/ledger-store.js';

/** A ledger without a file; it is lost when the process ends. */
export class LedgerInMemory implements LedgerStore {
  readonly #flows = new Map<number, Flow[]>();
  readonly #entries = new Map<number, Entry[]>();
  readonly setbacks: ClockSetback[] = [];
  day = 0;
  #position: number;

  /** `position`: the log is read after it. */
  constructor(position = 0) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  write(position: number, { flows, entries, setbacks, day }: LedgerBatch): void {
    for (const flow of flows) listOf(this.#flows, flow.client).push({ ...flow });
    for (const entry of entries) listOf(this.#entries, entry.client).push(entry);
    this.setbacks.push(...setbacks);
    this.day = day;
    this.#position = position;
  }

  flowsOf(client: number): readonly Flow[] {
    return this.#flows.get(client) ?? [];
  }

  flowsSince(day: number): readonly Flow[] {
    return [...this.#flows.values()].flat().filter((flow) => flow.day >= day);
  }

  entriesOf(client: number): readonly Entry[] {
    return this.#entries.get(client) ?? [];
  }
}

function listOf<T>(lists: Map<number, T[]>, client: number): T[] {
  let list = lists.get(client);
  if (!list) lists.set(client, (list = []));
  return list;
}
