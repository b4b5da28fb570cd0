import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { type Chain, LedgerFile, removeLedger } from '../adapters/sqlite/ledger-file.js';
import type { RecordedEvent } from '../events/catalog.js';
import { LedgerError } from '../events/log/ledger-store.js';
import { type EventLog, StorageError } from '../events/log/log.js';
import { diskFault } from '../lib/errors/disk-fault.js';
import { zoneNamed } from '../lib/time/calendar.js';
import { within } from '../lib/time/within.js';
import type { ReadModels } from '../projections/read-models.js';
import { Ledger, type LedgerAnswer } from '../projections/statement/ledger.js';
import { LedgerInMemory } from '../projections/statement/ledger-in-memory.js';

/** Events read in one turn of the event loop: the ledger may have to read the whole log. */
const PAGE = 200;
/** Entries of a bulk change that are written in one turn of the event loop: about 5 ms. */
const ENTRIES_PER_TURN = 1000;
/** How long a query waits for a ledger that is being built, in ms. */
const READY_TIMEOUT_MS = 3000;
/** Minimum time between two rebuilds of a wrong ledger, in ms. */
const REBUILD_AFTER_MS = 600_000;

interface Parts {
  readonly log: EventLog & Chain;
  readonly read: Pick<ReadModels, 'settings'>;
  readonly directory: Pick<DataDirectory, 'run'>;
  readonly warn: (message: string, fields?: object) => void;
}

/** Opens the ledger and begins to follow the log. */
export const keepLedger = (parts: Parts): LedgerKeeper => new LedgerKeeper(parts);

/** Keeps the ledger at the head of the log. It neither delays nor fails a command: a failed write is repeated later. */
export class LedgerKeeper {
  readonly #parts: Parts;
  readonly #path: string;
  readonly #following: { unsubscribe(): void };
  #file: LedgerFile | null;
  #ledger: Ledger;
  /** Whether `#readMissing` is running. */
  #behind = false;
  #reading = Promise.resolve();
  #writing: NodeJS.Immediate | undefined;
  #warned = false;
  #closed = false;
  /** The error that ended the last reading of the log, or null. */
  #readError: unknown = null;
  #rebuiltAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#path = join(parts.directory.run, 'ledger.db');
    this.#file = ledgerFileAt(this.#path, parts.log, this.#zone());
    if (this.#file === null) parts.warn('the ledger cannot be kept on disk and is rebuilt at each start');
    this.#ledger = new Ledger(this.#file ?? new LedgerInMemory(), this.#zone());
    this.#following = parts.log.appended$.subscribe((events) => this.#follow(events));
    void this.#catchUp();
  }

  /** The ledger at the head of the log. Null when it is still being built after three seconds. */
  async ready(): Promise<Ledger | null> {
    await within(READY_TIMEOUT_MS, this.#catchUp(), () => undefined);
    return this.#ledger.position === this.#parts.log.head().position ? this.#ledger : null;
  }

  /**
   * Runs a query on the ledger at the head of the log, where the read models are too. If the query throws `LedgerError`, the
   * ledger is rebuilt and queried again. Rejects when the log cannot be read from the disk.
   */
  async query<T>(run: (ledger: Ledger) => T): Promise<LedgerAnswer<T>> {
    for (;;) {
      const ledger = await this.ready();
      // The log cannot be read from the disk, so waiting would not help.
      if (!ledger && (this.#readError instanceof StorageError || diskFault(this.#readError))) throw this.#readError;
      if (!ledger) return { unavailable: 'unready' };
      try {
        return { answer: run(ledger) };
      } catch (error) {
        if (!(error instanceof LedgerError)) throw error;
        if (!this.#repair(error)) return { unavailable: 'wrong' };
      }
    }
  }

  async close(): Promise<void> {
    this.#following.unsubscribe();
    clearImmediate(this.#writing);
    this.#write(Number.POSITIVE_INFINITY);
    this.#closed = true;
    await this.#reading;
    this.#file?.close();
  }

  #zone(): string {
    return zoneNamed(this.#parts.read.settings.current().timeLocation);
  }

  #follow(events: readonly RecordedEvent[]): void {
    const { position, days } = this.#ledger;
    // A roll-up replaces the events of its range, and the ledger may already contain a part of them.
    const overlaps = events.some(
      ({ type, data }) =>
        type === 'MeasurementsRolledUp' && data.fromPosition <= position && data.toPosition > position,
    );
    const zoneChanged = events.some(({ type }) => type === 'SettingsChanged') && days.zone !== this.#zone();
    if (overlaps || zoneChanged) this.#rebuild('on disk');
    const first = events[0]?.position ?? 0;
    if (this.#behind || this.#ledger.position !== first - 1) return void this.#catchUp();
    try {
      this.#apply(events, events.at(-1)?.position ?? 0);
    } catch (error) {
      // The command that appended these events must not fail because of the ledger.
      this.#warnOnce('the ledger could not be built', error);
    }
  }

  #apply(events: readonly RecordedEvent[], to: number): void {
    this.#ledger.apply(events, to);
    if (this.#ledger.due) this.#writing ??= setImmediate(() => this.#write());
  }

  #catchUp(): Promise<void> {
    if (!this.#behind) this.#reading = this.#readMissing();
    return this.#reading;
  }

  /** Reads the log up to its head. `#behind` becomes false in the same tick in which no event is left. */
  async #readMissing(): Promise<void> {
    const { log } = this.#parts;
    this.#behind = true;
    this.#readError = null;
    try {
      while (!this.#closed && this.#ledger.position < log.head().position) {
        const events = log.read(this.#ledger.position, PAGE);
        this.#apply(events, events.at(-1)?.position ?? log.head().position);
        await nextTurn();
      }
    } catch (error) {
      this.#readError = error;
      this.#warnOnce('the ledger could not be built', error);
    } finally {
      this.#behind = false;
    }
  }

  /** Writes all lines. If they are more than `most`, the others follow in turns of their own. */
  #write(most = ENTRIES_PER_TURN): void {
    this.#writing = undefined;
    if (this.#closed) return;
    try {
      if (this.#ledger.write(most)) this.#writing = setImmediate(() => this.#write());
      this.#warned = false;
    } catch (error) {
      if (!(error instanceof LedgerError)) return this.#warnOnce('the ledger could not be written', error);
      // If the rebuilt file is damaged too, the ledger stays in memory.
      if (!this.#repair(error)) this.#rebuild('in memory');
      void this.#catchUp();
    }
  }

  /** Rebuilds a wrong ledger. Returns false and does nothing if it was rebuilt recently. */
  #repair(problem: LedgerError): boolean {
    const now = performance.now();
    if (now - this.#rebuiltAt < REBUILD_AFTER_MS) return false;
    this.#rebuiltAt = now;
    this.#parts.warn('the ledger was wrong and is rebuilt', { error: problem.message });
    this.#rebuild('on disk');
    return true;
  }

  #rebuild(where: 'on disk' | 'in memory'): void {
    this.#file?.close();
    this.#file = where === 'on disk' ? newLedgerFile(this.#path, this.#parts.log, this.#zone()) : null;
    this.#ledger = new Ledger(this.#file ?? new LedgerInMemory(), this.#zone());
  }

  #warnOnce(what: string, error: unknown): void {
    if (!this.#warned) this.#parts.warn(what, { error: String(error) });
    this.#warned = true;
  }
}

/** Null when the file cannot be created. */
function ledgerFileAt(path: string, log: Chain, zone: string): LedgerFile | null {
  try {
    return new LedgerFile(path, log, zone);
  } catch {
    return null;
  }
}

function newLedgerFile(path: string, log: Chain, zone: string): LedgerFile | null {
  try {
    removeLedger(path);
  } catch {
    return null;
  }
  return ledgerFileAt(path, log, zone);
}
