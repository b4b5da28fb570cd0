import { setTimeout as sleep } from 'node:timers/promises';
import type { LogReplication, OutgoingBatch } from '../adapters/sqlite/replication/log-replication.js';
import type { KeyBucket } from '../commands/ports/cluster/keys.js';
import { type BatchStream, ClusterAway, WrongSequence } from '../commands/ports/cluster.js';
import { Watermark } from './leader/watermark.js';

/** Pause after a failed attempt, in ms. */
const RETRY_MS = 200;
/** From how many callers on their next changes are awaited, and for how long, in ms. */
const SEVERAL = 4;
const GATHER_MS = 4;

interface Parts {
  readonly replica: Pick<LogReplication, 'batchAfter' | 'hashAt' | 'noteNewKeys' | 'confirmed'>;
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
 * next one, so that many changes share one round trip. Callers who were just answered often send their next change at once: the
 * next batch waits for them a moment, because a batch costs the servers and the followers as much as many changes.
 */
export class Publisher {
  readonly #parts: Parts;
  readonly #retryMs: number;
  readonly #confirmed: Watermark;
  #sequence: number;
  #running = false;
  #ended = false;
  /** Callers whose changes were in the last batch, or wait for the next one. */
  #callers = 0;
  #stalledAt: number | null = null;

  /** Continues after the last position and sequence that the log and the stream have in common. */
  constructor(parts: Parts, { position, sequence }: { readonly position: number; readonly sequence: number }) {
    this.#parts = parts;
    this.#retryMs = parts.retryMs ?? RETRY_MS;
    this.#confirmed = new Watermark(position);
    this.#sequence = sequence;
    parts.replica.noteNewKeys(position);
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
      for (let batch = this.#next(); batch !== null; batch = this.#next()) {
        await this.#publish(batch);
        if (this.#callers >= SEVERAL) await this.#confirmed.gathered(this.#callers, GATHER_MS);
      }
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
  async #putKeys({ groups }: OutgoingBatch): Promise<void> {
    await Promise.all([...groups].map(([name, keys]) => this.#parts.keys.putGroup(name, keys)));
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

  #confirm(batch: OutgoingBatch, sequence: number): void {
    this.#sequence = sequence;
    this.#stalledAt = null;
    this.#parts.replica.confirmed(batch);
    const answered = this.#confirmed.advance(batch.last);
    this.#callers = answered + this.#confirmed.waiting;
    if (batch.destroyed.length > 0) void this.#destroy(batch.destroyed);
  }

  async #destroy(ids: readonly string[]): Promise<void> {
    for (;;) {
      try {
        return await this.#parts.keys.destroy(ids);
      } catch (error) {
        if (error instanceof ClusterAway && !this.#ended) {
          await sleep(this.#retryMs);
          continue;
        }
        this.#parts.warn('destroyed keys could not be removed from the cluster', { error: String(error) });
        return;
      }
    }
  }
}
