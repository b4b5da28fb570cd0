import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { LogReplication, OutgoingBatch } from '../adapters/sqlite/replication/log-replication.js';
import { type BatchStream, ClusterAway, type KeyBucket, WrongSequence } from '../commands/ports/cluster.js';
import { Watermark } from './leader/watermark.js';

/** Pause after a failed attempt, in ms. */
const RETRY_MS = 200;
/** Keys that are known to be in the bucket. */
const MAX_KNOWN_KEYS = 10_000;

interface Parts {
  readonly replica: Pick<LogReplication, 'batchAfter' | 'hashAt' | 'wrappedKey'>;
  readonly stream: BatchStream;
  readonly keys: KeyBucket;
  /** Called once when this member cannot publish any more: another one leads, or the stream has lost messages. */
  readonly lost: (why: 'fenced' | 'shortened') => void;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** Pause after a failed attempt, in ms; a test passes a shorter one. */
  readonly retryMs?: number;
}

/**
 * Publishes the log of the leader, in order, one batch at a time. What is appended while a batch is on its way goes into the
 * next one, so that many changes share one round trip.
 */
export class Publisher {
  readonly #parts: Parts;
  readonly #retryMs: number;
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN_KEYS });
  readonly #confirmed: Watermark;
  #sequence: number;
  #running = false;
  #ended = false;
  #stalledAt: number | null = null;

  /** Continues after the last position and sequence that the log and the stream have in common. */
  constructor(parts: Parts, { position, sequence }: { readonly position: number; readonly sequence: number }) {
    this.#parts = parts;
    this.#retryMs = parts.retryMs ?? RETRY_MS;
    this.#confirmed = new Watermark(position);
    this.#sequence = sequence;
  }

  /** The last position that the quorum of the stream has confirmed. */
  get position(): number {
    return this.#confirmed.position;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Since when (ms since 1970) no answer has come; null while the stream answers. */
  get stalledAt(): number | null {
    return this.#stalledAt;
  }

  /** To be called after each append. */
  wake(): void {
    if (!this.#running && !this.#ended) void this.#run();
  }

  /** Resolves to whether the stream has confirmed everything up to a position within `ms`. */
  async confirmed(position: number, ms: number): Promise<boolean> {
    if (position <= this.position) return true;
    if (this.#ended) return false;
    this.wake();
    return this.#confirmed.reached(position, ms);
  }

  stop(): void {
    this.#ended = true;
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (let batch = this.#next(); batch !== null; batch = this.#next()) await this.#publish(batch);
    } catch (error) {
      this.#parts.warn('events could not be published to the cluster', { error: String(error) });
      if (!this.#ended) setTimeout(() => this.wake(), this.#retryMs).unref();
    } finally {
      this.#running = false;
    }
  }

  #next(): OutgoingBatch | null {
    return this.#ended ? null : this.#parts.replica.batchAfter(this.position);
  }

  async #publish(batch: OutgoingBatch): Promise<void> {
    while (!this.#ended) {
      try {
        await this.#putKeys(batch);
        this.#confirm(batch, await this.#parts.stream.publish(batch, this.#sequence));
        return;
      } catch (error) {
        if (error instanceof WrongSequence) return this.#resolve(batch);
        if (!(error instanceof ClusterAway)) throw error;
        this.#stalledAt ??= this.#parts.now();
        await sleep(this.#retryMs);
      }
    }
  }

  /** The stream must not have an event whose key is only here. */
  async #putKeys({ keys }: OutgoingBatch): Promise<void> {
    const unknown = keys.filter((id) => !this.#known.has(id));
    if (unknown.length === 0) return;
    const wrapped = unknown.map((id) => [id, this.#parts.replica.wrappedKey(id)] as const);
    await this.#parts.keys.put(new Map(wrapped.flatMap(([id, key]) => (key === null ? [] : [[id, key]]))));
    for (const id of unknown) this.#known.set(id, true);
  }

  /**
   * The stream does not end where the last batch was: the answer to this batch was lost, a former process of this member has
   * sent a part of it, or another member has written.
   */
  async #resolve(batch: OutgoingBatch): Promise<void> {
    const { stream, replica, lost } = this.#parts;
    const { last } = await stream.ends();
    const label = await stream.labelFrom(this.#sequence + 1);
    if (label?.id === batch.id) {
      // A former process may have sent fewer events under the same id.
      if (!label.complete) this.#sequence = label.sequence;
      else if (replica.hashAt(label.last) === label.hash)
        this.#confirm(replica.batchAfter(this.position, label.last) ?? batch, label.sequence);
      else throw new Error(`the stream has another event at position ${label.last}`);
      return;
    }
    this.#ended = true;
    lost(last < this.#sequence ? 'shortened' : 'fenced');
  }

  #confirm({ last, destroyed }: OutgoingBatch, sequence: number): void {
    this.#sequence = sequence;
    this.#stalledAt = null;
    this.#confirmed.advance(last);
    for (const id of destroyed) void this.#destroy(id);
  }

  /** A key that stays because of an error is destroyed when the next leader starts. */
  async #destroy(id: string): Promise<void> {
    try {
      await this.#parts.keys.destroy(id);
    } catch (error) {
      this.#parts.warn('a destroyed key could not be removed from the cluster yet', { error: String(error) });
    }
  }
}
