import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { jetstream } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/nats-core';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { natsRequest } from './errors.js';

const BUCKET = 'PORTOLAN_SNAPSHOTS';
/** A snapshot that was not removed after its use disappears after an hour. */
const TTL_MS = 3_600_000;
/** The library keeps what it has received of an object in memory until it is written, so a file is stored in parts. */
const PART_BYTES = 8 * 1024 * 1024;
const CHUNK_MS = 10_000;

/** Files on their way from the leader to a new member, in the object store. */
export class SnapshotStore {
  readonly #objects: ObjectStore;

  private constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Opens the store, which is created if there is none. */
  static async open(connection: NatsConnection): Promise<SnapshotStore> {
    const manager = new Objm(jetstream(connection, { timeout: CHUNK_MS }));
    // One replica: a snapshot that is lost is made again.
    const options = { replicas: 1, ttl: nanos(TTL_MS), storage: 'file' as const };
    return new SnapshotStore(await natsRequest(() => manager.create(BUCKET, options)));
  }

  /** Opens the store in which the leader has put a snapshot. A mirror may not create one. */
  static async existing(connection: NatsConnection): Promise<SnapshotStore> {
    const manager = new Objm(jetstream(connection, { timeout: CHUNK_MS }));
    return new SnapshotStore(await natsRequest(() => manager.open(BUCKET, false)));
  }

  /** Stores a file under a name. Resolves to the number of its parts. */
  async put(name: string, file: string): Promise<number> {
    const { size } = await stat(file);
    const parts = Math.max(1, Math.ceil(size / PART_BYTES));
    for (let part = 0; part < parts; part += 1) {
      const start = part * PART_BYTES;
      const bytes = createReadStream(file, { start, end: Math.min(size, start + PART_BYTES) - 1 });
      const data = Readable.toWeb(bytes) as ReadableStream<Uint8Array>;
      await natsRequest(() => this.#objects.put({ name: `${name}.${part}` }, data, { timeout: CHUNK_MS }));
    }
    return parts;
  }

  /** Writes what is stored under a name to a new file. Rejects when a part is missing or damaged. */
  async get(name: string, parts: number, file: string): Promise<void> {
    const handle = await open(file, 'wx', 0o600);
    try {
      for (let part = 0; part < parts; part += 1) {
        const found = await natsRequest(() => this.#objects.get(`${name}.${part}`));
        if (found === null) throw new Error(`part ${part + 1} of ${parts} is missing`);
        for await (const bytes of Readable.fromWeb(found.data as never)) await handle.writeFile(bytes as Uint8Array);
        const failed = await found.error;
        if (failed) throw failed;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  async remove(name: string, parts: number): Promise<void> {
    for (let part = 0; part < parts; part += 1) await natsRequest(() => this.#objects.delete(`${name}.${part}`));
  }
}
