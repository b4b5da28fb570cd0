import type { KeyBucket } from '../../src/commands/ports/cluster/keys.js';
import { keyMark } from '../../src/commands/ports/cluster/keys.js';
import type { Batch, BatchStream, StreamedBatch } from '../../src/commands/ports/cluster.js';
import { ClusterAway, WrongSequence } from '../../src/commands/ports/cluster.js';

/** What becomes of a publish: it arrives, only its answer is lost, or it is lost itself. */
export type Fate = 'answered' | 'answer lost' | 'lost';

interface Flight {
  readonly by: string;
  readonly batch: Batch;
  readonly after: number;
  readonly answered: (sequence: number) => void;
  readonly failed: (error: Error) => void;
}

/** A stream in memory that holds each publish until the test decides on it. */
export class MemoryStream {
  readonly batches: StreamedBatch[] = [];
  /** Position of the log at which the stream was created. */
  readonly base: number;
  #flights: Flight[] = [];

  constructor(base: number) {
    this.base = base;
  }

  /** The stream as one process of a member uses it. Nothing answers after `ended` has become true. */
  portFor(by: string, ended: () => boolean): BatchStream {
    return {
      servers: async () => [],
      ends: async () => {
        const { length } = this.batches;
        return { before: 0, last: length, base: this.base, messages: length, removed: 0, isBuilding: false };
      },
      labelFrom: async (sequence) => {
        const found = this.batches[sequence - 1];
        return found ? { ...found, complete: true, storedAt: 0 } : null;
      },
      publish: (batch, after) =>
        new Promise((answered, failed) => {
          // A process that has ended sends nothing.
          if (!ended()) this.#flights.push({ by, batch, after, answered, failed });
        }),
      trim: async () => undefined,
      follow: async (after, apply, signal) => {
        const next = this.batches.slice(after);
        if (!signal.aborted && !ended() && next.length > 0) await apply(next);
      },
    };
  }

  /** Whether a publish of a member is on its way. */
  isBusy(by: string): boolean {
    return this.#flights.some((flight) => flight.by === by);
  }

  /** Decides on the publishes on their way. */
  deliver(fate: Fate): void {
    const flights = this.#flights;
    this.#flights = [];
    for (const { batch, after, answered, failed } of flights) {
      if (fate === 'lost') {
        failed(new ClusterAway('lost'));
        continue;
      }
      const known = this.batches.find(({ id }) => id === batch.id);
      if (known === undefined ? this.batches.length !== after : known.last !== batch.last) {
        failed(new WrongSequence('the stream does not end there'));
        continue;
      }
      const sequence = known?.sequence ?? this.batches.push({ ...batch, sequence: after + 1 });
      if (fate === 'answered') answered(sequence);
      else failed(new ClusterAway('the answer was lost'));
    }
  }

  /** A process has ended: what it has sent still arrives, or not; its answer reaches no one. */
  disconnect(by: string, arrives: boolean): void {
    const [its, others] = [true, false].map((own) => this.#flights.filter((flight) => (flight.by === by) === own));
    this.#flights = arrives ? (its ?? []) : [];
    if (arrives) this.deliver('answer lost');
    this.#flights = others ?? [];
  }
}

/** The data keys of a cluster in memory. */
export function memoryKeys(): KeyBucket {
  const groups = new Map<string, ReadonlyMap<string, Uint8Array>>();
  return {
    putGroup: async (name, keys) => void groups.set(name, keys),
    get: async (id, mark) => {
      const found = [...groups.values()].flatMap((keys) => keys.get(id) ?? []);
      return found.find((wrapped) => keyMark(wrapped) === mark) ?? null;
    },
    all: async (id) => [...groups.values()].flatMap((keys) => keys.get(id) ?? []),
    destroy: async (ids) => {
      for (const [name, keys] of groups) groups.set(name, new Map([...keys].filter(([id]) => !ids.includes(id))));
    },
  };
}
