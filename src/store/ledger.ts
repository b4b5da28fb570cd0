import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { LedgerFile, removeLedger } from '../adapters/sqlite/ledger-file.js';
import type { RecordedEvent } from '../events/catalog.js';
import { LedgerFlaw } from '../events/log/ledger-store.js';
import { StorageError } from '../events/log/log.js';
import { diskFault } from '../lib/disk-fault.js';
import { zoneNamed } from '../lib/time/calendar.js';
import { within } from '../lib/time/within.js';
import type { ReadModels } from '../projections/read-models.js';
import { Ledger, type Told } from '../projections/statement/ledger.js';
import { LedgerInMemory } from '../projections/statement/ledger-in-memory.js';

/** Events that are taken in between two turns of the loop: what was missed may be a whole log. */
const PAGE = 200;
/** How long a question waits for a ledger that is being made, in ms. */
const PATIENCE_MS = 3000;
/** A ledger that was found wrong is not made anew again within this time, in ms: the next one would be no better. */
const REMAKE_AFTER_MS = 600_000;

interface Parts {
  readonly log: SqliteEventLog;
  readonly read: Pick<ReadModels, 'settings'>;
  readonly directory: Pick<DataDirectory, 'run'>;
  readonly warn: (message: string, fields?: object) => void;
}

export type LedgerKeeping = ReturnType<typeof keepLedger>;

/** Keeps the ledger at the head of the log. It never stands in the way of the panel: what cannot be written waits. */
export function keepLedger({ log, read, directory, warn }: Parts) {
  const zoneNow = (): string => zoneNamed(read.settings.current().timeLocation);
  const path = join(directory.run, 'ledger.db');
  let file = ledgerFileAt(path, log, zoneNow());
  if (file === null) warn('the ledger cannot be kept on disk, and is made anew at each start');
  let ledger = new Ledger(file ?? new LedgerInMemory(), zoneNow());
  let behind = false;
  let reading = Promise.resolve();
  let writing: NodeJS.Immediate | undefined;
  let complained = false;
  let closed = false;
  /** Why the last reading of the log ended too early; null when it did not. */
  let unread: unknown = null;
  let remadeAt = Number.NEGATIVE_INFINITY;

  const complain = (what: string, error: unknown): void => {
    if (!complained) warn(what, { error: String(error) });
    complained = true;
  };
  const write = (): void => {
    writing = undefined;
    if (closed) return;
    try {
      ledger.write();
      complained = false;
    } catch (error) {
      if (!(error instanceof LedgerFlaw)) return complain('the ledger could not be written', error);
      // A disk that damages the next one too is not asked for a third.
      if (!mend(error)) beginAnew('in memory');
      void begin();
    }
  };
  const beginAnew = (where: 'on disk' | 'in memory' = 'on disk'): void => {
    file?.close();
    file = where === 'on disk' ? newLedgerFile(path, log, zoneNow()) : null;
    ledger = new Ledger(file ?? new LedgerInMemory(), zoneNow());
  };
  /** Makes it anew, and says whether that was worth it: not when the one before was made just now. */
  const mend = (flaw: LedgerFlaw): boolean => {
    const now = performance.now();
    if (now - remadeAt < REMAKE_AFTER_MS) return false;
    remadeAt = now;
    warn('the ledger was wrong, and is made anew', { error: flaw.message });
    beginAnew();
    return true;
  };
  const take = (events: readonly RecordedEvent[], to: number): void => {
    ledger.take(events, to);
    if (ledger.due) writing ??= setImmediate(write);
  };
  /** Reads what is missing. It is not behind any more in the same tick in which it finds nothing. */
  const catchUp = async (): Promise<void> => {
    behind = true;
    unread = null;
    try {
      while (!closed && ledger.position < log.head().position) {
        const events = log.read(ledger.position, PAGE);
        take(events, events.at(-1)?.position ?? log.head().position);
        await nextTurn();
      }
    } catch (error) {
      unread = error;
      complain('the ledger could not be made', error);
    } finally {
      behind = false;
    }
  };
  const begin = (): Promise<void> => {
    if (!behind) reading = catchUp();
    return reading;
  };

  const follow = (events: readonly RecordedEvent[]): void => {
    // Sums stand at the end of what they sum up, of which a part may be in here.
    const overtaken = events.some(
      ({ type, data }) => type === 'MeasurementsRolledUp' && data.from <= ledger.position && data.to > ledger.position,
    );
    const rezoned = events.some(({ type }) => type === 'SettingsChanged') && ledger.days.zone !== zoneNow();
    if (overtaken || rezoned) beginAnew();
    const first = events[0]?.position ?? 0;
    if (behind || ledger.position !== first - 1) return void begin();
    try {
      take(events, events.at(-1)?.position ?? 0);
    } catch (error) {
      // Whoever appended has nothing to do with it.
      complain('the ledger could not be made', error);
    }
  };
  const following = log.appended$.subscribe(follow);
  void begin();

  /** The ledger at the head of the log; null while it is still being made. */
  const ready = async (): Promise<Ledger | null> => {
    await within(PATIENCE_MS, begin(), () => undefined);
    return ledger.position === log.head().position ? ledger : null;
  };

  return {
    ready,

    /**
     * Asks the ledger at the head of the log; the read models are there too. Where `question` throws `LedgerFlaw`, the ledger
     * is rebuilt and asked once more. Rejects when the disk does not let the log be read.
     */
    async ask<T>(question: (ledger: Ledger) => T): Promise<Told<T>> {
      for (;;) {
        const books = await ready();
        // Waiting is of no use where the disk does not give the log.
        if (!books && (unread instanceof StorageError || diskFault(unread))) throw unread;
        if (!books) return { silent: 'unready' };
        try {
          return { told: question(books) };
        } catch (error) {
          if (!(error instanceof LedgerFlaw)) throw error;
          if (!mend(error)) return { silent: 'wrong' };
        }
      }
    },

    async close(): Promise<void> {
      following.unsubscribe();
      clearImmediate(writing);
      write();
      closed = true;
      await reading;
      file?.close();
    },
  };
}

/** Null where there can be no file. */
function ledgerFileAt(path: string, log: SqliteEventLog, zone: string): LedgerFile | null {
  try {
    return new LedgerFile(path, log, zone);
  } catch {
    return null;
  }
}

function newLedgerFile(path: string, log: SqliteEventLog, zone: string): LedgerFile | null {
  try {
    removeLedger(path);
  } catch {
    return null;
  }
  return ledgerFileAt(path, log, zone);
}
