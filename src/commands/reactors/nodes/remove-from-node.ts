import type { Node } from '../../../events/node/node-document.js';
import type { AskedNode } from '../../ports/remote-panel.js';
import type { Had } from './match.js';
import { atOnce } from './node-gate.js';
import { perform, unlessDeclined } from './node-perform.js';
import type { NodeTalkParts } from './parts.js';
import { planNode, takenOut } from './plan.js';
import type { NodeBooks } from './sync-recorder.js';

/** What taking everything off a node came to, in inbounds. */
export interface Withdrawal {
  /** Were taken off it, or were gone already: seen, not only told. */
  readonly gone: number;
  /** May go on there as they were: it could not be told, or could not be seen. */
  readonly remaining: number;
  /** Stay there without our clients, since somebody else has clients in them. */
  readonly kept: number;
}

interface Leaving {
  readonly parts: NodeTalkParts;
  readonly books: NodeBooks;
  readonly had: readonly Had[];
}

/**
 * Takes away there what is ours, counts its last bytes, and looks once more: what was told is not what is so. Rejects with
 * `NodeError` when it could not be told or seen.
 */
export async function takeOff(node: Node & AskedNode, { parts, books, had }: Leaving): Promise<Withdrawal> {
  const { panel, wanted, used } = parts;
  const { inbounds } = await wanted(node.id);
  const known = {
    gate: atOnce,
    leaving: parts.followed.leaving,
    had: had.map((one) => ({ ...one, deleted: true })),
    used: ({ number }: { readonly number: Parameters<typeof used.client>[0] }) => used.client(number),
    usedBy: used.inbound,
  };
  const listing = await panel.listing(node);
  await books.count(node, listing, inbounds, had);
  const plan = await planNode([], listing, known);
  for (const one of plan.inbounds) {
    const bulk = inbounds.find(({ id }) => id === one.inbound);
    await perform(panel, node, takenOut(one, bulk)).catch(unlessDeclined);
  }
  const told = plan.inbounds.filter(({ steps }) => steps.length > 0);
  const after = await panel.listing(node);
  const rest = (await planNode([], after, known)).inbounds.filter(({ listed }) => listed !== null);
  let [gone, remaining, kept] = [0, 0, 0];
  for (const { inbound, tags, removed = false } of had) {
    const there = rest.filter((one) => one.inbound === inbound);
    const hidden = !removed && tags.some((tag) => after.unreadable.includes(tag));
    const taken = told.find((one) => one.inbound === inbound);
    if (hidden || there.some(({ steps }) => steps.length > 0)) remaining += 1;
    else if (there.length > 0) kept += 1;
    else if (!removed || taken) gone += 1;
    if (taken && !hidden && there.length === 0) books.removed(node, taken, true);
  }
  return { gone, remaining, kept };
}
