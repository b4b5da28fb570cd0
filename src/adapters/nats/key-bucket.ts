import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { type KeyBucket, keyMark } from '../../commands/ports/cluster/keys.js';
import { ClusterAway, WrongSequence } from '../../commands/ports/cluster.js';
import { REQUEST_MS } from './connection.js';
import { natsError, natsRequest } from './errors.js';
import { isGroupName, type KeyGroup, KeyGroups } from './key-groups.js';

export const KEY_BUCKET = 'PORTOLAN_KEYS';
const STREAM = `KV_${KEY_BUCKET}`;
const SUBJECT = `$KV.${KEY_BUCKET}.`;
/** Keys in one request: NATS answers at most 1024, and takes at most 1000. */
const TOGETHER = 500;
/** From this number on, keys are read and written together. */
const SEVERAL = 4;

/** The names of keys may contain only some characters; ids may contain any. */
/** Says that every key was stored. It has no dot, so it cannot be the name of a key. */
const COMPLETE = 'complete';
const prefixOf = (id: string): string => Buffer.from(id).toString('base64url');
const nameOf = (id: string, mark: string): string => `${prefixOf(id)}.${mark}`;
const idOf = (name: string): string => Buffer.from(name.split('.')[0] ?? '', 'base64url').toString();

interface NamedKey {
  readonly name: string;
  readonly wrapped: Uint8Array;
}

interface Asked {
  readonly id: string;
  readonly mark: string;
  readonly group: string | null;
  readonly found: (wrapped: Uint8Array | null) => void;
  readonly failed: (error: unknown) => void;
}

/** The data keys in a bucket without history, so that a purged key is gone. */
export class NatsKeyBucket implements KeyBucket {
  readonly #bucket: KV;
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #groups: KeyGroups;
  #asked: Asked[] = [];

  constructor(bucket: KV, manager: JetStreamManager) {
    this.#bucket = bucket;
    this.#groups = new KeyGroups(bucket, manager, { stream: STREAM, subject: SUBJECT });
    this.#client = manager.jetstream();
    this.#manager = manager;
  }

  putGroup(name: string, keys: KeyGroup): Promise<void> {
    return this.#groups.put(name, keys);
  }

  /** Stores each key under its own name: batches of the log may refer to groups that are lost. */
  async put(keys: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const all = [...keys].map(([id, wrapped]) => ({ name: nameOf(id, keyMark(wrapped)), wrapped }));
    for (let from = 0; from < all.length; from += TOGETHER) {
      const some = all.slice(from, from + TOGETHER);
      if (some.length < SEVERAL || !(await this.#putTogether(some)))
        await Promise.all(some.map((key) => this.#create(key)));
    }
  }

  /**
   * In one batch, which the servers write in less than half the time. False: the bucket is older than this and takes no
   * batches, or the batch was lost with the server that led the bucket.
   */
  async #putTogether(keys: readonly NamedKey[]): Promise<boolean> {
    const [first, ...others] = keys;
    const last = others.pop();
    if (first === undefined || last === undefined) return false;
    try {
      const batch = await this.#client.startBatch(SUBJECT + first.name, first.wrapped);
      for (const { name, wrapped } of others) batch.add(SUBJECT + name, wrapped);
      await batch.commit(SUBJECT + last.name, last.wrapped, { timeout: REQUEST_MS });
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError) return false;
      throw natsError(error);
    }
  }

  async #create({ name, wrapped }: NamedKey): Promise<void> {
    try {
      await natsRequest(() => this.#bucket.create(name, wrapped));
    } catch (error) {
      // It is there already: the name contains the mark of the key.
      if (!(error instanceof WrongSequence)) throw error;
    }
  }

  get(id: string, mark: string, group: string | null): Promise<Uint8Array | null> {
    return new Promise((found, failed) => {
      if (this.#asked.length === 0) setImmediate(() => void this.#answer());
      this.#asked.push({ id, mark, group, found, failed });
    });
  }

  /** Reads the keys that were asked for in one turn: a member that catches up needs thousands. */
  async #answer(): Promise<void> {
    const asked = this.#asked.splice(0);
    const alone: Asked[] = [];
    try {
      const groups = await this.#groupsIn(asked);
      for (const each of asked) {
        const wrapped = groups.get(each.group ?? '')?.get(each.id);
        if (wrapped && keyMark(wrapped) === each.mark) each.found(wrapped);
        else alone.push(each);
      }
    } catch (error) {
      for (const { failed } of asked) failed(error);
      return;
    }
    for (let from = 0; from < alone.length; from += TOGETHER) {
      const some = alone.slice(from, from + TOGETHER).map((each) => ({ ...each, name: nameOf(each.id, each.mark) }));
      const together = await this.#together(some.map(({ name }) => name));
      const answers = some.map(async ({ id, mark, name, found, failed }) => {
        const wrapped = together.get(name);
        if (wrapped) found(wrapped);
        else await this.#get(name, () => this.#inAnyGroup(id, mark)).then(found, failed);
      });
      await Promise.all(answers);
    }
  }

  async #groupsIn(asked: readonly Asked[]): Promise<ReadonlyMap<string, KeyGroup>> {
    const names = [...new Set(asked.flatMap(({ group }) => group ?? []))];
    return new Map(await Promise.all(names.map(async (name) => [name, await this.#groups.get(name)] as const)));
  }

  /** Keys by name. Any replica answers, so a key that is not among them may exist. */
  async #together(names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const keys = new Map<string, Uint8Array>();
    if (names.length < SEVERAL) return keys;
    try {
      const subjects = names.map((name) => SUBJECT + name);
      const found = await this.#manager.direct.getLastMessagesFor(STREAM, { multi_last: subjects });
      for await (const { subject, header, data } of found)
        if (header.get('KV-Operation') === '') keys.set(subject.slice(SUBJECT.length), data);
    } catch {
      // They are asked for one by one, which says what is wrong.
    }
    return keys;
  }

  async #inAnyGroup(id: string, mark: string): Promise<Uint8Array | null> {
    return (await this.#groups.all(id)).find((wrapped) => keyMark(wrapped) === mark) ?? null;
  }

  /** The key that is stored alone, or `elsewhere`. */
  async #get(name: string, elsewhere: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const wrapped = (await this.#last(name)) ?? (await elsewhere());
    if (wrapped !== null) return wrapped;
    // Otherwise the key of a bucket that was deleted by hand would count as destroyed.
    if (!(await this.isComplete())) throw new ClusterAway('the bucket of keys is not complete yet');
    return null;
  }

  /** What the leader of the bucket has: a replica may lack the newest keys, and a key that is missing counts as destroyed. */
  async #last(name: string): Promise<Uint8Array | null> {
    const query = { last_by_subj: SUBJECT + name };
    const found = await natsRequest(() => this.#manager.streams.getMessage(STREAM, query));
    return found === null || found.header.get('KV-Operation') !== '' ? null : found.data;
  }

  /** Whether every key was stored once. Not in a bucket that was created again, until the leader has filled it. */
  async isComplete(): Promise<boolean> {
    return (await this.#last(COMPLETE)) !== null;
  }

  async markComplete(): Promise<void> {
    await natsRequest(() => this.#bucket.put(COMPLETE, ''));
  }

  async all(id: string): Promise<readonly Uint8Array[]> {
    const found = await Promise.all((await this.#names(`${prefixOf(id)}.*`)).map((name) => this.#last(name)));
    return [...found.filter((wrapped) => wrapped !== null), ...(await this.#groups.all(id))];
  }

  async destroy(ids: readonly string[]): Promise<void> {
    await this.#groups.remove(ids);
    for (const id of ids)
      for (const name of await this.#names(`${prefixOf(id)}.*`)) await natsRequest(() => this.#bucket.purge(name));
  }

  /** The ids of all keys. */
  async ids(): Promise<readonly string[]> {
    const single = (await this.#names()).filter((name) => name !== COMPLETE && !isGroupName(name)).map(idOf);
    return [...new Set([...single, ...(await this.#groups.ids())])];
  }

  async #names(filter?: string): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const name of await natsRequest(() => this.#bucket.keys(filter))) names.push(name);
    return names;
  }
}
