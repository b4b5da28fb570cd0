import type { InboundId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import { OTHER_CENTRE } from '../../../lib/ownership-mark.js';
import { message, type Text } from '../../../messages/message.js';
import {
  type ListedInbound,
  NodeError,
  type RemoteChange,
  type RemotePanel,
  type RequestTarget,
} from '../../ports/remote-panel.js';

/** One request that brings a node closer to its desired state. */
export type NodeStep =
  | { readonly do: 'add' }
  | {
      readonly do: 'update';
      /** JSON texts of foreign clients that stay in the inbound. */
      readonly others: readonly string[];
      /** Changes of single clients, for when the node declines the whole. */
      readonly pieces: readonly NodeStep[];
    }
  | RemoteChange;

/** The plan for one inbound. */
export interface InboundPlan {
  readonly inbound: InboundId;
  /** Its tag on the node, or the one that it will get. */
  readonly tag: string;
  /** What is sent now; null = it was deleted here. */
  readonly desired: DesiredInbound | null;
  /** Null = it is not on the node. */
  readonly listed: ListedInbound | null;
  /** Empty = it is as desired, unless it is refused or waits. */
  readonly steps: readonly NodeStep[];
  /** More steps follow in a later round. */
  readonly waits: boolean;
  /** Why it cannot reach its desired state; null = it can. */
  readonly reason: Text | null;
  /** Numbers of clients that the node cut by its own count and whose counters are reset there. */
  readonly depletedOnNode: readonly number[];
}

/** Why this panel does not send an inbound. */
export const refusals = {
  foreign: message('node.foreignInbound'),
  unreadable: message('node.unreadableInbound'),
  managedByAnother: message('node.managedByAnother'),
  shared: message('node.sharedInbound'),
  emailTaken: message('node.emailTaken'),
  ownClients: message('node.ownClients'),
} as const;

/** With more changed clients than this the whole inbound is sent. */
export const MAX_SINGLE_CHANGES = 20;

/** Whether it can be sent as a separate request. */
export function isSendable(step: NodeStep): boolean {
  if (step.do === 'updateClient') return isPlain(step.key);
  return !('email' in step) || isPlain(step.email);
}

/** Whether the text can be a path parameter of the API: a slash, even an escaped one, would end it. */
function isPlain(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\%]/.test(text);
}

/** The step that disables a client on the node, from its JSON. */
export function disableStep(key: string, raw: string): NodeStep {
  return { do: 'updateClient', key, client: { text: disabledClient(raw) } };
}

/** The JSON of a client, disabled. */
export function disabledClient(raw: string): string {
  return JSON.stringify({ ...(JSON.parse(raw) as object), enable: false });
}

/** Why an inbound that this panel created cannot be removed as a whole; null = it can. */
export function removalObstacle({ mark, clients: { marks } }: ListedInbound): Text | null {
  if (mark === OTHER_CENTRE) return refusals.managedByAnother;
  if (marks.includes(OTHER_CENTRE)) return refusals.shared;
  return marks.includes(0) ? refusals.ownClients : null;
}

/**
 * Sends the steps of one inbound in their order. After a step that the node declines the others are still sent; a declined
 * update is sent client by client. The first refusal is thrown in the end. Rejects with `NodeError`; completed steps stay.
 */
export async function performSteps(panel: RemotePanel, node: RequestTarget, plan: InboundPlan): Promise<void> {
  let declined: NodeError | null = null;
  for (const step of plan.steps) {
    try {
      await performStep(panel, node, plan, step);
    } catch (error) {
      if (!(error instanceof NodeError) || error.kind !== 'declined') throw error;
      declined ??= error;
      const pieces = piecesOf(step);
      if (pieces.length > 0) await performSteps(panel, node, { ...plan, steps: pieces }).catch(unlessDeclined);
    }
  }
  if (declined) throw declined;
}

/** The same step client by client. */
function piecesOf(step: NodeStep): readonly NodeStep[] {
  if (step.do === 'update') return step.pieces;
  if (step.do !== 'addClients' || step.clients.length === 1) return [];
  return step.clients.map((client) => ({ do: 'addClients', clients: [client] }));
}

/** Ignores a refusal by the node and rethrows every other error. */
export function unlessDeclined(error: unknown): void {
  if (!(error instanceof NodeError) || error.kind !== 'declined') throw error;
}

async function performStep(panel: RemotePanel, node: RequestTarget, plan: InboundPlan, step: NodeStep): Promise<void> {
  const { desired, listed } = plan;
  const remote = listed?.id ?? 0;
  if (step.do === 'update') return desired ? panel.update(node, remote, desired, step.others) : undefined;
  if (step.do !== 'add') return panel.change(node, remote, step);
  if (!desired) return;
  const added = await panel.add(node, desired);
  if (added.tag === '' || added.tag === desired.tag) return;
  // The tag is taken by an inbound that is not listed: under another tag this one could not be found again.
  await panel.change(node, added.remote, { do: 'remove' });
  throw new NodeError('declined', refusals.foreign);
}
