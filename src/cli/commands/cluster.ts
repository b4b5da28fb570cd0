import type { Command } from 'commander';
import type { NatsOptions } from '../../adapters/nats/connection.js';
import { memberName } from '../../app/cluster.js';
import { type Config, changedBy } from '../../config.js';
import { UsageError } from '../../lib/errors/operator-error.js';
import { message } from '../../messages/message.js';
import type { Say } from '../../messages/terminal.js';
import { wholeNumber } from '../option-values.js';
import { printEither } from '../output.js';
import { reading } from '../reading.js';

const RELATIONS = {
  equal: 'cluster.relationEqual',
  behind: 'cluster.relationBehind',
  ahead: 'cluster.relationAhead',
  diverged: 'cluster.relationDiverged',
  gap: 'cluster.relationGap',
} as const;

/** How to reach the cluster. Throws `UsageError` when no address is configured. */
function clusterOptions(config: Config): NatsOptions {
  const { CLUSTER_URL: url } = config;
  if (url === undefined)
    throw new UsageError(message('cluster.urlMissing', { variable: changedBy(config, 'CLUSTER_URL') }));
  return {
    ...{ url, name: memberName(config) },
    ...{ credentials: config.CLUSTER_CREDENTIALS, ca: config.CLUSTER_CA },
    ...{ certificate: config.CLUSTER_CERT, key: config.CLUSTER_KEY },
  };
}

/** `portolan cluster …`: creates a cluster, and shows how this machine relates to it. */
export function clusterCommands(program: Command, config: () => Config, json: () => boolean, say: Say): void {
  const cluster = program.command('cluster').description(say(message('cli.cluster')));

  cluster
    .command('init')
    .description(say(message('cli.clusterInit')))
    .option('--replicas <count>', say(message('cli.optionReplicas')), '3')
    .action(async ({ replicas }: { replicas: string }) => {
      const options = clusterOptions(config());
      const count = wholeNumber('--replicas', replicas, { min: 1, max: 5 });
      // Loaded on demand: nothing else on the command line needs NATS.
      const { createCluster } = await import('../../cluster/create.js');
      const created = await reading(config().DATA_DIR, (journal) => createCluster(options, journal, count));
      printEither(json(), created, say(message('cluster.created', { position: created.base, keys: created.keys })));
    });

  cluster
    .command('status')
    .description(say(message('cli.clusterStatus')))
    .action(async () => {
      const options = clusterOptions(config());
      const { clusterStatus } = await import('../../cluster/status.js');
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
