import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { RingNodeHistories } from '../adapters/gauges/node-histories.js';
import { createNodes } from '../adapters/nodes/probe.js';
import { twinOf } from '../commands/node/node-rules.js';
import type { NodeHistories } from '../commands/ports/nodes.js';
import type { Web } from '../commands/ports/web.js';
import { NodeWatch } from '../commands/reactors/nodes/health.js';
import type { Actor } from '../events/log/event.js';
import type { Node } from '../events/node/node-document.js';
import type { Disposal } from '../lib/disposal.js';
import type { Panel } from './panel.js';

type Warn = (message: string, fields?: object) => void;
type WatchedPanel = Pick<Panel, 'read' | 'dispatch' | 'now'>;

/** What the edges use of the register of nodes. */
export interface OpenNodes {
  readonly nodes: Pick<NodeWatch, 'health' | 'probe' | 'test' | 'distrust'>;
  readonly nodeHistories: NodeHistories;
}

/** Watches the nodes of a panel until `disposal`. Its histories outlive the process in `runDir`. */
export function openNodes(
  panel: WatchedPanel,
  { web, runDir, warn, disposal }: { web: Web; runDir: string; warn: Warn; disposal: Disposal },
): OpenNodes {
  const { read, now } = panel;
  const file = join(runDir, 'node-gauges.bin');
  const histories = new RingNodeHistories({ file, has: (node) => read.nodes.get(node) !== undefined, now, warn });
  histories.start();
  disposal.add(() => histories.stop());
  const watch = watchOf(panel, web, histories, warn);
  watch.begin();
  disposal.add(() => watch.stop());
  return { nodes: watch, nodeHistories: histories };
}

export function watchOf(
  { read, dispatch, now }: WatchedPanel,
  web: Web,
  histories: NodeHistories,
  warn: Warn,
): NodeWatch {
  return new NodeWatch({
    nodes: createNodes(web),
    histories,
    known: () => read.nodes.all(),
    node: (id) => read.nodes.get(id),
    recorded: (id) => read.nodes.standing(id)?.online,
    ownId: () => read.identity.panelId,
    twin: (node, panelId) => twinOf(read.nodes.all(), node, panelId),
    dispatch: (command, node) => dispatch(command, asNode(node)),
    changed$: read.changed$,
    now,
    warn,
  });
}

/** The context of what a node told. */
export function asNode({ id, name }: Node): { readonly actor: Actor; readonly correlationId: string } {
  return { actor: { kind: 'node', id: String(id), name, ip: null }, correlationId: randomUUID() };
}
