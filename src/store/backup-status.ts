import type { BackupStatus } from '../commands/ports/backups.js';
import { upcoming } from '../commands/reactors/schedule.js';
import type { Settings } from '../events/settings/settings.js';
import type { Backups } from '../projections/models/backups.js';

/** The status of scheduled backups at `now` (ms since 1970). They are late when the last verified one is older than two periods. */
export function backupStatus(
  { last, lastGood }: Backups,
  { backupKeep, backupSchedule, timeLocation }: Settings,
  now: number,
): BackupStatus {
  const next = backupKeep === 0 ? null : timeOf(() => upcoming(backupSchedule, timeLocation, now));
  const afterNext = next === null ? null : timeOf(() => upcoming(backupSchedule, timeLocation, next));
  if (next === null || afterNext === null) return { last, lastGood, next, late: false };
  const oldest = now - 2 * (afterNext - next);
  return { last, lastGood, next, late: lastGood === null ? last !== null : lastGood.at < oldest };
}

/** Null for an invalid schedule. The settings reject one, but a log of an older release may hold it. */
function timeOf(ask: () => number | null): number | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
