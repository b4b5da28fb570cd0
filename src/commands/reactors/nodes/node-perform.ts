import { NodeError } from '../../ports/nodes.js';
import type { AskedNode, NodePanel } from '../../ports/remote-panel.js';
import { type InboundPlan, type NodeStep, refusals } from './steps.js';

/**
 * Does the steps of one inbound, in their order. A step that the node declines keeps it from none of the others: it is
 * done piece by piece where it has pieces, and the first no is thrown in the end. Rejects with `NodeError`; what was done
 * stays done.
 */
export async function perform(panel: NodePanel, node: AskedNode, plan: InboundPlan): Promise<void> {
  let declined: NodeError | null = null;
  for (const step of plan.steps) {
    try {
      await one(panel, node, plan, step);
    } catch (error) {
      if (!(error instanceof NodeError) || error.kind !== 'said-no') throw error;
      declined ??= error;
      const pieces = piecesOf(step);
      if (pieces.length > 0) await perform(panel, node, { ...plan, steps: pieces }).catch(unlessDeclined);
    }
  }
  if (declined) throw declined;
}

/** What a step that was declined can be done by, one client at a time. */
function piecesOf(step: NodeStep): readonly NodeStep[] {
  if (step.do === 'update') return step.pieces;
  if (step.do !== 'addClients' || step.clients.length === 1) return [];
  return step.clients.map((client) => ({ do: 'addClients', clients: [client] }));
}

/** For what may be declined while others go on. */
export function unlessDeclined(error: unknown): void {
  if (!(error instanceof NodeError) || error.kind !== 'said-no') throw error;
}

async function one(panel: NodePanel, node: AskedNode, { wanted, listed }: InboundPlan, step: NodeStep): Promise<void> {
  const remote = listed?.id ?? 0;
  switch (step.do) {
    case 'add': {
      if (!wanted) return;
      const added = await panel.add(node, wanted);
      if (added.tag === '' || added.tag === wanted.tag) return;
      // The tag belongs to somebody whom we are not shown: an inbound under another one would be lost to us.
      await panel.remove(node, added.remote);
      throw new NodeError('said-no', refusals.foreign);
    }
    case 'update':
      return wanted ? panel.update(node, remote, wanted, step.others) : undefined;
    case 'remove':
      return panel.remove(node, remote);
    case 'switch':
      return wanted ? panel.setEnabled(node, remote, wanted.enabled) : undefined;
    case 'switchOff':
      return panel.setEnabled(node, remote, false);
    case 'resetInbound':
      return panel.resetInbound(node, remote);
    case 'addClients':
      return panel.addClients(node, remote, step.clients);
    case 'updateClient':
      return panel.updateClient(node, remote, step.key, step.client);
    case 'deleteClient':
      return panel.deleteClient(node, remote, step.email);
    case 'resetClient':
      return panel.resetClient(node, remote, step.email);
  }
}
