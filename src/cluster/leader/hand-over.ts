import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterMember } from '../../commands/ports/cluster.js';
import { Rejection, reject } from '../../commands/rejection.js';
import type { LeaderCalls } from '../leader-calls.js';
import type { Member } from '../member.js';
import type { Members } from '../members.js';
import { isReady, type Record } from '../steering.js';

/** How long a change may wait for its confirmation, in ms. Later changes are refused without waiting. */
export const CONFIRM_MS = 5000;
/** How long a hand-over waits for changes in progress, and for the end of what only the leader does, in ms. */
const YIELD_MS = 1000;

interface Leader {
  readonly name: string;
  readonly member: Pick<Member, 'stepDown'>;
  readonly members: Pick<Members, 'handOver'>;
  readonly calls: Pick<LeaderCalls, 'yield'>;
  /** The members, from their last reports. */
  readonly others: readonly ClusterMember[];
  readonly record: Record;
  readonly endLead: () => Promise<void>;
}

/**
 * Hands the leadership over to another member that is up to date; this one follows. Requests that arrive from now on wait for the
 * next leader. Resolves to why not, or null.
 */
export async function handOver(leader: Leader): Promise<Rejection | null> {
  const { name, member, members, calls, others, record, endLead } = leader;
  if (!others.some(isReady)) return reject('CLUSTER_NO_SUCCESSOR');
  const done = record({ type: 'HandOverLeadership', data: { member: name } });
  if (done instanceof Rejection) return done;
  let resume = (): void => undefined;
  const isFree = await member.stepDown({
    ms: CONFIRM_MS,
    finished: async () => {
      resume = await calls.yield(YIELD_MS);
    },
    leave: async () => {
      await Promise.race([endLead(), sleep(YIELD_MS, undefined, { ref: false })]);
      await members.handOver();
    },
  });
  if (isFree) return null;
  resume();
  return reject('CHANGE_UNCONFIRMED', { span: CONFIRM_MS });
}
