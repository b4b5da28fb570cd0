import { randomUUID } from 'node:crypto';
import { type Observable, Subject } from 'rxjs';
import { v7 } from 'uuid';
import { eventType, type PanelEvent, type RecordedEvent } from '../../events/catalog.js';
import type { Caused } from '../../events/log/event.js';
import { type AppendContext, type CommandId, type EventLog, type LogHead, StorageError } from '../../events/log/log.js';
import {
  chainHash,
  decode,
  type EventRow,
  encodeActor,
  encodeMeta,
  encodePayload,
  idText,
  LogDamage,
  opaqueId,
  payloadHash,
} from './codec.js';
import { damageError, damageIn, type SqliteDatabase, storageError } from './database.js';
import { destroyedKeys } from './destroyed-keys.js';
import { type Keyring, random } from './keyring.js';
import { statements } from './log-statements.js';
import { RollUps } from './roll-ups.js';

const GENESIS = Buffer.alloc(32);
const FEW_STREAMS = 8;
/** After a key was destroyed, and while others still read, until the write-ahead log is emptied, in ms. */
const ERASE_MS = 50;
const ERASE_AGAIN_MS = 1000;
/** After these errors nothing that the kernel or SQLite says about the file can be trusted: only a new start can. */
const FINAL: ReadonlySet<StorageError['kind']> = new Set<StorageError['kind']>(['failed', 'damaged']);

/** The event log in one SQLite database. Everything is synchronous; the caller is the only writer. */
export class SqliteEventLog implements EventLog {
  readonly #db: SqliteDatabase;
  readonly keyring: Keyring;
  readonly #rollUps: RollUps;
  readonly #appended = new Subject<readonly RecordedEvent[]>();
  readonly #sql;
  readonly #upTo: number;
  #position: number;
  #hash: Buffer;
  /** The error after which nothing is appended any more. */
  #broken: StorageError | null = null;
  #eraser: NodeJS.Timeout | undefined;
  #sequence = 0;
  #sequenceAt = 0;
  #generation: string;

  /** `upTo`: where a log ends of which only that part is read; see `endAt`. */
  constructor(db: SqliteDatabase, keyring: Keyring, upTo = Number.POSITIVE_INFINITY) {
    this.#upTo = upTo;
    this.#db = db;
    this.keyring = keyring;
    this.#sql = statements(db);
    this.#rollUps = new RollUps(db, keyring);
    const last = this.#sql.last.get();
    this.#position = last?.position ?? 0;
    this.#hash = last?.hash ?? GENESIS;
    this.#generation = this.#storedGeneration();
    keyring.heed(destroyedKeys(db));
  }

  /** The identity of this log. Another one where positions are given again: then those of before mean something else. */
  get generation(): string {
    return this.#generation;
  }

  get appended$(): Observable<readonly RecordedEvent[]> {
    return this.#appended;
  }

  /** What showed the database to be damaged, in a read or a write; null = nothing yet. No change is accepted after it. */
  get damage(): StorageError | null {
    return damageIn(this.#db);
  }

  append(events: readonly Caused<PanelEvent>[], context: AppendContext): readonly RecordedEvent[] {
    this.#broken ??= damageIn(this.#db);
    if (this.#broken) throw this.#broken;
    let recorded: RecordedEvent[];
    const before = { position: this.#position, hash: this.#hash, generation: this.#generation };
    try {
      this.#sql.begin.run();
      recorded = this.#insert(events, context);
      this.#sql.commit.run();
    } catch (error) {
      this.#position = before.position;
      this.#hash = before.hash;
      this.#generation = before.generation;
      const stored = storageError(error);
      if (stored instanceof StorageError && FINAL.has(stored.kind)) this.#broken = stored;
      if (this.#db.inTransaction) this.#sql.rollback.run();
      // A file that failed is not asked again.
      if (this.#broken) throw this.#broken;
      this.keyring.reload(destroyedKeys(this.#db));
      this.#rollUps.reload();
      throw stored;
    }
    if (recorded.some(({ type }) => type === 'KeyShredded')) this.#eraseSoon();
    this.#appended.next(recorded);
    return recorded;
  }

  #insert(events: readonly Caused<PanelEvent>[], context: AppendContext): RecordedEvent[] {
    const { at, actor } = context;
    const correlationId = opaqueId(context.correlationId, this.keyring);
    const causationId = context.causationId ? opaqueId(context.causationId, this.keyring) : null;
    const command = context.commandId ? this.#blinded(context.commandId) : null;
    const commandId = command?.key ?? null;
    const stamp = { at, actor, correlationId, commandId };
    const storedActor = encodeActor(stamp, this.keyring);
    const first = this.#position + 1;
    const versions = this.#versions(events);
    const metas = new Map<string | null, string>();
    const recorded: RecordedEvent[] = [];
    for (const event of events) {
      const cause = event.cause === undefined ? causationId : (recorded[event.cause]?.id ?? null);
      let stored = metas.get(cause);
      if (stored === undefined) metas.set(cause, (stored = encodeMeta(storedActor, stamp, cause)));
      const { row, id } = this.#row(event, at, stored, versions);
      this.#store(row);
      this.#position = row.position;
      this.#hash = row.hash;
      this.#follow(event);
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
    if (command) this.#sql.command.run(command.key, command.fingerprint, first, this.#position, at);
    return recorded;
  }

  /** What an event does beside the table of events, in the same transaction. */
  #follow(event: PanelEvent): void {
    if (event.type === 'KeyShredded') this.keyring.shred(event.data.key);
    if (event.type === 'MeasurementsRolledUp') this.#rollUps.prune(event.data);
    // The positions after it were given before, to events that are lost.
    if (event.type === 'LossAccepted') this.#sql.regenerate.run((this.#generation = randomUUID()));
  }

  /** The last version in each stream that these events go to. Many are asked for at once: that costs a third. */
  #versions(events: readonly PanelEvent[]): Map<string, number> {
    const streams = [...new Set(events.map((event) => eventType(event.type)?.stream(event.data) ?? ''))];
    const rows =
      streams.length < FEW_STREAMS
        ? streams.map((stream) => ({ stream, version: this.#sql.version.get(stream)?.version }))
        : this.#sql.versions.all(JSON.stringify(streams));
    return new Map(rows.map(({ stream, version }) => [stream, version ?? 0]));
  }

  #row(event: PanelEvent, at: number, meta: string, versions: Map<string, number>): { row: EventRow; id: string } {
    const id = this.#id(at);
    const text = idText(id);
    const { encoding, payload, type } = encodePayload(event, text, this.keyring);
    const stream = type.stream(event.data);
    const version = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, version);
    const row = {
      position: this.#position + 1,
      stream,
      version,
      id,
      type: event.type,
      schema: type.schemaVersion,
      at,
      meta,
      measured: type.class === 'measured' ? 1 : 0,
      encoding,
      payload,
      payload_hash: payloadHash(payload),
    };
    return { row: { ...row, hash: chainHash(this.#hash, row) }, id: text };
  }

  /** Bound by place: binding by name costs as much again as the insert. */
  #store(row: EventRow): void {
    const { position, stream, version, id, type, schema, at, meta, measured, encoding, payload, payload_hash, hash } =
      row;
    this.#sql.insert.run(
      position,
      stream,
      version,
      id,
      type,
      schema,
      at,
      meta,
      measured,
      encoding,
      payload,
      payload_hash,
      hash,
    );
  }

  /** UUID v7 (RFC 9562) that rises within a millisecond. Random bytes come from the pool: one call for each is dear. */
  #id(at: number): Buffer {
    this.#sequence = at === this.#sequenceAt ? this.#sequence + 1 : 0;
    this.#sequenceAt = at;
    return v7({ msecs: at, seq: this.#sequence, random: random(16) }, Buffer.alloc(16));
  }

  read(position: number, limit: number): readonly RecordedEvent[] {
    let after = position;
    for (;;) {
      const rows = this.rows(after, limit);
      const events = rows.flatMap((row) => this.#decode(row));
      // A page of nothing but pruned rows is not the end.
      if (events.length > 0 || rows.length < limit) return events;
      after = rows.at(-1)?.position ?? after;
    }
  }

  readStream(stream: string, version = 0, limit = 1000): readonly RecordedEvent[] {
    return this.#sql.stream.all(stream, version, limit).flatMap((row) => this.#decode(row));
  }

  /** The event at a position; undefined where there is none, or where it was rolled up. */
  at(position: number): RecordedEvent | undefined {
    const row = this.#sql.at.get(position);
    return row && this.#decode(row)[0];
  }

  /** Rows as they are stored, boxes closed, for export and verification. */
  rows(position: number, limit: number): readonly EventRow[] {
    // Not one more is asked for than there are: SQLite would look at the next page, which may be the damaged one.
    return this.#sql.read.all(position, Math.max(0, Math.min(limit, this.#upTo - position)));
  }

  /** The event of a row; of one whose payload was rolled up what stands for it, if that is here. */
  eventsOf(row: EventRow): readonly RecordedEvent[] {
    return this.#decode(row);
  }

  answered(id: CommandId): { same: boolean; events: readonly RecordedEvent[] } | null {
    // Earlier releases kept both as they came.
    for (const { key, fingerprint } of [this.#blinded(id), id]) {
      const command = this.#sql.answered.get(key);
      if (!command) continue;
      const rows = this.#sql.range.all(command.first, command.last);
      return { same: command.fingerprint === fingerprint, events: rows.flatMap((row) => this.#decode(row)) };
    }
    return null;
  }

  /** What a caller chose as a key, and what it sent with it, may name a person and be guessed. */
  #blinded({ key, fingerprint }: CommandId): CommandId {
    return { key: this.keyring.blind(key), fingerprint: this.keyring.blind(fingerprint) };
  }

  head(): LogHead {
    return { position: this.#position, hash: this.#hash.toString('hex') };
  }

  hashAt(position: number): string | null {
    return this.#sql.hashAt.get(position)?.hash.toString('hex') ?? null;
  }

  /** The last position whose event happened at or before `time` (ms); 0 when there is none. */
  positionAt(time: number): number {
    return this.#sql.before.get(time)?.position ?? 0;
  }

  nextBy(position: number, time: number): { readonly position: number; readonly at: number } | null {
    return this.#sql.nextBy.get(position, time) ?? null;
  }

  /** All events of some types, oldest first. It reads the whole table: for people, not for requests. */
  *readTypes(types: readonly RecordedEvent['type'][]): Generator<RecordedEvent> {
    const select = this.#db.prepare<[number, ...string[]], EventRow>(
      `SELECT * FROM events WHERE position > ? AND type IN (${types.map(() => '?').join()}) ORDER BY position LIMIT 1000`,
    );
    let position = 0;
    for (let rows = select.all(position, ...types); rows.length > 0; rows = select.all(position, ...types)) {
      for (const row of rows) yield* this.#decode(row);
      position = rows.at(-1)?.position ?? position;
    }
  }

  /** Where the event with this id stands, looked for backwards from a later position. */
  place(id: string, before: number): { readonly position: number; readonly type: string } | null {
    return this.#sql.place.get(before, Buffer.from(id.replaceAll('-', ''), 'hex')) ?? null;
  }

  /** The newest event of a stream that is of one of these types, and that `fits`; null where it is not, or not any more. */
  lastOf(
    stream: string,
    types: readonly RecordedEvent['type'][],
    fits: (event: RecordedEvent) => boolean = () => true,
  ): RecordedEvent | null {
    for (const row of this.#sql.backwards.iterate(stream, JSON.stringify(types))) {
      const [event] = this.#decode(row);
      if (event && fits(event)) return event;
    }
    return null;
  }

  /** Runs `read` in one read transaction: it sees the log of one moment, whatever is appended or rolled up meanwhile. */
  still<T>(read: () => T): T {
    this.#sql.hold.run();
    try {
      return read();
    } finally {
      this.#sql.commit.run();
    }
  }

  /** Whether a roll-up in the log accounts for a payload that is gone. */
  coversPruned(position: number): boolean {
    return this.#rollUps.covers(position);
  }

  /** Up to here measurements are rolled up; 0 = nowhere. */
  get rolledTo(): number {
    return this.#rollUps.rolledTo;
  }

  measuredRoot(from: number, to: number): { root: string; count: number } {
    return this.#rollUps.root(from, to);
  }

  /** What does not agree between a roll-up and the rows of its range, or null; see `RollUps.misfit`. */
  rollUpMisfit(data: Parameters<RollUps['misfit']>[0], position: number, rolledTo: number): string | null {
    return this.#rollUps.misfit(data, position, rolledTo);
  }

  /** Reads every page of the database. Throws `StorageError` of kind `damaged`. */
  checkPages(): void {
    const flaw = this.#db.pragma('quick_check(1)', { simple: true }) as string;
    if (flaw !== 'ok') throw damageError(new Error(flaw));
  }

  /**
   * Moves what the write-ahead log holds into the database file and empties it, so that nothing older than the file is left.
   * False: not now, because somebody reads, or the disk refuses.
   */
  checkpoint(): boolean {
    try {
      const [done] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return done?.busy === 0;
    } catch (error) {
      if (storageError(error) instanceof StorageError) return false;
      throw error;
    }
  }

  /** Destroys again what was destroyed and has been put back; returns the names of those keys. */
  destroyReturned(): readonly string[] {
    const returned = this.keyring.returned();
    if (returned.length === 0) return returned;
    this.#sql.begin.run();
    for (const id of returned) this.keyring.shred(id);
    this.#sql.commit.run();
    this.#eraseSoon();
    return returned;
  }

  /** A destroyed key lives on in the write-ahead log until that is emptied. Many that are destroyed in a row cost one time. */
  #eraseSoon(wait = ERASE_MS): void {
    this.#eraser ??= setTimeout(() => {
      this.#eraser = undefined;
      if (this.#db.open && !this.checkpoint()) this.#eraseSoon(ERASE_AGAIN_MS);
    }, wait).unref();
  }

  close(): void {
    clearTimeout(this.#eraser);
    this.#appended.complete();
    if (!this.#db.open) return;
    if (!this.#db.readonly && !damageIn(this.#db)) this.checkpoint();
    this.#db.close();
  }

  #decode(row: EventRow): RecordedEvent[] {
    if (row.payload !== null) {
      const event = decode(row, this.keyring);
      // A reader beside a panel learns so what that has destroyed meanwhile.
      if (event.type === 'KeyShredded') this.keyring.heed([event.data.key]);
      return [event];
    }
    if (eventType(row.type)?.class !== 'measured')
      throw new LogDamage(row.position, `its payload is missing, and a ${row.type} is never rolled up`);
    const sum = this.#rollUps.sumAt(row.position);
    if (sum === undefined) throw new LogDamage(row.position, 'its payload is missing, and no roll-up stands for it');
    return sum ? [decode({ ...row, encoding: 0, payload: Buffer.from(JSON.stringify(sum)) }, this.keyring)] : [];
  }

  #storedGeneration(): string {
    const known = this.#sql.generation.get()?.value;
    if (known !== undefined) return known;
    const made = randomUUID();
    if (!this.#db.readonly) this.#sql.generate.run(made);
    return made;
  }
}
