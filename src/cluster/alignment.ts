import { decodeBatch } from '../adapters/sqlite/replication/batch-codec.js';
import type { BatchLabel, BatchStream, StreamedBatch } from '../commands/ports/cluster.js';
import type { LogHead } from '../events/log/log.js';

/** The part of the log that is compared with the stream. */
export interface ComparedLog {
  head(): LogHead;
  hashAt(position: number): string | null;
}

/**
 * How a log and the stream relate. `behind`: the stream continues the log. `ahead`: the log has events that are not in the
 * stream. `diverged`: both continue differently. `gap`: the stream no longer has the events after the head of the log.
 */
export type Relation = 'equal' | 'behind' | 'ahead' | 'diverged' | 'gap';

export interface Alignment {
  readonly relation: Relation;
  /** The last sequence whose events are all in the log. */
  readonly sequence: number;
  /** The last position that both have. */
  readonly position: number;
}

type Found = BatchLabel & { readonly sequence: number };

/** The first whole batch from a sequence on; null after the last one. Parts of a batch without its end are skipped. */
export async function batchFrom(stream: BatchStream, sequence: number): Promise<Found | null> {
  for (let from = sequence; ; ) {
    const label = await stream.labelFrom(from);
    if (label === null || label.complete) return label;
    from = label.sequence + 1;
  }
}

/** Finds where a log and the stream agree: a binary search, because equal hashes prove that everything before is equal. */
export async function align(stream: BatchStream, log: ComparedLog): Promise<Alignment> {
  const { before, last, base } = await stream.ends();
  const head = log.head();
  const agrees = ({ last: position, hash }: Found): boolean => log.hashAt(position) === hash;
  let [low, high] = [before, last];
  let common: Found | null = null;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const found = await batchFrom(stream, middle);
    if (found !== null && agrees(found)) {
      common = found;
      low = found.sequence;
    } else {
      high = middle - 1;
    }
  }
  const next = await batchFrom(stream, low + 1);
  if (next !== null && next.first <= head.position && next.last > head.position) {
    // A rebuilt stream has longer batches, and a snapshot may end within one.
    if ((await hashIn(stream, low, head.position)) === head.hash)
      return { relation: 'behind', sequence: low, position: head.position };
  }
  const position = common?.last ?? (next === null ? base : next.first - 1);
  const relation = relationOf(head.position, Math.min(position, head.position), next);
  return { relation, sequence: low, position: Math.min(position, head.position) };
}

/** The chain hash of an event in the first batch after a sequence; null = it is not in that batch. */
async function hashIn(stream: BatchStream, after: number, position: number): Promise<string | null> {
  const ending = new AbortController();
  let hash: string | null = null;
  const read = async ([batch]: readonly StreamedBatch[]): Promise<void> => {
    if (batch === undefined) return;
    const row = decodeBatch(batch.body, batch.first).rows.find((each) => each.position === position);
    hash = row?.hash.toString('hex') ?? null;
    ending.abort();
  };
  await stream.follow(after, read, ending.signal);
  return hash;
}

function relationOf(head: number, position: number, next: Found | null): Relation {
  if (next === null) return head > position ? 'ahead' : 'equal';
  if (next.first > head + 1) return 'gap';
  return head > position ? 'diverged' : 'behind';
}
