import type { KV } from '@nats-io/kv';
import { type KeyBucket, keyMark, WrongSequence } from '../../commands/ports/cluster.js';
import { natsRequest } from './errors.js';

/** The names of keys may contain only some characters; ids may contain any. */
const prefixOf = (id: string): string => Buffer.from(id).toString('base64url');
const nameOf = (id: string, mark: string): string => `${prefixOf(id)}.${mark}`;
const idOf = (name: string): string => Buffer.from(name.split('.')[0] ?? '', 'base64url').toString();

/** The data keys in a bucket without history, so that a purged key is gone. */
export class NatsKeyBucket implements KeyBucket {
  readonly #bucket: KV;

  constructor(bucket: KV) {
    this.#bucket = bucket;
  }

  async put(id: string, wrapped: Uint8Array): Promise<void> {
    try {
      await natsRequest(() => this.#bucket.create(nameOf(id, keyMark(wrapped)), wrapped));
    } catch (error) {
      // It is there already: the name contains the mark of the key.
      if (!(error instanceof WrongSequence)) throw error;
    }
  }

  get(id: string, mark: string): Promise<Uint8Array | null> {
    return this.#get(nameOf(id, mark));
  }

  async #get(name: string): Promise<Uint8Array | null> {
    const entry = await natsRequest(() => this.#bucket.get(name));
    return entry === null || entry.operation !== 'PUT' ? null : entry.value;
  }

  async all(id: string): Promise<readonly Uint8Array[]> {
    const found = await Promise.all((await this.#names(`${prefixOf(id)}.*`)).map((name) => this.#get(name)));
    return found.filter((wrapped) => wrapped !== null);
  }

  async destroy(id: string): Promise<void> {
    for (const name of await this.#names(`${prefixOf(id)}.*`)) await natsRequest(() => this.#bucket.purge(name));
  }

  async ids(): Promise<readonly string[]> {
    return [...new Set((await this.#names()).map(idOf))];
  }

  async #names(filter?: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const name of await natsRequest(() => this.#bucket.keys(filter))) names.push(name);
    return names;
  }
}
