import type { RecordedEvent } from '../../../events/catalog.js';
import type { Alarms } from '../../../lib/alarms.js';

const ADDRESSES_OPEN = 'addresses that are held back stay connected';
const CORE_KEPT = 'the core kept its configuration';

/** Connections of a blocked address could not be closed. Raised once: it stays so until the panel gets the capability. */
export function raiseAddressesOpen(alarms: Alarms): void {
  alarms.raise(ADDRESSES_OPEN, {
    title: 'What is open from an address that is held back goes on until it ends by itself',
    body: 'New ones are refused. To end those that are open, the panel needs CAP_NET_ADMIN and the program ss: docs/install.md',
    severity: 'warning',
  });
}

/** The core rejected a configuration. Raised once, although the panel tries again every minute. */
export function raiseCoreKept(alarms: Alarms, why: string): void {
  alarms.raise(CORE_KEPT, {
    title: 'The core does not take the new configuration and goes on with the old one',
    body: why,
    severity: 'error',
  });
}

/** A start of the core means that it accepted its configuration. */
export function clearCoreKept(alarms: Alarms, events: readonly RecordedEvent[]): void {
  if (events.some(({ type }) => type === 'CoreStarted')) alarms.over([CORE_KEPT]);
}
