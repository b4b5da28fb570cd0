import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { message, type Text } from '../../messages/message.js';
import { decode, type EventRow, LogDamage } from './codec.js';
import { damageError, type SqliteDatabase } from './database.js';
import { EventTree } from './event-tree.js';
import type { Keyring } from './keyring.js';
import type { LogStatements } from './log-statements.js';
import type { CommandRow } from './replication/batch-codec.js';
import type { RollUps } from './roll-ups.js';

interface Parts {
  readonly db: SqliteDatabase;
  readonly sql: LogStatements;
  readonly keyring: Keyring;
  readonly rollUps: RollUps;
}

/** The log as it is stored, with its keys: for export, verification and work that reads all of it. */
export class StoredLog {
  readonly keyring: Keyring;
  /** The Merkle tree over the hashes, for proofs. */
  readonly tree: EventTree;
  readonly #db: SqliteDatabase;
  readonly #sql: LogStatements;
  readonly #rollUps: RollUps;
  readonly #upTo: number;

  /** `upTo`: the last position that may be read, when only a part of the log is readable; see `endAt`. */
  constructor({ db, sql, keyring, rollUps }: Parts, upTo = Number.POSITIVE_INFINITY) {
    this.#db = db;
    this.tree = new EventTree(db);
    this.#sql = sql;
    this.keyring = keyring;
    this.#rollUps = rollUps;
    this.#upTo = upTo;
  }

  /** The answered request with this blinded key. */
  commandRow(key: string): CommandRow | undefined {
    return this.#sql.commandRow.get(key);
  }

  /** The ids of all data keys, also of destroyed ones. */
  keyIds(): readonly string[] {
    return this.#db.prepare<[], string>('SELECT id FROM keys').pluck().all();
  }

  /** How many data keys events have destroyed. */
  get destroyedKeys(): number {
    return this.#sql.version.get('keys')?.version ?? 0;
  }

  /** Stored rows with encrypted boxes. */
  rows(position: number, limit: number): readonly EventRow[] {
    // Not one row more: SQLite would read the next page, which may be damaged.
    return this.#sql.read.all(position, Math.max(0, Math.min(limit, this.#upTo - position)));
  }

  /** The event of a row. If its payload was rolled up: the sum at this position, or nothing. Throws `LogDamage`. */
  eventsOf(row: EventRow): readonly RecordedEvent[] {
    if (row.payload !== null) {
      const event = decode(row, this.keyring);
      // A reader beside a running panel has loaded the keys before.
      if (event.type === 'DataKeyDestroyed') this.keyring.markDestroyed([event.data.key]);
      return [event];
    }
    if (eventType(row.type)?.class !== 'measured')
      throw new LogDamage(row.position, message('storage.payloadMissingKept', { type: row.type }));
    const sum = this.#rollUps.sumAt(row.position);
    if (sum === undefined) throw new LogDamage(row.position, message('storage.payloadMissing'));
    return sum ? [decode({ ...row, encoding: 0, payload: Buffer.from(JSON.stringify(sum)) }, this.keyring)] : [];
  }

  /** All events of some types, oldest first. Reads the whole table: not for requests. */
  *ofTypes(types: readonly RecordedEvent['type'][]): Generator<RecordedEvent> {
    const select = this.#db.prepare<[number, ...string[]], EventRow>(
      `SELECT * FROM events WHERE position > ? AND type IN (${types.map(() => '?').join()}) ORDER BY position LIMIT 1000`,
    );
    let position = 0;
    for (let rows = select.all(position, ...types); rows.length > 0; rows = select.all(position, ...types)) {
      for (const row of rows) yield* this.eventsOf(row);
      position = rows.at(-1)?.position ?? position;
    }
  }

  /** Runs `read` in one read transaction, so it does not see events that are appended or rolled up meanwhile. */
  inSnapshot<T>(read: () => T): T {
    this.#sql.beginRead.run();
    try {
      return read();
    } finally {
      this.#sql.commit.run();
    }
  }

  /** Whether a roll-up in the log covers a missing payload. */
  coversPruned(position: number): boolean {
    return this.#rollUps.covers(position);
  }

  /** The difference between a roll-up and the rows of its range, or null; see `RollUps.mismatch`. */
  rollUpMismatch(data: Parameters<RollUps['mismatch']>[0], position: number, rolledTo: number): Text | null {
    return this.#rollUps.mismatch(data, position, rolledTo);
  }

  /** Reads every page of the database. Throws `StorageError` of kind `damaged`. */
  checkPages(): void {
    const problem = this.#db.pragma('quick_check(1)', { simple: true }) as string;
    if (problem !== 'ok') throw damageError(new Error(problem));
  }
}
