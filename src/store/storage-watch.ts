import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dispatch } from '../commands/bus.js';
import { Rejection, refusedByStorage, STORAGE_CODES } from '../commands/rejection.js';
import type { Alarms } from '../lib/alarms.js';
import { message } from '../messages/message.js';

/** The same `dispatch`, which raises an alarm when the disk refuses, and ends it with the next event that is written. */
export function watchStorage(dispatch: Dispatch, alarms: Alarms): Dispatch {
  return (command, context) => {
    const done = dispatch(command, context);
    if (done instanceof Rejection) {
      if (refusedByStorage(done))
        alarms.raise(done.code, { title: message('notifications.storageFailed'), body: done.text, severity: 'error' });
    } else if (done.events.length > 0) {
      alarms.over(STORAGE_CODES, {
        title: message('notifications.storageRecovered'),
        body: message('notifications.dataDirectoryWritable'),
        severity: 'success',
      });
    }
    return done;
  };
}

/** About what one change costs, in bytes: the journal of the database grows by whole pages. */
const PROBE = Buffer.alloc(65_536);

interface Watched {
  readonly alarms: Pick<Alarms, 'stands'>;
  readonly directory: { readonly run: string };
  readonly log: { readonly damage: Error | null };
}

/**
 * Why no change can be saved now, or null. Nothing is tried as long as changes are saved. After a refusal a file shows
 * whether there is room again, because a panel that nobody changes would not find out. Busy is over in a moment.
 */
export function refusedByDisk({ alarms, directory, log }: Watched): string | null {
  if (log.damage) return `nothing can be saved: ${log.damage.message}`;
  // An I/O error is final for this process: what the kernel says of the file cannot be trusted any more.
  if (alarms.stands('STORAGE_FAILED')) return 'the disk failed: nothing can be saved until the panel is started anew';
  if (!alarms.stands('STORAGE_FULL') && !alarms.stands('STORAGE_READ_ONLY')) return null;
  const file = join(directory.run, 'room');
  try {
    rmSync(file, { force: true });
    writeFileSync(file, PROBE, { flag: 'wx', mode: 0o600, flush: true });
    return null;
  } catch (error) {
    return `nothing can be saved: the disk says ${(error as NodeJS.ErrnoException).code ?? 'no'}`;
  } finally {
    discard(file);
  }
}

/** A file system that became read-only keeps it. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The reason was told already.
  }
}
