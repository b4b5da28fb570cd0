import { message, type Text } from '../../messages/message.js';
import type { AccessStatus } from './why-facts.js';

const TEXTS = {
  disabled: 'why.stateDisabled',
  'cap reached': 'why.stateCapReached',
  expired: 'why.stateExpired',
  'inbound disabled': 'why.stateInboundDisabled',
  'inbound cap reached': 'why.stateInboundCapReached',
  'inbound expired': 'why.stateInboundExpired',
  'node deleted': 'why.stateNodeDeleted',
  'inbound rejected by the node': 'why.stateRejectedByNode',
  'node disabled': 'why.stateNodeDisabled',
  'node unreachable': 'why.stateNodeUnreachable',
  'node outdated': 'why.stateNodeOutdated',
  'inbound rejected by the core': 'why.stateRejectedByCore',
  'core not running': 'why.stateCoreNotRunning',
  'too many addresses': 'why.stateTooManyAddresses',
  'not used yet': 'why.stateNotUsedYet',
  active: 'why.stateActive',
} as const satisfies Record<AccessStatus, string>;

/** The name of a state for people. */
export function accessStatusText(status: AccessStatus): Text {
  return message(TEXTS[status]);
}
