import { randomUUID } from 'node:crypto';
import { type Observable, Subject } from 'rxjs';
import type { PanelEvent, RecordedEvent } from '../../events/catalog.js';
import type { Caused } from '../../events/log/event.js';
import { type AppendContext, type CommandId, type EventLog, type LogHead, StorageError } from '../../events/log/log.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { message } from '../../messages/message.js';
import { chainHash, type EventRow, encodeMeta, LogDamage, opaqueId, payloadHash } from './codec.js';
import { damageIn, type SqliteDatabase, storageError } from './database.js';
import { destroyedKeys } from './destroyed-keys.js';
import type { Keyring } from './keyring.js';
import { LogReader } from './log-reader.js';
import { SqliteLogSearch } from './log-search.js';
import type { ReducedBox } from './mirror/reduced-boxes.js';
import type { ForeignBatch } from './replication/batch-codec.js';
import { RowWriter } from './row-writer.js';
import { SealedActors } from './sealed-actors.js';

const GENESIS: Buffer = Buffer.alloc(32);
/** Delay until the write-ahead log is emptied after a key was destroyed; and delay of retries while others read. In ms. */
const ERASE_MS = 50;
const ERASE_AGAIN_MS = 1000;
/** After these errors the state of the file in the kernel and in SQLite is not reliable until a restart. */
const FINAL: ReadonlySet<StorageError['kind']> = new Set<StorageError['kind']>(['failed', 'damaged']);

/** The event log in one SQLite database. Everything is synchronous; the caller is the only writer. */
export class SqliteEventLog extends LogReader implements EventLog {
  readonly #appended = new Subject<readonly RecordedEvent[]>();
  #position: number;
  #hash: Buffer;
  /** The batches of the group that is being appended; null = none is. */
  #group: (readonly RecordedEvent[])[] | null = null;
  /** The error after which every append is rejected. */
  #broken: StorageError | null = null;
  #eraser: NodeJS.Timeout | undefined;
  #generation: string;
  readonly #actors: SealedActors;
  readonly #rows: RowWriter;
  /** Searches backwards, for the audit. */
  readonly search: LogSearch;

  /** `upTo`: see `LogReader`. */
  constructor(db: SqliteDatabase, keyring: Keyring, upTo?: number) {
    super(db, keyring, upTo);
    const last = this.sql.last.get();
    this.#position = last?.position ?? 0;
    this.#hash = last?.hash ?? GENESIS;
    this.#generation = this.#storedGeneration();
    this.#actors = new SealedActors(keyring);
    this.#rows = new RowWriter(this.sql, keyring);
    keyring.markDestroyed(destroyedKeys(db));
    this.search = new SqliteLogSearch(db, this);
  }

  /** The identity of this log. It changes when positions are assigned again. */
  get generation(): string {
    return this.#generation;
  }

  get appended$(): Observable<readonly RecordedEvent[]> {
    return this.#appended;
  }

  /** The first error that showed the database to be damaged, or null. Every append is rejected after it. */
  get damage(): StorageError | null {
    return damageIn(this.db);
  }

  append(events: readonly Caused<PanelEvent>[], context: AppendContext): readonly RecordedEvent[] {
    if (this.#group === null) return this.group(() => this.append(events, context));
    if (this.#group.length === 0) this.sql.begin.run();
    const recorded = this.#insert(events, context);
    this.#group.push(recorded);
    return recorded;
  }

  /**
   * Appends what another member of the cluster has recorded, unchanged, in one durable transaction. `keys` are the wrapped data
   * keys that this log does not have; null = destroyed. `reduced`: on a mirror, see `ReducedBoxes`. Throws `LogDamage`, and
   * appends nothing, if a row does not continue the chain.
   */
  ingest(
    batches: readonly ForeignBatch[],
    keys: ReadonlyMap<string, Buffer | null>,
    reduced: readonly ReducedBox[] = [],
  ): void {
    if (batches.length === 0) return;
    this.group(() => {
      this.sql.begin.run();
      for (const [id, wrapped] of keys) this.keyring.adopt(id, wrapped);
      for (const box of reduced) this.keyring.reduced?.put(box);
      for (const { rows, commands } of batches) {
        this.#group?.push(rows.flatMap((row) => this.#ingestRow(row)));
        for (const { key, fingerprint, first, last, at } of commands)
          this.sql.command.run(key, fingerprint, first, last, at);
      }
    });
  }

  #ingestRow(row: EventRow): readonly RecordedEvent[] {
    if (row.position !== this.#position + 1)
      throw new LogDamage(row.position, message('storage.positionMissing', { position: this.#position + 1 }));
    if (row.payload === null || !payloadHash(row.payload).equals(row.payload_hash))
      throw new LogDamage(row.position, message('storage.payloadChanged'));
    if (!chainHash(this.#hash, row).equals(row.hash)) throw new LogDamage(row.position, message('storage.chainBroken'));
    const events = this.stored.eventsOf(row);
    this.#store(row, events[0]);
    return events;
  }

  group<T>(work: () => T): T {
    if (this.#group !== null) throw new Error('a group of appends is already open');
    this.#broken ??= damageIn(this.db);
    if (this.#broken) throw this.#broken;
    const appended: (readonly RecordedEvent[])[] = [];
    const before = { position: this.#position, hash: this.#hash, generation: this.#generation };
    let result: T;
    const takeKeysBack = this.keyring.begin();
    this.#group = appended;
    try {
      result = work();
      if (appended.length > 0) this.sql.commit.run();
    } catch (error) {
      this.#position = before.position;
      this.#hash = before.hash;
      this.#generation = before.generation;
      this.#takeBack(error, takeKeysBack);
    } finally {
      this.#group = null;
    }
    for (const events of appended) {
      if (events.some(({ type }) => type === 'DataKeyDestroyed')) this.#eraseSoon();
      this.#appended.next(events);
    }
    return result;
  }

  /** Rolls back and throws the error of the storage. */
  #takeBack(error: unknown, takeKeysBack: () => void): never {
    const stored = storageError(error);
    if (stored instanceof StorageError && FINAL.has(stored.kind)) this.#broken = stored;
    if (this.db.inTransaction) this.sql.rollback.run();
    takeKeysBack();
    // After a final error the file is not accessed again.
    if (this.#broken) throw this.#broken;
    this.rollUps.reload();
    throw stored;
  }

  #insert(events: readonly Caused<PanelEvent>[], context: AppendContext): RecordedEvent[] {
    const { at, actor } = context;
    const correlationId = opaqueId(context.correlationId, this.keyring);
    const causationId = context.causationId ? opaqueId(context.causationId, this.keyring) : null;
    const command = context.commandId ? this.#blinded(context.commandId) : null;
    const commandId = command?.key ?? null;
    const stamp = { at, actor, correlationId, commandId };
    const storedActor = this.#actors.stored(stamp);
    const first = this.#position + 1;
    const versions = this.#rows.versionsOf(events);
    const metas = new Map<string | null, string>();
    const recorded: RecordedEvent[] = [];
    for (const event of events) {
      const cause = event.cause === undefined ? causationId : (recorded[event.cause]?.id ?? null);
      let stored = metas.get(cause);
      if (stored === undefined) metas.set(cause, (stored = encodeMeta(storedActor, stamp, cause)));
      const before = { position: this.#position, hash: this.#hash };
      const { row, id } = this.#rows.rowOf(event, { at, meta: stored }, before, versions);
      this.#store(row, event);
      const meta = { at, actor, correlationId, causationId: cause, commandId };
      const { position, stream, version } = row;
      recorded.push({
        type: event.type,
        data: event.data,
        position,
        id,
        stream,
        version,
        meta,
      } as RecordedEvent);
    }
    if (command) this.sql.command.run(command.key, command.fingerprint, first, this.#position, at);
    return recorded;
  }

  /** Stores a row and applies the effects of its event on other tables, in the same transaction. */
  #store(row: EventRow, event: PanelEvent | undefined): void {
    this.#rows.store(row);
    this.#position = row.position;
    this.#hash = row.hash;
    if (event === undefined) return;
    if (event.type === 'DataKeyDestroyed') this.keyring.destroy(event.data.key);
    if (event.type === 'MeasurementsRolledUp') this.rollUps.prune(event.data);
    // The following positions were assigned before, to lost events.
    if (event.type === 'LogLossAccepted') this.sql.regenerate.run((this.#generation = randomUUID()));
  }

  outcomeOf(id: CommandId): { same: boolean; events: readonly RecordedEvent[] } | null {
    // Earlier releases stored both without a digest.
    for (const { key, fingerprint } of [this.#blinded(id), id]) {
      const command = this.sql.answered.get(key);
      if (!command) continue;
      const rows = this.sql.range.all(command.first, command.last);
      return { same: command.fingerprint === fingerprint, events: rows.flatMap((row) => this.stored.eventsOf(row)) };
    }
    return null;
  }

  /** An idempotency key and its fingerprint as keyed digests, because both may identify a person. */
  #blinded({ key, fingerprint }: CommandId): CommandId {
    return { key: this.keyring.blind(key), fingerprint: this.keyring.blind(fingerprint) };
  }

  head(): LogHead {
    return { position: this.#position, hash: this.#hash.toString('hex') };
  }

  /**
   * Moves the write-ahead log into the database file and truncates it, so that no erased data is left in it. Returns false
   * when a reader or a disk error prevents it.
   */
  checkpoint(): boolean {
    try {
      const [done] = this.db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return done?.busy === 0;
    } catch (error) {
      if (storageError(error) instanceof StorageError) return false;
      throw error;
    }
  }

  /** Destroys keys again that were destroyed and have been restored into the table. Returns their ids. */
  destroyRestoredKeys(): readonly string[] {
    const restored = this.keyring.restoredKeys();
    if (restored.length === 0) return restored;
    this.sql.begin.run();
    for (const id of restored) this.keyring.destroy(id);
    this.sql.commit.run();
    this.#eraseSoon();
    return restored;
  }

  /** Empties the write-ahead log, which still contains the destroyed key; once for several keys in a row. */
  #eraseSoon(wait = ERASE_MS): void {
    this.#eraser ??= setTimeout(() => {
      this.#eraser = undefined;
      if (this.db.open && !this.checkpoint()) this.#eraseSoon(ERASE_AGAIN_MS);
    }, wait).unref();
  }

  close(): void {
    clearTimeout(this.#eraser);
    this.#appended.complete();
    if (!this.db.open) return;
    if (!this.db.readonly && !damageIn(this.db)) this.checkpoint();
    this.db.close();
  }

  #storedGeneration(): string {
    const known = this.sql.generation.get()?.value;
    if (known !== undefined) return known;
    const made = randomUUID();
    if (!this.db.readonly) this.sql.generate.run(made);
    return made;
  }
}
