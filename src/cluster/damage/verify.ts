import { chainHash, NewerRelease, payloadHash } from '../../adapters/sqlite/codec.js';
import { decodeBatch } from '../../adapters/sqlite/replication/batch-codec.js';
import type { LogReplication } from '../../adapters/sqlite/replication/log-replication.js';
import type { BatchStream, StreamedBatch, StreamFault } from '../../commands/ports/cluster.js';
import { type MessageCode, message, type Text } from '../../messages/message.js';
import { batchFrom } from '../alignment.js';
import { faultIn, faultText } from './stream-fault.js';

/** The first difference between the stream and a log. */
export interface Difference {
  /** `missing`: the stream lacks events. `changed`: its content does not give the hash that it has. `other`: the log has another event. */
  readonly what: 'missing' | 'changed' | 'other';
  readonly position: number;
  readonly sequence: number;
}

/** What a comparison of the whole stream with a log has found. */
export interface Comparison {
  readonly fault: StreamFault | null;
  readonly difference: Difference | null;
  /** Messages that were read, and the last position in them; null = none has a whole batch. */
  readonly messages: number;
  readonly last: number | null;
}

type Log = Pick<LogReplication, 'head' | 'hashAt'>;

/** Reads the whole stream, and compares each event with a log. Rejects with `ClusterAway`. */
export async function compare(stream: BatchStream, log: Log): Promise<Comparison> {
  const ends = await stream.ends();
  const fault = faultIn(ends, 0);
  const { messages } = ends;
  const first = await batchFrom(stream, ends.before + 1);
  if (first === null) return { fault, difference: null, messages, last: null };
  const reading = new Reading(log, first.first - 1);
  const ending = new AbortController();
  await stream.follow(
    ends.before,
    async (batches) => {
      for (const batch of batches) reading.add(batch);
      const { sequence = ends.before } = batches.at(-1) ?? {};
      if (reading.difference !== null || (await batchFrom(stream, sequence + 1)) === null) ending.abort();
    },
    ending.signal,
  );
  return { fault, difference: reading.difference, messages, last: reading.last };
}

class Reading {
  readonly #log: Log;
  #hash: Buffer | null;
  last: number;
  difference: Difference | null = null;

  /** `base`: the position before the first event of the stream. */
  constructor(log: Log, base: number) {
    this.#log = log;
    this.last = base;
    const hash = log.hashAt(base);
    this.#hash = hash === null ? null : Buffer.from(hash, 'hex');
  }

  add({ first, last, hash, body, sequence }: StreamedBatch): void {
    if (this.difference !== null) return;
    const differs = (what: Difference['what'], position: number): void =>
      void (this.difference = { what, position, sequence });
    if (first > this.last + 1) return differs('missing', this.last + 1);
    let rows: ReturnType<typeof decodeBatch>['rows'];
    try {
      ({ rows } = decodeBatch(body, first));
    } catch (error) {
      // The stream is not damaged, but this release cannot compare it.
      if (error instanceof NewerRelease) throw error;
      return differs('changed', first);
    }
    for (const row of rows) {
      if (row.position <= this.last) continue;
      if (row.position !== this.last + 1) return differs('missing', this.last + 1);
      const isChained = this.#hash === null || chainHash(this.#hash, row).equals(row.hash);
      if (!isChained || row.payload === null || !payloadHash(row.payload).equals(row.payload_hash))
        return differs('changed', row.position);
      const own = this.#log.hashAt(row.position);
      if (own !== null && own !== row.hash.toString('hex')) return differs('other', row.position);
      [this.last, this.#hash] = [row.position, row.hash];
    }
    if (this.last !== last || this.#hash?.toString('hex') !== hash) differs('changed', last);
  }
}

const DIFFERENCES = {
  missing: 'cluster.differenceMissing',
  changed: 'cluster.differenceChanged',
  other: 'cluster.differenceOther',
} as const satisfies Record<Difference['what'], MessageCode>;

/** What a comparison has found, as sentences; none for a sound stream. */
export const problemsIn = ({ fault, difference }: Pick<Comparison, 'fault' | 'difference'>): readonly Text[] => [
  ...(fault ? [faultText(fault)] : []),
  ...(difference ? [message(DIFFERENCES[difference.what], { ...difference })] : []),
];
