import type { BatchStream, ReportedMember } from '../../commands/ports/cluster.js';
import { ClusterAway, membersOf } from '../../commands/ports/cluster.js';

const DAY_MS = 86_400_000;
/** How often the oldest messages are removed, in ms. */
const EVERY_MS = 3_600_000;

interface Parts {
  readonly stream: Pick<BatchStream, 'ends' | 'labelFrom' | 'trim'>;
  /** How long the stream keeps a message, in days. */
  readonly days: number;
  /** The last reports of the members. */
  readonly reports: () => readonly ReportedMember[];
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/**
 * Removes the oldest messages of the stream, on the leader. A message stays for some days, so that a member that was away, and
 * one that joins with a snapshot, finds what it lacks, and as long as a running member lacks it. The last one always stays.
 */
export class StreamRetention {
  readonly #parts: Parts;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Removes what may go, at most once an hour. Never rejects. */
  async trim(): Promise<void> {
    const { stream, now, warn } = this.#parts;
    if (performance.now() < this.#nextAt) return;
    this.#nextAt = performance.now() + EVERY_MS;
    try {
      const { before } = await stream.ends();
      const last = await this.#removable(before);
      if (last > before) await stream.trim(last);
    } catch (error) {
      if (!(error instanceof ClusterAway))
        warn('old messages could not be removed from the stream', { error: String(error), at: now() });
    }
  }

  /** The last sequence that may go: a binary search, because the times and positions of the messages only grow. */
  async #removable(before: number): Promise<number> {
    const { stream, days, reports, now } = this.#parts;
    const running = membersOf(reports()).filter(({ state }) => state === 'running');
    if (running.length === 0) return before;
    const position = Math.min(...running.map((member) => member.position));
    const until = now() - days * DAY_MS;
    let [low, high] = [before, (await stream.ends()).last - 1];
    let mayGo = before;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const found = await stream.labelFrom(middle);
      if (found !== null && found.sequence <= high && found.storedAt < until && found.last <= position) {
        low = found.sequence;
        // A part of a batch without its end does not go alone.
        if (found.complete) mayGo = found.sequence;
      } else {
        high = middle - 1;
      }
    }
    return mayGo;
  }
}
