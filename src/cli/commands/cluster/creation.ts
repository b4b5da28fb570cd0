import type { Command } from 'commander';
import { message } from '../../../messages/message.js';
import { wholeNumber } from '../../option-values.js';
import { printEither } from '../../output.js';
import { reading } from '../../reading.js';
import { type ClusterCli, clusterOptions, withServers } from './options.js';

/** `portolan cluster init`: creates a cluster for the data of this panel. */
export function creationCommands(cluster: Command, { config, json, say }: ClusterCli): void {
  cluster
    .command('init')
    .description(say(message('cli.clusterInit')))
    .option('--replicas <count>', say(message('cli.optionReplicas')), '3')
    .action(
      withServers(config, async ({ replicas }: { replicas: string }) => {
        const options = clusterOptions(config());
        const count = wholeNumber('--replicas', replicas, { min: 1, max: 5 });
        // Loaded on demand: nothing else on the command line needs NATS.
        const { createCluster } = await import('../../../cluster/create.js');
        const created = await reading(config().DATA_DIR, (journal) => createCluster(options, journal, count));
        printEither(json(), created, say(message('cluster.created', { position: created.base, keys: created.keys })));
      }),
    );
}
