import type { NatsOptions } from '../../../adapters/nats/connection.js';
import { natsOptions } from '../../../app/cluster.js';
import { type Config, changedBy } from '../../../config.js';
import { UsageError } from '../../../lib/errors/operator-error.js';
import { message } from '../../../messages/message.js';
import type { Say } from '../../../messages/terminal.js';

/** What the commands of a cluster share. */
export interface ClusterCli {
  readonly config: () => Config;
  readonly json: () => boolean;
  readonly say: Say;
}

/** How to reach the cluster. Throws `UsageError` when no address is configured. */
export function clusterOptions(config: Config): NatsOptions {
  const options = natsOptions(config);
  if (options === null)
    throw new UsageError(message('cluster.urlMissing', { variable: changedBy(config, 'CLUSTER_URL') }));
  return options;
}
