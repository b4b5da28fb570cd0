import type { RecordedEvent } from '../../../events/catalog.js';
import type { Alarms } from '../../../lib/alarms.js';

const ADDRESSES_OPEN = 'addresses that are held back stay connected';
const CORE_KEPT = 'the core kept its configuration';

/** Connections of a blocked address could not be closed. Raised once: it stays so until the panel gets the capability. */
export function raiseAddressesOpen(alarms: Alarms): void {
  alarms.raise(ADDRESSES_OPEN, {
    title: 'Open connections from a blocked address stay open until they close',
    body: 'New connections are refused. To close open ones, the panel needs CAP_NET_ADMIN and the program ss: docs/install.md',
    severity: 'warning',
  });
}

/** The core rejected a configuration. Raised once, although the panel tries again every minute. */
export function raiseCoreKept(alarms: Alarms, why: string): void {
  alarms.raise(CORE_KEPT, {
    title: 'The core does not accept the new configuration and continues with the old one',
    body: why,
    severity: 'error',
  });
}

/** A start of the core means that it accepted its configuration. */
export function clearCoreKept(alarms: Alarms, events: readonly RecordedEvent[]): void {
  if (events.some(({ type }) => type === 'CoreStarted')) alarms.over([CORE_KEPT]);
}
