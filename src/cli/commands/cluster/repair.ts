import type { Command } from 'commander';
import { OperatorError, UsageError } from '../../../lib/errors/operator-error.js';
import { message } from '../../../messages/message.js';
import { wholeNumber } from '../../option-values.js';
import { printEither } from '../../output.js';
import { reading } from '../../reading.js';
import { type ClusterCli, clusterOptions, withServers } from './options.js';

interface RebuildOptions {
  readonly yes: boolean;
  readonly replicas?: string;
  readonly without?: readonly string[];
}

/** `portolan cluster verify` and `rebuild`: a stream that was damaged. NATS is loaded on demand. */
export function repairCommands(cluster: Command, { config, json, say }: ClusterCli): void {
  cluster
    .command('verify')
    .description(say(message('cli.clusterVerify')))
    .action(
      withServers(config, async () => {
        const options = clusterOptions(config());
        const [{ verifyCluster }, { problemsIn }] = await Promise.all([
          import('../../../cluster/damage/rebuild.js'),
          import('../../../cluster/damage/verify.js'),
        ]);
        const found = await reading(config().DATA_DIR, (journal) => verifyCluster(options, journal), { live: true });
        const { messages, position } = found;
        const problems = problemsIn(found);
        if (problems.length === 0)
          return printEither(json(), found, say(message('cluster.streamSound', { messages, position })));
        if (json()) printEither(true, found, '');
        throw new OperatorError(message('cluster.verifyFailed', { problems }));
      }),
    );

  cluster
    .command('rebuild')
    .description(say(message('cli.clusterRebuild')))
    .option('-y, --yes', say(message('cli.optionYes')), false)
    .option('--replicas <count>', say(message('cli.optionReplicas')))
    .option('--without <member...>', say(message('cli.optionWithout')))
    .action(
      withServers(config, async ({ yes, replicas: given, without = [] }: RebuildOptions) => {
        const options = clusterOptions(config());
        const replicas = given === undefined ? null : wholeNumber('--replicas', given, { min: 1, max: 5 });
        const { rebuildCluster } = await import('../../../cluster/damage/rebuild.js');
        const rebuilt = await reading(
          config().DATA_DIR,
          (journal) => rebuildCluster({ ...options, replicas, without, now: Date.now, confirmed: yes }, journal),
          { live: true },
        );
        const range = { first: rebuilt.fromPosition, last: rebuilt.toPosition };
        if (!yes) throw new UsageError(message('cluster.rebuildWould', range));
        printEither(json(), rebuilt, say(message('cluster.rebuilt', range)));
      }),
    );
}
