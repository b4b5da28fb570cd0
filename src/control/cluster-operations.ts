import { z } from 'zod';
import type { JoinRequests } from '../commands/cluster.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import { type ControlTarget, Name, operation } from './operation.js';

/** The operations on machines that want to join the cluster. Only the account that owns the data directory may use them. */
export const clusterOperations = {
  'cluster.requests': operation(z.strictObject({}), (_, target) => leading(target).requests()),

  'cluster.approve': operation(
    z.strictObject({ member: Name, fingerprint: z.string().max(64) }),
    ({ member, fingerprint }, target) => {
      try {
        return leading(target).approve(member, fingerprint, (data) => {
          target.dispatch({ type: 'RecordMemberApproved', data });
        });
      } catch (error) {
        throw error instanceof MessageError ? new OperatorError(error.text) : error;
      }
    },
  ),
} as const;

/** Throws `OperatorError` unless the panel leads a cluster. */
function leading({ joins }: ControlTarget): JoinRequests {
  const found = joins();
  if (found === null) throw new OperatorError(message('cluster.approveOnLeader'));
  return found;
}
