import type { Command } from 'commander';
import type { JoinRequest } from '../../../commands/cluster.js';
import { operateLeader } from '../../../control/control.js';
import { UsageError } from '../../../lib/errors/operator-error.js';
import { message } from '../../../messages/message.js';
import { version } from '../../../version.js';
import { print, printEither } from '../../output.js';
import { type ClusterCli, clusterOptions, withServers } from './options.js';

/** `portolan cluster join`, `approve` and `rejoin`: new members, and those that cannot follow any more. */
export function joiningCommands(cluster: Command, { config, json, say }: ClusterCli): void {
  cluster
    .command('join')
    .description(say(message('cli.clusterJoin')))
    .action(
      withServers(config, async () => {
        const options = clusterOptions(config());
        const { name: member } = options;
        const { CLUSTER_ROLE: role } = config();
        // Loaded on demand: nothing else on the command line needs NATS.
        const { joinCluster } = await import('../../../cluster/joining.js');
        const waiting = (fingerprint: string): void =>
          printEither(
            json(),
            { waiting: true, member, role, fingerprint },
            say(message('cluster.joinFingerprint', { member, fingerprint })),
          );
        const joined = await joinCluster({ ...options, dataDir: config().DATA_DIR, role, release: version, waiting });
        const { position, masterFingerprint: fingerprint } = joined;
        const code = role === 'member' ? 'cluster.joined' : 'cluster.joinedMirror';
        printEither(json(), joined, say(message(code, { position, fingerprint })));
      }),
    );

  cluster
    .command('rejoin')
    .description(say(message('cli.clusterRejoin')))
    .action(
      withServers(config, async () => {
        const options = clusterOptions(config());
        const { rejoinCluster } = await import('../../../cluster/joining.js');
        const done = await rejoinCluster({ ...options, dataDir: config().DATA_DIR, role: config().CLUSTER_ROLE });
        const { position, movedTo } = done;
        const text =
          movedTo === null
            ? message('cluster.rejoined', { position })
            : message('cluster.rejoinedMoved', { position, folder: movedTo });
        printEither(json(), done, say(text));
      }),
    );

  cluster
    .command('approve')
    .argument('[member]', say(message('cli.argumentMember')))
    .argument('[fingerprint]', say(message('cli.argumentFingerprint')))
    .description(say(message('cli.clusterApprove')))
    .action(async (member: string | undefined, fingerprint: string | undefined) => {
      const dataDir = config().DATA_DIR;
      if (member === undefined) {
        const requests = (await operateLeader(dataDir, 'cluster.requests', {})) as readonly JoinRequest[];
        if (json() || requests.length === 0)
          return printEither(json(), { requests }, say(message('cluster.noRequests')));
        for (const { role, ...request } of requests)
          print(say(message(role === 'member' ? 'cluster.request' : 'cluster.requestMirror', request)));
        return;
      }
      if (fingerprint === undefined) throw new UsageError(message('cluster.fingerprintMissing', { member }));
      const approved = (await operateLeader(dataDir, 'cluster.approve', { member, fingerprint })) as {
        readonly masterFingerprint: string;
      };
      const shown = { member, fingerprint: approved.masterFingerprint };
      printEither(json(), { member, ...approved }, say(message('cluster.approved', shown)));
    });
}
