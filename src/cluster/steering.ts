import { z } from 'zod';
import { closeNats, connectNats, type NatsOptions } from '../adapters/nats/connection.js';
import { askLeader } from '../adapters/nats/requests.js';
import type { Done } from '../commands/bus.js';
import type { ClusterCommand } from '../commands/cluster.js';
import { ClusterAway, type ClusterMember } from '../commands/ports/cluster.js';
import { Rejection, type RejectionCode, reject } from '../commands/rejection.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';
import type { ElectionLog } from './election.js';
import { approvalOf } from './mirror/approval.js';

/** How long the leader may take: what it has appended must be confirmed first, in ms. */
const STEERING_MS = 8000;

/** A follower that is further behind, in ms, does not count as up to date. */
const MAX_LAG_MS = 2000;

/** Records a decision of an admin. */
export type Record = (command: ClusterCommand) => Done | Rejection;

/** Whether a member could lead now with nothing missing. */
export function isReady({ state, role, lagMs }: Pick<ClusterMember, 'state' | 'role' | 'lagMs'>): boolean {
  return state === 'running' && role === 'follower' && lagMs < MAX_LAG_MS;
}

/** Why a member cannot be removed; null = it can. A mirror without a report must still be refused more keys. */
export function removalRefusal(
  members: readonly ClusterMember[],
  { member: name, force }: RemovalRequest,
  log: Pick<ElectionLog, 'lastOf'> | null,
): Rejection | null {
  const found = members.find((member) => member.name === name);
  if (!found && log !== null && approvalOf(log, name)?.isRemoved === false) return null;
  if (!found) return reject('CLUSTER_MEMBER_UNKNOWN', { member: name });
  if (found.role === 'leader' && found.state === 'running') return reject('CLUSTER_MEMBER_LEADS', { member: name });
  return found.state === 'running' && !force ? reject('CLUSTER_MEMBER_RUNS', { member: name }) : null;
}

export const RemovalRequest = z.strictObject({ member: z.string(), force: z.boolean() });
export type RemovalRequest = z.output<typeof RemovalRequest>;

const Answer = z.object({
  refused: z.object({ code: z.string(), details: z.record(z.string(), z.unknown()) }).nullable(),
});

/** An answer of the leader, as it is sent. */
export const answerOf = (refused: Rejection | null): z.output<typeof Answer> => ({
  refused: refused && { code: refused.code, details: { ...refused.details } },
});

/** Asks the leader for something as the operator. Resolves to why it refuses, or null. Throws `MessageError` without a leader. */
export async function askAsOperator(
  options: NatsOptions,
  ...[kind, request]: ['step-down', null] | ['remove', RemovalRequest]
): Promise<Rejection | null> {
  const connection = await connectNats(options);
  try {
    const answer = await askLeader(connection, kind, request, STEERING_MS).catch((cause: unknown) => {
      if (!(cause instanceof ClusterAway)) throw cause;
      throw new MessageError(message('cluster.leaderAway'), { cause });
    });
    const { refused } = Answer.parse(answer);
    return refused && new Rejection(refused.code as RejectionCode, refused.details);
  } finally {
    await closeNats(connection);
  }
}
