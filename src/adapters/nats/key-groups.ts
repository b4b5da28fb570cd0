import { JetStreamError, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { z } from 'zod';
import { WrongSequence } from '../../commands/ports/cluster.js';
import { natsError, natsRequest } from './errors.js';

/** Groups in one answer of the server. */
const PAGE = 100;
/** The status of an answer without messages. */
const NOT_FOUND = 404;
/** The names of single keys have two parts. */
const PREFIX = 'group.keys.';

/** Wrapped keys by id, Base64. */
const Stored = z.record(z.string(), z.base64());

/** Keys by id. */
export type KeyGroup = ReadonlyMap<string, Uint8Array>;

export const isGroupName = (name: string): boolean => name.startsWith(PREFIX);

/** The last message of a group, as the leader of the bucket or any replica has it. */
interface StoredGroup {
  readonly keys: KeyGroup;
  readonly revision: number;
}

/**
 * Keys that were created together, one message for each group: the servers write every message to their disks, so a message for
 * each key costs many times as much. A destroyed key is removed from the groups that have it by replacing their messages.
 */
export class KeyGroups {
  readonly #bucket: KV;
  readonly #manager: JetStreamManager;
  readonly #stream: string;
  readonly #subject: string;
  /** The groups of each id, from all messages up to a sequence. Null until it is needed. */
  #groupsOf: Map<string, Set<string>> | null = null;
  #readTo = 0;
  #reading: Promise<Map<string, Set<string>>> | null = null;
  #changing: Promise<unknown> = Promise.resolve();

  /** `subject`: of the bucket, with a dot at the end. */
  constructor(bucket: KV, manager: JetStreamManager, { stream, subject }: { stream: string; subject: string }) {
    this.#bucket = bucket;
    this.#manager = manager;
    this.#stream = stream;
    this.#subject = subject;
  }

  /** Stores a group. Its name depends on the keys in it, so it may be there already. */
  async put(name: string, keys: KeyGroup): Promise<void> {
    try {
      await natsRequest(() => this.#bucket.create(PREFIX + name, encoded(keys)));
    } catch (error) {
      if (!(error instanceof WrongSequence)) throw error;
    }
  }

  /** The keys of a group; empty when there is no such group. A replica may lack the newest groups, so the leader of the bucket is read as well. */
  async get(name: string): Promise<KeyGroup> {
    const query = { last_by_subj: this.#subject + PREFIX + name };
    const found = await natsRequest(() => this.#manager.direct.getMessage(this.#stream, query));
    if (found !== null && found.header.get('KV-Operation') === '') return decoded(found.data);
    return (await this.#last(PREFIX + name))?.keys ?? new Map();
  }

  /** All keys under an id. */
  async all(id: string): Promise<readonly Uint8Array[]> {
    const names = (await this.#index()).get(id) ?? [];
    const groups = await Promise.all([...names].map((name) => this.#last(name)));
    return groups.flatMap((group) => group?.keys.get(id) ?? []);
  }

  /** The ids of all keys. */
  async ids(): Promise<readonly string[]> {
    return [...(await this.#index()).keys()];
  }

  /** Removes all keys under these ids. */
  remove(ids: readonly string[]): Promise<void> {
    const removed = this.#changing.then(() => this.#remove(ids));
    this.#changing = removed.catch(() => undefined);
    return removed;
  }

  async #remove(ids: readonly string[]): Promise<void> {
    const index = await this.#index();
    for (const name of new Set(ids.flatMap((id) => [...(index.get(id) ?? [])]))) await this.#without(name, ids);
    for (const id of ids) index.delete(id);
  }

  /** Replaces the message of a group; the bucket has no history, so the old one is gone. */
  async #without(name: string, ids: readonly string[]): Promise<void> {
    for (;;) {
      const group = await this.#last(name);
      if (group === null || !ids.some((id) => group.keys.has(id))) return;
      const rest = new Map([...group.keys].filter(([id]) => !ids.includes(id)));
      try {
        const { revision } = group;
        if (rest.size === 0) await natsRequest(() => this.#bucket.purge(name, { previousSeq: revision }));
        else await natsRequest(() => this.#bucket.update(name, encoded(rest), revision));
        return;
      } catch (error) {
        // Another member has changed it.
        if (!(error instanceof WrongSequence)) throw error;
      }
    }
  }

  /** As the leader of the bucket has it. */
  async #last(name: string): Promise<StoredGroup | null> {
    const query = { last_by_subj: this.#subject + name };
    const found = await natsRequest(() => this.#manager.streams.getMessage(this.#stream, query));
    if (found === null || found.header.get('KV-Operation') !== '') return null;
    return { keys: decoded(found.data), revision: found.seq };
  }

  /** The groups of each id, with those that were stored since the last call. */
  #index(): Promise<Map<string, Set<string>>> {
    return (this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    }));
  }

  async #read(): Promise<Map<string, Set<string>>> {
    const groupsOf = (this.#groupsOf ??= new Map());
    const { last_seq: last } = (await natsRequest(() => this.#manager.streams.info(this.#stream))).state;
    // A bucket that was created again begins with 1.
    if (last < this.#readTo) this.#readTo = 0;
    for (let from = this.#readTo + 1; from <= last; ) {
      const page = await this.#page(from);
      for (const { subject, header, data } of page) {
        if (header.get('KV-Operation') !== '') continue;
        const name = subject.slice(this.#subject.length);
        for (const id of decoded(data).keys()) groupsOf.set(id, (groupsOf.get(id) ?? new Set<string>()).add(name));
      }
      from = page.length < PAGE ? last + 1 : (page.at(-1)?.seq ?? last) + 1;
    }
    this.#readTo = last;
    return groupsOf;
  }

  /** The next groups from a sequence on. */
  async #page(from: number): Promise<readonly StoredMsg[]> {
    const query = { seq: from, next_by_subj: `${this.#subject}${PREFIX}*`, batch: PAGE };
    const page: StoredMsg[] = [];
    try {
      for await (const one of await this.#manager.direct.getBatch(this.#stream, query)) page.push(one);
    } catch (error) {
      if (!(error instanceof JetStreamError && 'code' in error && error.code === NOT_FOUND)) throw natsError(error);
    }
    return page;
  }
}

function encoded(keys: KeyGroup): string {
  return JSON.stringify(Object.fromEntries([...keys].map(([id, key]) => [id, Buffer.from(key).toString('base64')])));
}

function decoded(data: Uint8Array): KeyGroup {
  const stored = Stored.parse(JSON.parse(Buffer.from(data).toString()));
  return new Map(Object.entries(stored).map(([id, key]) => [id, Buffer.from(key, 'base64')]));
}
