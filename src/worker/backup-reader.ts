import { openKey } from '../adapters/backup/key-box.js';
import type { BackupRow } from '../adapters/backup/layout.js';
import { RefusedFile } from '../adapters/backup/refused-file.js';
import { checkBackup } from '../adapters/backup/untrusted.js';
import { LogDamage } from '../adapters/sqlite/codec.js';
import type { SqliteDatabase } from '../adapters/sqlite/database.js';
import { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { Keyring } from '../adapters/sqlite/keyring.js';
import type { RecordedEvent } from '../events/catalog.js';
import { advance, FoldFailure, type Folding } from '../events/log/replay.js';
import { verifyLog } from '../store/verify.js';

/** Its log, once its key is open and it ends where it says. Throws `RefusedFile`. */
export function readBackup(db: SqliteDatabase, passphrase: string) {
  const row = checkBackup(db);
  const master = keyOf(row, passphrase);
  const log = refusing(() => new SqliteEventLog(db, new Keyring(db, master, Date.now)));
  const head = log.head();
  if (log.generation !== row.generation) throw new RefusedFile('Its log is not the one that it says it is a copy of');
  if (head.position !== row.position || head.hash !== row.hash)
    throw new RefusedFile(`It should end at position ${row.position}, and what it holds ends at ${head.position}`);
  return { log, row, master };
}

function keyOf(row: BackupRow, passphrase: string): Buffer {
  if (row.sealing === 'scrypt' && passphrase === '')
    throw new RefusedFile('It is sealed: its passphrase is needed to read it');
  const key = openKey(row, passphrase, row.generation);
  if (key === null) throw new RefusedFile('It is sealed, and this is not its passphrase');
  return key;
}

/** Something to look at once the foldings are at a position. */
export interface Stop {
  readonly position: number;
  readonly look: () => void;
}

/**
 * Walks the whole chain and replays it in the same reading, to the end. Returns the number of events. Throws
 * `RefusedFile` that names the first bad position, or what cannot be folded.
 */
export function readWhole(log: SqliteEventLog, foldings: readonly Folding[], stops: readonly Stop[] = []): number {
  const left = [...stops].sort((one, other) => one.position - other.position);
  const fold = (events: readonly RecordedEvent[]): void => {
    for (const folding of foldings) advance(folding, events);
  };
  const follow = (events: readonly RecordedEvent[], last: number): void => {
    let rest = events;
    for (let [stop] = left; stop && stop.position <= last; [stop] = left) {
      const { position, look } = stop;
      fold(rest.filter((event) => event.position <= position));
      rest = rest.filter((event) => event.position > position);
      look();
      left.shift();
    }
    fold(rest);
  };
  const { fault, events, keys } = refusing(() => {
    follow([], 0);
    return verifyLog(log, follow);
  });
  if (fault) {
    const { position, what: flaw } = fault;
    throw new RefusedFile(`The chain of events is broken at position ${position}: ${flaw}`);
  }
  if (keys !== null) throw new RefusedFile(`Its keys are not those of its events: ${keys}`);
  return events;
}

/** A log that cannot be read or folded is the fault of the file. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LogDamage || error instanceof FoldFailure || error instanceof SyntaxError)
      throw new RefusedFile(`It cannot be replayed: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Whether something after `position` changed how the events before it are read. */
export function isOvertaken(log: SqliteEventLog, position: number): boolean {
  for (const event of log.readTypes(['DataKeyDestroyed', 'MeasurementsRolledUp']))
    if (event.position > position) return true;
  return false;
}
