import type { KV } from '@nats-io/kv';
import { type Lease, WrongSequence } from '../../commands/ports/cluster.js';
import { natsRequest } from './errors.js';

const KEY = 'leader';

/** The lease as a key of a bucket whose keys expire. */
export class NatsLease implements Lease {
  readonly #bucket: KV;
  readonly #name: string;
  #revision = 0;

  constructor(bucket: KV, name: string) {
    this.#bucket = bucket;
    this.#name = name;
  }

  take(): Promise<boolean> {
    return this.#unlessWrong(() => this.#bucket.create(KEY, this.#name));
  }

  renew(): Promise<boolean> {
    return this.#unlessWrong(() => this.#bucket.update(KEY, this.#name, this.#revision));
  }

  async #unlessWrong(change: () => Promise<number>): Promise<boolean> {
    try {
      this.#revision = await natsRequest(change);
      return true;
    } catch (error) {
      if (error instanceof WrongSequence) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#unlessWrong(async () => {
      await this.#bucket.delete(KEY, { previousSeq: this.#revision });
      return 0;
    });
  }

  async holder(): Promise<string | null> {
    const entry = await natsRequest(() => this.#bucket.get(KEY));
    return entry === null || entry.operation !== 'PUT' ? null : entry.string();
  }
}
