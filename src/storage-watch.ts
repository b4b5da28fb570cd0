import type { Dispatch } from './commands/bus.js';
import { Rejection, type RejectionCode } from './commands/rejection.js';
import type { Alarms } from './lib/alarms.js';

/** The disk's own refusals. No event can tell of them. */
const STORAGE: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  ...(['STORAGE_FULL', 'STORAGE_BUSY', 'STORAGE_READ_ONLY', 'STORAGE_FAILED'] as const),
]);

export function refusedByStorage({ code }: Rejection): boolean {
  return STORAGE.has(code);
}

/** The same `dispatch`, which raises an alarm when the disk refuses, and ends it with the next event that is written. */
export function watchStorage(dispatch: Dispatch, alarms: Alarms): Dispatch {
  return (command, context) => {
    const done = dispatch(command, context);
    if (done instanceof Rejection) {
      if (refusedByStorage(done))
        alarms.raise(done.code, { title: 'Nothing can be saved', body: done.message, severity: 'error' });
    } else if (done.events.length > 0) {
      alarms.over(STORAGE, {
        title: 'Changes are saved again',
        body: 'The data directory can be written to.',
        severity: 'success',
      });
    }
    return done;
  };
}
