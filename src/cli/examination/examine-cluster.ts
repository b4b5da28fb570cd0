import { natsOptions } from '../../app/cluster.js';
import type { ClusterStatus } from '../../cluster/status.js';
import { ClusterAway, type ClusterMember, quorumOf } from '../../commands/ports/cluster.js';
import type { Config } from '../../config.js';
import { MessageError } from '../../messages/error.js';
import { message } from '../../messages/message.js';
import type { Journal } from '../../store/journal.js';
import { memberProblems, memberText, quorumText, RELATIONS } from '../commands/cluster/members.js';
import { bad, type Finding, good, note } from './finding.js';

type Log = Pick<Journal, 'log'>;

const CLUSTER = message('cli.checkCluster');

/** How this machine relates to its cluster, and what former leaders have set aside; nothing without a cluster. NATS is loaded on demand. */
export async function examineCluster(config: Config, journal: Log): Promise<readonly Finding[]> {
  const options = natsOptions(config);
  if (options === null) return [];
  const [{ clusterStatus, clusterMembers }, { withoutLogin }, { NatsRefused }] = await Promise.all([
    import('../../cluster/status.js'),
    import('../../cluster/shown-url.js'),
    import('../../adapters/nats/connection.js'),
  ]);
  const tails = await setAside(journal);
  try {
    const status = await clusterStatus(options, journal);
    const members = await clusterMembers(options);
    return [...(await examineStatus(status)), ...members.flatMap(examineMember), ...tails];
  } catch (error) {
    if (error instanceof ClusterAway || error instanceof NatsRefused)
      return [
        bad(CLUSTER, message('cli.clusterAway', { url: withoutLogin(options.url), why: error.message })),
        ...tails,
      ];
    if (error instanceof MessageError) return [bad(CLUSTER, error.text), ...tails];
    return [bad(CLUSTER, message('cli.clusterIncomparable', { why: String(error) })), ...tails];
  }
}

/** A member that is away, that has stopped at an event, whose clock is wrong, or that lacks files. */
function examineMember(member: ClusterMember): readonly Finding[] {
  const isBehind = member.state === 'away' || (member.state === 'running' && member.unknownAt !== null);
  const texts = [...(isBehind ? [memberText(member)] : []), ...memberProblems(member)];
  return texts.map((text) => note(CLUSTER, text));
}

async function examineStatus({ leader, servers, relation, position, fault }: ClusterStatus): Promise<Finding[]> {
  const { faultText } = await import('../../cluster/damage/stream-fault.js');
  const hasQuorum = servers.filter(({ isCurrent }) => isCurrent).length >= quorumOf(servers);
  const related = message(RELATIONS[relation], { position });
  return [
    leader === null ? bad(CLUSTER, message('cluster.noLeader')) : good(CLUSTER, message('cluster.leader', { leader })),
    (hasQuorum ? good : bad)(CLUSTER, quorumText(servers)),
    relation === 'equal'
      ? good(CLUSTER, related)
      : (relation === 'diverged' || relation === 'gap' ? bad : note)(CLUSTER, related),
    ...(fault === null ? [] : [bad(CLUSTER, faultText(fault))]),
  ];
}

/** The files with events that the cluster never confirmed. */
async function setAside({ log }: Log): Promise<readonly Finding[]> {
  const { clusterHistory } = await import('../../cluster/history.js');
  return clusterHistory(log).setAside.map(({ member, file, fromPosition: first, toPosition: last }) =>
    note(message('cli.checkSetAside'), message('cli.setAsideFile', { member, file, first, last })),
  );
}
