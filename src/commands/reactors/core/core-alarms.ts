import type { RecordedEvent } from '../../../events/catalog.js';
import type { Alarms } from '../../../lib/alarms.js';
import { message, type Text } from '../../../messages/message.js';

const ADDRESSES_OPEN = 'blocked addresses stay connected';
const CONFIGURATION_REJECTED = 'the core kept its configuration';

/** Connections of a blocked address could not be closed. Raised once: it stays so until the panel gets the capability. */
export function raiseAddressesOpen(alarms: Alarms): void {
  alarms.raise(ADDRESSES_OPEN, {
    title: message('notifications.blockedAddressesOpen'),
    body: message('notifications.blockedAddressesHelp'),
    severity: 'warning',
  });
}

/** The core rejected a configuration. Raised once, although the panel tries again every minute. */
export function raiseConfigurationRejected(alarms: Alarms, why: Text): void {
  alarms.raise(CONFIGURATION_REJECTED, {
    title: message('notifications.coreKeptConfiguration'),
    body: why,
    severity: 'error',
  });
}

/** A start of the core means that it accepted its configuration. */
export function clearConfigurationRejected(alarms: Alarms, events: readonly RecordedEvent[]): void {
  if (events.some(({ type }) => type === 'CoreStarted')) alarms.clear([CONFIGURATION_REJECTED]);
}
