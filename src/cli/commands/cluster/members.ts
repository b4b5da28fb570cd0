import type { Command } from 'commander';
import { message } from '../../../messages/message.js';
import { printEither } from '../../output.js';
import { reading } from '../../reading.js';
import { type ClusterCli, clusterOptions } from './options.js';

const RELATIONS = {
  equal: 'cluster.relationEqual',
  behind: 'cluster.relationBehind',
  ahead: 'cluster.relationAhead',
  diverged: 'cluster.relationDiverged',
  gap: 'cluster.relationGap',
} as const;

/** `portolan cluster status`: the members of the cluster, and how this machine relates to it. */
export function memberCommands(cluster: Command, { config, json, say }: ClusterCli): void {
  cluster
    .command('status')
    .description(say(message('cli.clusterStatus')))
    .action(async () => {
      const options = clusterOptions(config());
      // Loaded on demand: nothing else on the command line needs NATS.
      const { clusterStatus } = await import('../../../cluster/status.js');
      const status = await reading(config().DATA_DIR, (journal) => clusterStatus(options, journal));
      const { leader, last, position, relation } = status;
      const lines = [
        leader === null ? say(message('cluster.noLeader')) : say(message('cluster.leader', { leader })),
        say(message('cluster.stream', { sequence: last })),
        say(message(RELATIONS[relation], { position })),
      ];
      printEither(json(), status, lines.join('\n'));
    });
}
