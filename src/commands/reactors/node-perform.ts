import type { AskedNode, NodePanel } from '../ports/node-panel.js';
import { NodeError } from '../ports/nodes.js';
import { type InboundPlan, type NodeStep, refusals } from './node-plan.js';

/** Does the steps of one inbound, in their order. Rejects with `NodeError`; what was done stays done. */
export async function perform(panel: NodePanel, node: AskedNode, plan: InboundPlan): Promise<void> {
  for (const step of plan.steps) await one(panel, node, plan, step);
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
      return wanted ? panel.update(node, remote, wanted, step.strangers) : undefined;
    case 'remove':
      return panel.remove(node, remote);
    case 'switch':
      return wanted ? panel.setEnabled(node, remote, wanted.enabled) : undefined;
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
