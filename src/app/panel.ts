import { prepareDataDirectory, removeUnfinished } from '../adapters/data-directory/data-directory.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { isReplicated } from '../cluster/election.js';
import type { MemberMachine } from '../commands/ports/cluster/machine.js';
import type { Core } from '../commands/ports/core.js';
import { countedChange } from '../commands/reactors/traffic/counted-change.js';
import type { NodeId } from '../events/ids.js';
import { Alarms } from '../lib/alarms.js';
import { Disposal } from '../lib/disposal.js';
import { confirmSwitch, failAttempt } from '../store/generations.js';
import { openStore, recordStart } from '../store/panel-store.js';
import { createReactors } from './reactors.js';

/** What a panel needs from its environment. Tests pass substitutes. */
interface PanelParts {
  readonly dataDir: string;
  readonly version: string;
  readonly createCore: (directory: ReturnType<typeof prepareDataDirectory>, splice: boolean) => Core;
  readonly now?: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** The membership in a cluster; null = this machine is alone. */
  readonly cluster?: Cluster | null;
  /** Called once when changes are no longer accepted and the process should end. */
  readonly failed: (error: Error) => void;
}

/** What a panel needs of its cluster. */
interface Cluster extends MemberMachine {
  /** Compares the closed log with that of the cluster. The caller holds the lock. */
  prepare(directory: ReturnType<typeof prepareDataDirectory>): Promise<void>;
  /** Has the machines of the other members record what they have counted. Resolves within two seconds. */
  collect(): Promise<void>;
  /** Waits a moment for what was appended last, and gives up the leadership. */
  stop(): Promise<void>;
}

export type Panel = Awaited<ReturnType<typeof createPanel>>;

/**
 * The composition root of everything but the servers: the log, the write state, the read models, the core and the
 * reactors. Start is recovery: lock, verify the head, replay, reconcile.
 */
export async function createPanel(parts: PanelParts) {
  const disposal = new Disposal();
  const directory = prepareDataDirectory(parts.dataDir);
  const lock = lockDirectory(directory.lock);
  disposal.add(() => lock.release());
  removeUnfinished(directory);
  try {
    await parts.cluster?.prepare(directory);
    return open(parts, directory, disposal);
  } catch (error) {
    failAttempt(directory.root, error);
    await disposal.dispose();
    throw error;
  }
}

function open(parts: PanelParts, directory: ReturnType<typeof prepareDataDirectory>, disposal: Disposal) {
  const { now = Date.now, warn, version, failed } = parts;
  const alarms = new Alarms();
  const member = parts.cluster ?? null;
  const store = openStore({ directory, alarms, now, warn, failed, disposal, member });
  const { log, read, dispatch, deciding } = store;
  const { damaged, switched } = store.startup;
  if (member) {
    read.records.machine = member.name;
    read.desired.runOn(member.name);
  }
  const core = parts.createCore(directory, read.settings.current().coreSplice);
  const reactors = createReactors({ directory, member, core, store, alarms, now, warn });
  let collectNodes = async (_nodes: readonly NodeId[]): Promise<unknown> => undefined;
  const change = countedChange({
    state: store.state.state,
    submit: deciding.submit,
    collect: () => Promise.all([reactors.collect(), parts.cluster?.collect()]),
    collectNodes: (nodes) => collectNodes(nodes),
  });
  /** A core was found running beside a damaged log: it keeps its configuration. */
  let coreAdopted = false;

  const startMachine = async (begun: () => void): Promise<void> => {
    // A core that still runs belongs to the previous state: its counters do not fit this log.
    if (switched !== null) await core.process.stop();
    begun();
    coreAdopted = damaged && (await core.process.adopt()) !== null;
    if (!coreAdopted) await reactors.begin();
    confirmSwitch(directory);
  };

  return {
    ...{ store, log, read, dispatch, change, core, alarms, directory, now },
    reactors: {
      settled: reactors.settled,
      settledWithin: reactors.settledWithin,
      poll: reactors.poll,
      collect: reactors.collect,
      filterBy: reactors.filterBy,
      restartCore: reactors.restartCore,
      /** `collect` records what these nodes have counted up to now, within two seconds, and never rejects. */
      collectNodesBy: (collect: typeof collectNodes): void => void (collectNodes = collect),
    },

    /** Starts what acts: the core, the polls, the hourly work. */
    async start(): Promise<void> {
      await startMachine(() => {
        recordStart(store, version);
        if (isReplicated(log)) store.record({ type: 'RecordClusterLeft', data: {} });
      });
      reactors.beginShared();
    },

    /** Starts the core of a member of a cluster and its polls, whether it leads or not. */
    startMachine: () => startMachine(() => undefined),

    /** Starts what only the leader of a cluster does. */
    lead(): void {
      recordStart(store, version);
      reactors.beginShared();
    },

    /** Ends it. */
    endLead: () => reactors.endShared(),

    /** `keepCore`: the core keeps running, for a restart of the panel. */
    async stop(keepCore: boolean): Promise<void> {
      await reactors.end(keepCore || coreAdopted);
      store.record({ type: 'RecordPanelStopped', data: {} });
      await parts.cluster?.stop();
      await disposal.dispose();
    },
  };
}
