import type { RecordedEvent } from '../events/catalog.js';
import type { Alarm, Alarms } from '../lib/alarms.js';
import { render } from '../messages/render.js';
import { notificationOf } from './notifications.js';
import type { ReadModels } from './read-models.js';

/** The part of a logger that notifications need. */
interface NotificationLog {
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
 * Writes the texts of warnings and errors to the panel's log, so that they are kept when no browser is open. Notifications of
 * success are left out, because the event log has them.
 */
export function logNotifications({ read, alarms }: Sources, log: NotificationLog): void {
  const write = ({ title, body, severity }: Alarm): void =>
    log[levels[severity]]({ why: render(body, 'en') }, render(title, 'en'));
  read.changed$.subscribe((events) => {
    for (const warning of warningsIn(events)) write(warning);
  });
  alarms.raised$.subscribe(write);
}

function warningsIn(events: readonly RecordedEvent[]): readonly Alarm[] {
  return events.flatMap((event) => {
    const notification = notificationOf(event);
    return notification && notification.severity !== 'success' ? [notification] : [];
  });
}
