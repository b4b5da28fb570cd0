import type { RecordedEvent } from '../events/catalog.js';
import type { Alarm, Alarms } from '../lib/alarms.js';
import { pushesOf } from '../projections/pushes.js';
import type { ReadModels } from '../projections/read-models.js';

/** The part of a logger that news need. */
interface NewsLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Sources {
  readonly read: Pick<ReadModels, 'changed$'>;
  readonly alarms: Pick<Alarms, 'raised$'>;
}

const levels = { success: 'info', warning: 'warn', error: 'error' } as const;

/**
 * Writes into the log of the panel what its browsers are warned of, in the same words: nobody has to have looked at the
 * right moment. Of events only the warnings and the errors; the rest is in the log of events.
 */
export function logNews({ read, alarms }: Sources, log: NewsLog): void {
  const write = ({ title, body, severity }: Alarm): void => log[levels[severity]]({ why: body }, title);
  read.changed$.subscribe((events) => {
    for (const warning of warningsIn(events)) write(warning);
  });
  alarms.raised$.subscribe(write);
}

function warningsIn(events: readonly RecordedEvent[]): readonly Alarm[] {
  return pushesOf(events).flatMap((push) =>
    push.type === 'notification' && push.severity !== 'success' ? [push] : [],
  );
}
