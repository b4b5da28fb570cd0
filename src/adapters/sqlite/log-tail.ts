import type { RecordedEvent } from '../../events/catalog.js';
import { CursorLost, type LogCursor, type LogTail } from '../../events/log/log-tail.js';
import { render } from '../../messages/render.js';
import type { SqliteDatabase } from './database.js';
import { SqliteEventLog } from './event-log.js';
import type { Keyring } from './keyring.js';

const PAGE = 1000;
/** The hash before the first event. */
const GENESIS = '0'.repeat(64);

/** Reads the log of a running panel from its database file, on a read-only connection. */
export class SqliteLogTail implements LogTail {
  readonly log: SqliteEventLog;
  readonly #db: SqliteDatabase;
  readonly #version;
  readonly #generation;
  #known: unknown = null;

  constructor(db: SqliteDatabase, keyring: Keyring) {
    this.log = new SqliteEventLog(db, keyring);
    this.#db = db;
    // Changes with each commit of another connection. SQLite reads it from shared memory.
    this.#version = db.prepare('PRAGMA data_version').pluck();
    this.#generation = db.prepare("SELECT value FROM meta WHERE key = 'generation'").pluck();
  }

  moved(): boolean {
    const version = this.#version.get();
    if (version === this.#known) return false;
    this.#known = version;
    return true;
  }

  cursorAt(position: number): LogCursor | null {
    const hash = position === 0 ? GENESIS : this.log.hashAt(position);
    return hash === null ? null : { generation: this.#currentGeneration(), position, hash };
  }

  read(
    cursor: LogCursor,
    apply: (events: readonly RecordedEvent[]) => void,
    { verify = false }: { readonly verify?: boolean } = {},
  ): LogCursor {
    // Otherwise a roll-up between two pages could be counted in addition to its measurements.
    return this.log.stored.inSnapshot(() => {
      this.#assertContinues(cursor);
      let { position } = cursor;
      for (;;) {
        if (verify) this.#verify(position);
        const events = this.log.read(position, PAGE);
        if (events.length === 0) break;
        assertNoPartialSum(cursor, events);
        apply(events);
        position = events.at(-1)?.position ?? position;
      }
      const { generation } = cursor;
      return { generation, position, hash: position === 0 ? GENESIS : (this.log.hashAt(position) ?? '') };
    });
  }

  close(): void {
    this.#db.close();
  }

  #currentGeneration(): string {
    return String(this.#generation.get() ?? '');
  }

  #assertContinues(cursor: LogCursor): void {
    const found = this.cursorAt(cursor.position);
    if (found === null) throw new CursorLost(`the log has no event at position ${cursor.position}`);
    if (found.generation !== cursor.generation) throw new CursorLost(`the log has another generation`);
    if (found.hash !== cursor.hash) throw new CursorLost(`the log has another event at position ${cursor.position}`);
  }

  #verify(position: number): void {
    const { fault } = this.log.search.verify(position, PAGE);
    if (fault !== null) throw new CursorLost(`event ${fault.position}: ${render(fault.what, 'en')}`);
  }
}

/** Sums of a roll-up replace measurements: a reader that has counted some of them would count those twice. */
function assertNoPartialSum({ position }: LogCursor, events: readonly RecordedEvent[]): void {
  if (position === 0) return;
  const rolled = events.find((event) => event.type === 'MeasurementsRolledUp' && event.data.toPosition > position);
  if (rolled) throw new CursorLost(`measurements after position ${position} were rolled up at ${rolled.position}`);
}
