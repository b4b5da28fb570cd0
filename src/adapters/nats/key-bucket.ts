import type { KV } from '@nats-io/kv';
import { ClusterAway, type KeyBucket, keyMark, WrongSequence } from '../../commands/ports/cluster.js';
import { natsRequest } from './errors.js';

/** The names of keys may contain only some characters; ids may contain any. */
/** Says that every key was stored. It has no dot, so it cannot be the name of a key. */
const COMPLETE = 'complete';
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
    if (entry !== null && entry.operation === 'PUT') return entry.value;
    // Otherwise the key of a bucket that was deleted by hand would count as destroyed.
    if (!(await this.isComplete())) throw new ClusterAway('the bucket of keys is not complete yet');
    return null;
  }

  /** Whether every key was stored once. Not in a bucket that was made anew, until the leader has filled it. */
  async isComplete(): Promise<boolean> {
    return (await natsRequest(() => this.#bucket.get(COMPLETE))) !== null;
  }

  async markComplete(): Promise<void> {
    await natsRequest(() => this.#bucket.put(COMPLETE, ''));
  }

  async all(id: string): Promise<readonly Uint8Array[]> {
    const found = await Promise.all((await this.#names(`${prefixOf(id)}.*`)).map((name) => this.#get(name)));
    return found.filter((wrapped) => wrapped !== null);
  }

  async destroy(id: string): Promise<void> {
    for (const name of await this.#names(`${prefixOf(id)}.*`)) await natsRequest(() => this.#bucket.purge(name));
  }

  async ids(): Promise<readonly string[]> {
    return [...new Set((await this.#names()).filter((name) => name !== COMPLETE).map(idOf))];
  }

  async #names(filter?: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const name of await natsRequest(() => this.#bucket.keys(filter))) names.push(name);
    return names;
  }
}
