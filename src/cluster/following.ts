import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LogDamage, NewerRelease } from '../adapters/sqlite/codec.js';
import type { IncomingBatch, KeyPlace, LogReplication } from '../adapters/sqlite/replication/log-replication.js';
import type { KeyBucket } from '../commands/ports/cluster/keys.js';
import { type BatchStream, ClusterAway, type StreamedBatch } from '../commands/ports/cluster.js';
import { StorageError } from '../events/log/log.js';

/** Pause after a failed attempt, in ms. */
const RETRY_MS = 250;
/** Rows in one transaction, so that it does not block the event loop for long. */
const MAX_ROWS = 500;

/** Errors after which the same append may succeed later. */
const TEMPORARY: ReadonlySet<StorageError['kind']> = new Set<StorageError['kind']>(['full', 'busy', 'read-only']);

/** The log and the stream do not continue each other. The member must compare them again from its start. */
export class Diverged extends Error {
  override readonly name = 'Diverged';
}

/** The log that batches are appended to. */
export type FollowingLog = Pick<LogReplication, 'head' | 'hashAt' | 'decode' | 'ingest'>;

/** Data keys by id; null = destroyed. */
export type WrappedKeys = ReadonlyMap<string, Buffer | null>;

interface Parts {
  readonly replica: FollowingLog;
  readonly stream: BatchStream;
  /** The data keys of batches that the log does not have yet. */
  readonly keysOf: (batches: readonly IncomingBatch[]) => Promise<WrappedKeys>;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** Called after each transaction. */
  readonly moved: () => void;
}

/** A place that the log and the stream have in common. */
export interface Common {
  readonly position: number;
  readonly sequence: number;
}

/** Appends the batches of the stream to the log of a follower. */
export class Following {
  readonly #parts: Parts;
  #sequence: number;
  #position: number;
  #heardAt: number | null = null;
  #storageFails = false;
  #unknownAt: number | null = null;

  /** Continues after the last position and sequence that the log and the stream have in common. */
  constructor(parts: Parts, { position, sequence }: Common) {
    this.#parts = parts;
    this.#position = position;
    this.#sequence = sequence;
  }

  /** The last position that the log and the stream have in common. */
  get position(): number {
    return this.#position;
  }

  /** The last sequence whose events are in the log. */
  get sequence(): number {
    return this.#sequence;
  }

  /** When (ms since 1970) the last batch arrived; null = none since the start. */
  get heardAt(): number | null {
    return this.#heardAt;
  }

  /** Position of the first event that this release does not know, where it has stopped; null = it follows. */
  get unknownAt(): number | null {
    return this.#unknownAt;
  }

  /**
   * Follows until `signal` is aborted, or up to an event that only a newer release knows. Rejects with `Diverged`, and with
   * errors of the storage.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#parts.stream.follow(this.#sequence, (batches) => this.#apply(batches, signal), signal);
      } catch (error) {
        if (error instanceof NewerRelease) return this.#stopAt(error);
        if (error instanceof StorageError && TEMPORARY.has(error.kind)) this.#waitForStorage(error);
        else if (!(error instanceof ClusterAway)) throw error;
      }
      await sleep(RETRY_MS);
    }
  }

  /** The event cannot be skipped. The panel serves what it has until its release is upgraded. */
  #stopAt({ position, message: why }: NewerRelease): void {
    this.#unknownAt = position;
    this.#parts.warn('a newer release wrote to the cluster: this member follows no further until it is upgraded', {
      ...{ position, error: why },
    });
  }

  /** A follower whose disk is full serves what it has, as a single panel does, and continues when there is space. */
  #waitForStorage(error: StorageError): void {
    if (!this.#storageFails) this.#parts.warn('this member falls behind the cluster', { error: error.message });
    this.#storageFails = true;
  }

  async #apply(batches: readonly StreamedBatch[], signal: AbortSignal): Promise<void> {
    let together: IncomingBatch[] = [];
    let rows = 0;
    let to = { sequence: this.#sequence, position: this.#position };
    for (const batch of batches) {
      let decoded: IncomingBatch;
      try {
        decoded = this.#decode(batch, together.at(-1)?.rows.at(-1)?.position);
      } catch (error) {
        await this.#ingest(together, to);
        throw error;
      }
      together.push(decoded);
      rows += decoded.rows.length;
      to = { sequence: batch.sequence, position: batch.last };
      if (rows < MAX_ROWS) continue;
      await this.#ingest(together, to);
      if (signal.aborted) return;
      await nextTurn();
      [together, rows] = [[], 0];
    }
    await this.#ingest(together, to);
  }

  /** Compares a batch with the log, or with the batches before it that wait for the same transaction. */
  #decode(batch: StreamedBatch, before: number | undefined): IncomingBatch {
    const { replica } = this.#parts;
    const head = before ?? replica.head().position;
    if (batch.first > head + 1)
      throw new Diverged(`the stream continues at position ${batch.first}, the log ends at ${head}`);
    if (batch.last <= head && before === undefined && replica.hashAt(batch.last) !== batch.hash)
      throw new Diverged(`the log has another event at position ${batch.last}`);
    return replica.decode(batch);
  }

  async #ingest(batches: readonly IncomingBatch[], to: Common): Promise<void> {
    const { replica, moved, now } = this.#parts;
    const keys = await this.#parts.keysOf(batches);
    try {
      replica.ingest(
        batches.filter(({ rows }) => rows.length > 0),
        keys,
      );
    } catch (error) {
      if (error instanceof LogDamage) throw new Diverged(error.message, { cause: error });
      throw error;
    }
    this.#storageFails = false;
    this.#sequence = to.sequence;
    this.#position = to.position;
    this.#heardAt = now();
    moved();
  }
}

/** Reads data keys from the bucket. A key that is not in it was destroyed. */
export function keysIn(bucket: Pick<KeyBucket, 'get'>): Parts['keysOf'] {
  return async (batches) => {
    const places = new Map<string, KeyPlace | null>();
    for (const [id, place] of batches.flatMap(({ keys }) => [...keys])) {
      const before = places.get(id);
      // Only the first batch with a key may know its group.
      if (!before || before.mark !== place?.mark || place.group !== null) places.set(id, place);
    }
    const found = [...places].map(async ([id, place]) => {
      const wrapped = place && (await bucket.get(id, place.mark, place.group));
      return [id, wrapped && Buffer.from(wrapped)] as const;
    });
    return new Map(await Promise.all(found));
  };
}
