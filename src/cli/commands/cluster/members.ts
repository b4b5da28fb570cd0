import type { Command } from 'commander';
import type { ClusterStatus } from '../../../cluster/status.js';
import { type ClusterMember, hasWrongClock, quorumOf } from '../../../commands/ports/cluster.js';
import { OperatorError } from '../../../lib/errors/operator-error.js';
import { type MessageCode, message, type Text } from '../../../messages/message.js';
import { electionText } from '../../../projections/audit/election-text.js';
import { printEither } from '../../output.js';
import { reading } from '../../reading.js';
import { type ClusterCli, clusterOptions, withServers } from './options.js';

/** How the log of this machine and the stream relate. */
export const RELATIONS = {
  equal: 'cluster.relationEqual',
  behind: 'cluster.relationBehind',
  ahead: 'cluster.relationAhead',
  diverged: 'cluster.relationDiverged',
  gap: 'cluster.relationGap',
} as const satisfies Record<ClusterStatus['relation'], MessageCode>;

const ROLES = {
  leader: 'cluster.roleLeader',
  follower: 'cluster.roleFollower',
  subscriptions: 'cluster.roleSubscriptions',
} as const satisfies Record<ClusterMember['role'], MessageCode>;

/** `portolan cluster status`, `members`, `step-down` and `remove`. NATS is loaded on demand. */
export function memberCommands(cluster: Command, { config, json, say }: ClusterCli): void {
  cluster
    .command('status')
    .description(say(message('cli.clusterStatus')))
    .action(
      withServers(config, async () => {
        const options = clusterOptions(config());
        const { clusterStatus } = await import('../../../cluster/status.js');
        const status = await reading(config().DATA_DIR, (journal) => clusterStatus(options, journal));
        printEither(json(), status, statusTexts(status).map(say).join('\n'));
      }),
    );

  cluster
    .command('members')
    .description(say(message('cli.clusterMembers')))
    .action(
      withServers(config, async () => {
        const { clusterMembers } = await import('../../../cluster/status.js');
        const members = await clusterMembers(clusterOptions(config()));
        const lines =
          members.length === 0
            ? [message('cluster.noMembers')]
            : members.flatMap((member) => [memberText(member), ...memberProblems(member)]);
        printEither(json(), members, lines.map(say).join('\n'));
      }),
    );

  cluster
    .command('step-down')
    .description(say(message('cli.clusterStepDown')))
    .action(
      withServers(config, async () => {
        const options = clusterOptions(config());
        const [{ clusterMembers }, { askAsOperator }] = await Promise.all([
          import('../../../cluster/status.js'),
          import('../../../cluster/steering.js'),
        ]);
        const leader = (await clusterMembers(options)).find(
          ({ role, state }) => role === 'leader' && state === 'running',
        );
        const refused = await askAsOperator(options, 'step-down', null);
        if (refused) throw new OperatorError(refused.text);
        const member = leader?.name ?? '';
        printEither(json(), { member }, say(message('cluster.steppedDown', { member })));
      }),
    );

  cluster
    .command('remove')
    .argument('<name>')
    .description(say(message('cli.clusterRemove')))
    .option('--force', say(message('cli.optionForceRemove')), false)
    .action(
      withServers(config, async (member: string, { force }: { force: boolean }) => {
        const { askAsOperator } = await import('../../../cluster/steering.js');
        const refused = await askAsOperator(clusterOptions(config()), 'remove', { member, force });
        if (refused) throw new OperatorError(refused.text);
        printEither(json(), { member }, say(message('cluster.removed', { member })));
      }),
    );
}

/** How many copies of the log are current. */
export function quorumText(servers: ClusterStatus['servers']): Text {
  const current = servers.filter(({ isCurrent }) => isCurrent).length;
  return message('cluster.quorum', { current, servers: servers.length, needed: quorumOf(servers) });
}

function statusTexts({ leader, last, position, relation, servers, failover }: ClusterStatus): readonly Text[] {
  return [
    leader === null ? message('cluster.noLeader') : message('cluster.leader', { leader }),
    quorumText(servers),
    message('cluster.stream', { sequence: last }),
    message(RELATIONS[relation], { position }),
    ...(failover?.reason
      ? [electionLine(failover.at, failover.member, electionText(failover.reason, failover.former ?? ''))]
      : []),
  ];
}

const electionLine = (at: number, member: string, why: Text): Text => message('cluster.election', { at, member, why });

/** What is wrong with a member that runs; none for one that is well. */
export function memberProblems(found: ClusterMember): readonly Text[] {
  const { name: member, host, missingFiles, clockMs } = found;
  if (found.state !== 'running') return [];
  return [
    ...(hasWrongClock(found) ? [message('cluster.memberClock', { member, host, span: Math.abs(clockMs ?? 0) })] : []),
    ...missingFiles.map(({ file, why }) => message('cluster.memberFile', { member, host, file, why })),
  ];
}

export function memberText(found: ClusterMember): Text {
  const { name: member, host, state, role, version, position, lag, lagMs, ageMs, unknownAt } = found;
  if (state === 'away') return message('cluster.memberAway', { member, host, age: ageMs, position });
  if (state === 'stopped') return message('cluster.memberStopped', { member, host, position });
  if (unknownAt !== null) return message('cluster.memberOutdated', { member, host, version, position: unknownAt });
  const roleText = message(ROLES[role]);
  return message('cluster.memberRunning', { member, host, role: roleText, version, position, lag, span: lagMs });
}
