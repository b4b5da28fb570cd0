import { kindOf, openUntrusted } from '../adapters/backup/untrusted.js';
import { existingDataDirectory } from '../adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { RefusedFile } from '../commands/ports/refused-file.js';
import { atOnce } from '../lib/time/slices.js';
import { message } from '../messages/message.js';
import { type DiffFilter, type DiffReport, diffSteps, type Part } from '../projections/diff/diff.js';
import { readModelsAt } from '../projections/moments.js';
import { openJournal } from '../store/journal.js';
import { readBackup } from './backup-reader.js';

/** A side of a comparison: the end of a backup, or a position of the panel's log. */
export type DiffSide = { readonly file: string; readonly passphrase: string } | { readonly position: number };

export interface DiffJob {
  /** The data directory. */
  readonly root: string;
  readonly from: DiffSide;
  readonly to: DiffSide;
  readonly filter: DiffFilter;
  readonly part: Part;
}

/** The report; or the positions, when both sides are of one log and the first one is later. */
export type DiffResult =
  | { readonly report: DiffReport }
  | { readonly reversed: { readonly from: number; readonly to: number } };

/** A log after the event at a position; 0 = a new panel. */
interface LogAt {
  readonly log: SqliteEventLog;
  readonly position: number;
}

/** Compares backups with each other or with the log of the panel. It only reads. Throws `RefusedFile` for a bad backup. */
export function diff({ root, from, to, filter, part }: DiffJob): DiffResult {
  const logs: SqliteEventLog[] = [];
  const open = (side: DiffSide): LogAt => {
    const log =
      'file' in side
        ? openBackup(side.file, side.passphrase)
        : openJournal(existingDataDirectory(root), { readonly: true }).log;
    logs.push(log);
    return { log, position: 'file' in side ? log.head().position : side.position };
  };
  try {
    const before = open(from);
    return diffOfLogs(before, open(to), filter, part);
  } finally {
    for (const log of logs) log.close();
  }
}

/** Compares two positions, of one log or of two. What either log has erased is left out on both sides. */
export function diffOfLogs(before: LogAt, after: LogAt, filter: DiffFilter, part: Part): DiffResult {
  const [from, to] = [before.position, after.position];
  // The later log has the events in between if it begins with the earlier one.
  const continues = from === 0 || after.log.hashAt(from) === before.log.hashAt(from);
  const isReversed = continues ? from > to : to > 0 && before.log.hashAt(to) === after.log.hashAt(to);
  if (isReversed) return { reversed: { from, to } };
  const search = continues ? after.log.search : null;
  const steps = diffSteps(sideAt(before, after.log), sideAt(after, before.log), filter, { part, search });
  return { report: atOnce(steps) };
}

function sideAt({ log, position }: LogAt, other: SqliteEventLog) {
  const at = log.search.header(position)?.meta.at ?? 0;
  const destroyed = new Set<string>();
  for (const event of log === other ? [] : other.stored.ofTypes(['DataKeyDestroyed']))
    if (event.type === 'DataKeyDestroyed') destroyed.add(event.data.key);
  return { position, at, read: readModelsAt(log, position), destroyed };
}

/** The log of a backup, which is not changed. Throws `RefusedFile` with the reason. */
export function openBackup(file: string, passphrase: string): SqliteEventLog {
  const db = openUntrusted(file);
  try {
    if (kindOf(db) !== 'portolan') throw new RefusedFile(message('backup.otherPanel'));
    return readBackup(db, passphrase).log;
  } catch (error) {
    db.close();
    throw error;
  }
}
