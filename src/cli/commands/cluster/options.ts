import type { NatsOptions } from '../../../adapters/nats/connection.js';
import { natsOptions } from '../../../app/cluster.js';
import { ClusterAway, StreamMissing } from '../../../commands/ports/cluster.js';
import { type Config, changedBy } from '../../../config.js';
import { OperatorError, UsageError } from '../../../lib/errors/operator-error.js';
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

/** An action that needs the NATS servers. What they refuse, and that they are away, becomes an `OperatorError`. */
export function withServers<A extends readonly unknown[]>(
  config: () => Config,
  action: (...args: A) => Promise<void>,
): (...args: A) => Promise<void> {
  return (...args) =>
    action(...args).catch(async (error: unknown) => {
      throw await problemOf(error, config());
    });
}

async function problemOf(error: unknown, { CLUSTER_URL }: Config): Promise<unknown> {
  if (!(error instanceof Error) || CLUSTER_URL === undefined) return error;
  const [{ NatsRefused }, { isWithoutJetStream }, { refusalText }, { withoutLogin }] = await Promise.all([
    import('../../../adapters/nats/connection.js'),
    import('../../../adapters/nats/errors.js'),
    import('../../../cluster/connect.js'),
    import('../../../cluster/shown-url.js'),
  ]);
  const url = withoutLogin(CLUSTER_URL);
  const cause = { cause: error };
  if (error instanceof NatsRefused || isWithoutJetStream(error))
    return new OperatorError(refusalText(error, CLUSTER_URL), cause);
  if (error instanceof StreamMissing) return new OperatorError(message('cluster.partMissing', { url }), cause);
  if (error instanceof ClusterAway)
    return new OperatorError(message('cluster.serversAway', { url, why: error.message }), cause);
  return error;
}
