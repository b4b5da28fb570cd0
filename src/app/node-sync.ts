import { createNodePanel } from '../adapters/nodes/remote-panel.js';
import { asSystem } from '../commands/bus.js';
import { twinOf } from '../commands/node/node-rules.js';
import type { NodePanel } from '../commands/ports/remote-panel.js';
import type { Web } from '../commands/ports/web.js';
import { NodeSync } from '../commands/reactors/nodes/remote-nodes.js';
import type { Client } from '../events/client/client-document.js';
import type { ClientNumber } from '../events/ids.js';
import type { Disposal } from '../lib/disposal.js';
import { desiredNode } from '../projections/node/desired-node.js';
import { nodeMarks } from '../projections/node/node-marks.js';
import { asNode, type OpenNodes } from './nodes.js';
import type { Panel } from './panel.js';

/** Whoever deletes a node waits for it no longer than this. */
const WITHDRAW_MS = 20_000;

type Warn = (message: string, fields?: object) => void;
type Watched = Pick<OpenNodes['nodes'], 'health' | 'distrust'>;
type SyncedPanel = Pick<Panel, 'read' | 'dispatch' | 'log' | 'alarms' | 'now'>;

/** Keeps the nodes of a panel as the log asks for, until `disposal`. */
export function openNodeSync(
  panel: SyncedPanel & Pick<Panel, 'store'>,
  { web, nodes, warn, disposal }: { web: Web; nodes: Watched; warn: Warn; disposal: Disposal },
): NodeSync {
  const nodePanel = createNodePanel(web, nodeMarks(panel.read));
  const sync = nodeSyncOf(panel, nodePanel, nodes, warn);
  // What a part of the log wants is not what the nodes were told by all of it.
  if (!panel.store.startup.damaged) sync.begin();
  disposal.add(async () => {
    const stopped = sync.stop();
    await nodePanel.close();
    await stopped;
  });
  return sync;
}

/** The sync of a panel with its nodes. */
export function nodeSyncOf(
  { read, dispatch, log, alarms, now }: SyncedPanel,
  panel: NodePanel,
  nodes: Watched,
  warn: Warn,
  {
    chance = Math.random,
    withdrawMs = WITHDRAW_MS,
  }: { readonly chance?: () => number; readonly withdrawMs?: number } = {},
): NodeSync {
  const bytes = ({ up, down }: { readonly up: number; readonly down: number }): number => up + down;
  const usedBy = (client: Client | undefined): number => (client ? bytes(read.usage.client(client)) : 0);
  return new NodeSync({
    panel,
    nodes: () => read.nodes.all(),
    node: (id) => read.nodes.get(id),
    ownId: () => read.identity.panelId,
    failing: (node) => read.nodes.failing(node),
    twin: (node, panelId) => twinOf(read.nodes.all(), node, panelId),
    async wanted(node) {
      const { position } = log.head();
      const inbounds = read.inbounds.all().filter((inbound) => inbound.node === node);
      const all = inbounds.map((inbound) => ({ inbound, clients: read.clients.ofInbound(inbound.id) }));
      const centre = { id: read.identity.panelId, born: read.identity.born.bind(read.identity) };
      return { position, inbounds: await desiredNode(all, centre) };
    },
    outgoing: (node) => read.nodes.outbox(node).map(({ had, ...entry }) => ({ ...entry, tags: had })),
    unmanagedItems: (node) => read.nodes.unmanagedItems(node),
    followed: {
      client(node, number) {
        const baseline = read.nodes.baseline('clients', number);
        return baseline?.node === node ? baseline : undefined;
      },
      inbound: (id) => read.nodes.baseline('inbounds', id),
      leaving: (id) => read.nodes.leaving(id),
      readAt: (node) => read.nodes.readAt(node),
    },
    used: {
      client: (number: ClientNumber) => usedBy(read.clients.get(number)),
      inbound: (id) => {
        const inbound = read.inbounds.get(id);
        return inbound ? bytes(read.usage.inbound(inbound)) : 0;
      },
    },
    dispatch: (command, as) => dispatch(command, as === null ? asSystem('node-sync') : asNode(as)),
    period: () => read.settings.current().pollSeconds * 1000,
    answeredAt(node) {
      const { lastHeartbeat, lastError } = nodes.health(node);
      return lastError === '' ? lastHeartbeat * 1000 : 0;
    },
    distrust: (node, reason) => nodes.distrust(node, reason),
    online: (node, emails) => read.usage.online.set(emails, `node ${node}`),
    ipSeen: (number, ip) => {
      const client = read.clients.get(number);
      return (client && read.usage.addresses(client).find(([known]) => known === ip)?.[1]) ?? 0;
    },
    behind(node, why) {
      const kind = `node ${node.id} is behind`;
      if (why === null) alarms.over([kind], { title: 'A node has caught up', body: node.name, severity: 'success' });
      else
        alarms.raise(kind, {
          title: 'A node does not take what was decided for it',
          body: `${node.name}: ${why}`,
          severity: 'warning',
        });
    },
    concerned: (event) => read.nodes.concerned(event),
    changed$: read.changed$,
    now,
    chance,
    withdrawMs,
    warn,
  });
}
