import type { Node } from '../../../events/node/node-document.js';
import type { RequestTarget } from '../../ports/remote-panel.js';
import { ungated } from './disconnect-tracker.js';
import type { SentInbound } from './match.js';
import type { RemoteNodesParts } from './parts.js';
import { asUpdate, planNode } from './plan.js';
import { performSteps, unlessDeclined } from './steps.js';
import type { SyncRecorder } from './sync-recorder.js';

/** The result of removing everything from a node, in inbounds. */
export interface Removal {
  /** Removed, as the last listing shows. */
  readonly removed: number;
  /** May still be on the node: it was not reachable, or refused. */
  readonly remaining: number;
  /** Stay without our clients, because they have foreign ones. */
  readonly kept: number;
}

interface Leaving {
  readonly parts: RemoteNodesParts;
  readonly recorder: SyncRecorder;
  readonly sent: readonly SentInbound[];
}

/**
 * Records the last bytes, removes the inbounds and clients of this panel, and verifies that with a second listing. Rejects
 * with `NodeError`.
 */
export async function removeFromNode(node: Node & RequestTarget, { parts, recorder, sent }: Leaving): Promise<Removal> {
  const { panel, records } = parts;
  const { desired, used, baselines } = records;
  const { inbounds } = await desired(node.id);
  const known = {
    gate: ungated,
    leaving: baselines.leaving,
    sent: sent.map((one) => ({ ...one, deleted: true })),
    used: ({ number }: { readonly number: Parameters<typeof used.client>[0] }) => used.client(number),
    usedBy: used.inbound,
  };
  const listing = await panel.listing(node);
  await recorder.count(node, listing, inbounds, sent);
  const plan = await planNode([], listing, known);
  for (const one of plan.inbounds) {
    const bulk = inbounds.find(({ id }) => id === one.inbound);
    await performSteps(panel, node, asUpdate(one, bulk)).catch(unlessDeclined);
  }
  const changed = plan.inbounds.filter(({ steps }) => steps.length > 0);
  const after = await panel.listing(node);
  const rest = (await planNode([], after, known)).inbounds.filter(({ listed }) => listed !== null);
  const counts = { removed: 0, remaining: 0, kept: 0 };
  for (const { inbound, tags, removed = false } of sent) {
    const leftovers = rest.filter((one) => one.inbound === inbound);
    const hidden = !removed && tags.some((tag) => after.unreadable.includes(tag));
    const taken = changed.find((one) => one.inbound === inbound);
    if (hidden || leftovers.some(({ steps }) => steps.length > 0)) counts.remaining += 1;
    else if (leftovers.length > 0) counts.kept += 1;
    else if (!removed || taken) counts.removed += 1;
    if (taken && !hidden && leftovers.length === 0) recorder.recordRemoved(node, taken, true);
  }
  return counts;
}
