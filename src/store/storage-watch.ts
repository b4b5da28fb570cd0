import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Done } from '../commands/bus.js';
import { Rejection, refusedByStorage, STORAGE_CODES } from '../commands/rejection.js';
import type { StorageError } from '../events/log/log.js';
import type { Alarms } from '../lib/alarms.js';
import { message, type Text } from '../messages/message.js';

/** Raises an alarm when the disk rejects a write, and ends it with the next event that is written. Returns its argument. */
export function storageWatch(alarms: Alarms): (done: Done | Rejection) => Done | Rejection {
  return (done) => {
    if (done instanceof Rejection) {
      if (refusedByStorage(done))
        alarms.raise(done.code, { title: message('notifications.storageFailed'), body: done.text, severity: 'error' });
    } else if (done.events.length > 0) {
      alarms.clear(STORAGE_CODES, {
        title: message('notifications.storageRecovered'),
        body: message('notifications.dataDirectoryWritable'),
        severity: 'success',
      });
    }
    return done;
  };
}

/** Roughly the bytes that one change needs: the write-ahead log grows by whole pages. */
const PROBE = Buffer.alloc(65_536);

interface Watched {
  readonly alarms: Pick<Alarms, 'isActive'>;
  readonly directory: { readonly run: string };
  readonly log: { readonly damage: StorageError | null };
}

/**
 * Why no change can be saved now, or null. After the disk has rejected a change, this writes a test file, because an idle
 * panel would not notice that there is room again. A locked database is not reported: it lasts only a moment.
 */
export function refusedByDisk({ alarms, directory, log }: Watched): Text | null {
  if (log.damage) return message('storage.unsavedDamage', { why: log.damage.text });
  // After an I/O error the kernel's view of the file cannot be trusted until a new process opens it.
  if (alarms.isActive('STORAGE_FAILED')) return message('storage.unsavedFailed');
  if (!alarms.isActive('STORAGE_FULL') && !alarms.isActive('STORAGE_READ_ONLY')) return null;
  const file = join(directory.run, 'room');
  try {
    rmSync(file, { force: true });
    writeFileSync(file, PROBE, { flag: 'wx', mode: 0o600, flush: true });
    return null;
  } catch (error) {
    return message('storage.unsavedRefused', { code: (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN' });
  } finally {
    discard(file);
  }
}

/** The file stays on a file system that became read-only. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The caller reports the reason.
  }
}
