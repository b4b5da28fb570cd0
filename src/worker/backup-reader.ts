import { openKey } from '../adapters/backup/key-box.js';
import type { BackupRow } from '../adapters/backup/layout.js';
import { checkBackup } from '../adapters/backup/untrusted.js';
import { LogDamage } from '../adapters/sqlite/codec.js';
import type { SqliteDatabase } from '../adapters/sqlite/database.js';
import { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { Keyring } from '../adapters/sqlite/keyring.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import type { RecordedEvent } from '../events/catalog.js';
import { advance, FoldFailure, type Folding } from '../events/log/replay.js';
import { textOf } from '../messages/error.js';
import { message } from '../messages/message.js';
import { verifyLog } from '../store/verify.js';

/** Opens the log of a backup with its key, and checks its identity and its end. Throws `RefusedFile`. */
export function readBackup(db: SqliteDatabase, passphrase: string) {
  const row = checkBackup(db);
  const master = keyOf(row, passphrase);
  const log = readOrRefuse(() => new SqliteEventLog(db, new Keyring(db, master, Date.now)));
  const head = log.head();
  if (log.generation !== row.generation) throw new RefusedFile(message('backup.otherLog'));
  if (head.position !== row.position || head.hash !== row.hash)
    throw new RefusedFile(message('backup.wrongEnd', { position: row.position, end: head.position }));
  return { log, row, master };
}

function keyOf(row: BackupRow, passphrase: string): Buffer {
  if (row.sealing === 'scrypt' && passphrase === '') throw new RefusedFile(message('backup.passphraseNeeded'));
  const key = openKey(row, passphrase, row.generation);
  if (key === null) throw new RefusedFile(message('backup.passphraseWrong'));
  return key;
}

/** A check to run when the foldings have reached a position. */
interface Checkpoint {
  readonly position: number;
  readonly check: () => void;
}

/**
 * Verifies the whole chain and replays it in one pass. Returns the number of events. Calls `read` with the position that it
 * has reached. Throws `RefusedFile` with the first bad position or the replay error.
 */
export function readWhole(
  log: SqliteEventLog,
  foldings: readonly Folding[],
  checkpoints: readonly Checkpoint[] = [],
  read: (position: number) => void = () => undefined,
): number {
  const remaining = [...checkpoints].sort((one, other) => one.position - other.position);
  const fold = (events: readonly RecordedEvent[]): void => {
    for (const folding of foldings) advance(folding, events);
  };
  const follow = (events: readonly RecordedEvent[], last: number): void => {
    let rest = events;
    for (let [next] = remaining; next && next.position <= last; [next] = remaining) {
      const { position, check } = next;
      fold(rest.filter((event) => event.position <= position));
      rest = rest.filter((event) => event.position > position);
      check();
      remaining.shift();
    }
    fold(rest);
    read(last);
  };
  const { fault, events, keys } = readOrRefuse(() => {
    follow([], 0);
    return verifyLog(log, follow);
  });
  if (fault) throw new RefusedFile(message('backup.chainBroken', { position: fault.position, why: fault.what }));
  if (keys !== null) throw new RefusedFile(message('backup.keysWrong', { why: keys }));
  return events;
}

/** Runs `read`, and reports a log that cannot be read or replayed as `RefusedFile`. */
function readOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof LogDamage || error instanceof FoldFailure || error instanceof SyntaxError)
      throw new RefusedFile(message('backup.replayFailed', { why: textOf(error) }), { cause: error });
    throw error;
  }
}

/** Whether something after `position` changed how the events before it are read. */
export function isOvertaken(log: Pick<SqliteEventLog, 'stored'>, position: number): boolean {
  for (const event of log.stored.ofTypes(['DataKeyDestroyed', 'MeasurementsRolledUp']))
    if (event.position > position) return true;
  return false;
}
