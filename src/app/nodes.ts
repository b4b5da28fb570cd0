import { join } from 'node:path';
import { RingNodeHistories } from '../adapters/gauges/node-histories.js';
import { createRemotePanel } from '../adapters/nodes/remote-panel.js';
import { asNode, asSystem } from '../commands/bus.js';
import type { NodeHistories } from '../commands/ports/node-histories.js';
import type { RemotePanel } from '../commands/ports/remote-panel.js';
import type { Web } from '../commands/ports/web.js';
import { RemoteNodes } from '../commands/reactors/nodes/remote-nodes.js';
import type { Disposal } from '../lib/disposal.js';
import { nodeMarks } from '../projections/node/node-marks.js';
import { nodeRecords } from '../projections/node/node-records.js';
import type { Panel } from './panel.js';

/** Limit for removing everything from a node before it is deleted, in ms. */
const CLEAN_UP_MS = 20_000;

type Warn = (message: string, fields?: object) => void;
type NodesPanel = Pick<Panel, 'read' | 'dispatch' | 'log' | 'alarms' | 'now'>;

/** The remote nodes of a panel. They do nothing before `start`. */
interface Nodes {
  readonly nodes: RemoteNodes;
  readonly nodeHistories: NodeHistories;
  /** Probes and synchronizes the nodes until `disposal`. */
  start(disposal: Disposal): void;
}

/** Constructs the remote nodes. Their histories survive a restart in the run directory. */
export function createNodes(
  panel: NodesPanel & Pick<Panel, 'directory' | 'store'>,
  { web, warn }: { readonly web: Web; readonly warn: Warn },
): Nodes {
  const { read, now, directory, store } = panel;
  const file = join(directory.run, 'node-gauges.bin');
  const histories = new RingNodeHistories({ file, has: (node) => read.nodes.get(node) !== undefined, now, warn });
  const remote = createRemotePanel(web, nodeMarks(read));
  // A damaged log does not show the whole desired state, so nothing is sent.
  const nodes = remoteNodesOf(panel, remote, { histories, warn, probesOnly: store.startup.damaged });
  return {
    nodes,
    nodeHistories: histories,
    start(disposal) {
      histories.start();
      disposal.add(() => histories.stop());
      nodes.begin();
      disposal.add(async () => {
        const stopped = nodes.stop();
        await remote.close();
        await stopped;
      });
    },
  };
}

interface Options {
  readonly histories: NodeHistories;
  readonly warn: Warn;
  readonly probesOnly?: boolean;
  readonly chance?: () => number;
  readonly cleanUpMs?: number;
}

/** The remote nodes of a panel. They do nothing before `begin`. */
export function remoteNodesOf(
  { read, dispatch, log, alarms, now }: NodesPanel,
  panel: RemotePanel,
  { histories, warn, probesOnly = false, chance = Math.random, cleanUpMs = CLEAN_UP_MS }: Options,
): RemoteNodes {
  const parts = {
    ...{ panel, histories, alarms, chance, cleanUpMs, now, warn },
    records: nodeRecords(read, () => log.head().position),
    dispatch: (command, as) => dispatch(command, as === null ? asSystem('node-sync') : asNode(as)),
    changed$: read.changed$,
    online: (node, emails) => read.usage.online.set(emails, `node ${node}`),
    period: () => read.settings.current().pollSeconds * 1000,
  } satisfies ConstructorParameters<typeof RemoteNodes>[0];
  return new RemoteNodes(parts, { probesOnly });
}
