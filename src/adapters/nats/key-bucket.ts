import type { KV } from '@nats-io/kv';
import { type KeyBucket, WrongSequence } from '../../commands/ports/cluster.js';
import { natsRequest } from './errors.js';

/** The names of keys may contain only some characters; ids may contain any. */
const nameOf = (id: string): string => Buffer.from(id).toString('base64url');
const idOf = (name: string): string => Buffer.from(name, 'base64url').toString();

/** The data keys in a bucket without history, so that a purged key is gone. */
export class NatsKeyBucket implements KeyBucket {
  readonly #bucket: KV;

  constructor(bucket: KV) {
    this.#bucket = bucket;
  }

  /** A key never changes, so one that is there already stays. */
  async put(id: string, wrapped: Uint8Array): Promise<void> {
    try {
      await natsRequest(() => this.#bucket.create(nameOf(id), wrapped));
    } catch (error) {
      if (!(error instanceof WrongSequence)) throw error;
    }
  }

  async get(id: string): Promise<Uint8Array | null> {
    const entry = await natsRequest(() => this.#bucket.get(nameOf(id)));
    return entry === null || entry.operation !== 'PUT' ? null : entry.value;
  }

  async destroy(id: string): Promise<void> {
    await natsRequest(() => this.#bucket.purge(nameOf(id)));
  }

  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const name of await natsRequest(() => this.#bucket.keys())) ids.push(idOf(name));
    return ids;
  }
}
