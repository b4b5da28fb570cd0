import { asapScheduler, filter, firstValueFrom, interval, map, merge, observeOn, of, startWith, timeout } from 'rxjs';
import { ClusterAway } from '../commands/ports/cluster.js';
import { reject } from '../commands/rejection.js';
import type { Config } from '../config.js';
import type { ClusterAdmin, ClusterServices } from '../http/panel/relay/cluster-services.js';
import { MessageError } from '../messages/error.js';
import { type ClusterLink, natsOptions } from './cluster.js';
import type { Panel } from './panel.js';

/** How often a request that waits for a position looks, in ms: a confirmation causes no event. */
const LOOK_MS = 10;

/** The cluster, as the HTTP server of a member needs it. */
export function clusterServices(link: ClusterLink, log: Panel['log'], config: Config): ClusterServices {
  const position = (): number => link.state?.shared ?? 0;
  return {
    get isLeader() {
      return link.isLeader;
    },
    refusal: () => link.refusal(),
    callLeader: (caller) => link.calls.open(caller),
    recordAtLeader: (command, context) => link.calls.record(command, context),
    position,
    begins: () => link.calls.begins(),
    reached: (wanted, ms) =>
      firstValueFrom(
        merge(log.appended$.pipe(observeOn(asapScheduler)), interval(LOOK_MS)).pipe(
          startWith([]),
          filter(() => position() >= wanted),
          map(() => true),
          timeout({ first: ms, with: () => of(false) }),
        ),
      ),
    admin: clusterAdmin(link, log, config),
  };
}

type Verified = ReturnType<ClusterAdmin['verify']>;

function clusterAdmin(link: ClusterLink, log: Panel['log'], config: Config): ClusterAdmin {
  let running: Verified | null = null;
  return {
    view: () => link.view(),
    // Loaded on demand: a panel that is alone needs no code of a cluster.
    history: async () => (await import('../cluster/history.js')).clusterHistory(log),
    joins: () => link.calls.joins,
    steer: (asked, record) => link.steer(asked, record),
    // It reads the whole stream, so callers at the same time get the same answer.
    verify: () =>
      (running ??= verify(log, config).finally(() => {
        running = null;
      })),
  };
}

async function verify(log: Panel['log'], config: Config): Verified {
  const options = natsOptions(config);
  if (options === null) return reject('CLUSTER_NONE');
  const [{ compareWithStream }, { problemsIn }] = await Promise.all([
    import('../cluster/damage/rebuild.js'),
    import('../cluster/damage/verify.js'),
  ]);
  try {
    const found = await compareWithStream(options, { log });
    const { fault, difference, messages, position } = found;
    return { fault, difference, messages, position, problems: problemsIn(found) };
  } catch (error) {
    if (error instanceof ClusterAway) return reject('CLUSTER_UNAVAILABLE', { since: Date.now() });
    if (error instanceof MessageError) return reject('CLUSTER_VERIFY_FAILED', { why: error.text });
    throw error;
  }
}
