import type { ElectionReason } from '../../events/cluster.js';
import { message, type Text } from '../../messages/message.js';

/** Why the leader changed. `former`: who led before. */
export function electionText(reason: ElectionReason, former: string): Text {
  switch (reason) {
    case 'first':
      return message('cluster.reasonFirst');
    case 'handedOver':
      return message('cluster.reasonHandedOver', { member: former });
    case 'stopped':
      return message('cluster.reasonStopped', { member: former });
    default:
      return message('cluster.reasonExpired', { member: former });
  }
}
