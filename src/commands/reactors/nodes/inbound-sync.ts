import { createHash } from 'node:crypto';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { Node } from '../../../events/node/node-document.js';
import { message } from '../../../messages/message.js';
import type { RequestTarget } from '../../ports/remote-panel.js';
import { NodeError } from '../../ports/remote-panel.js';
import { InboundBackoff } from './backoff.js';
import type { SentInbound } from './match.js';
import type { RemoteNodesParts } from './parts.js';
import type { Observation } from './read-counters.js';
import { redact } from './redact.js';
import type { InboundPlan } from './steps.js';
import { performSteps } from './steps.js';
import type { SyncRecorder } from './sync-recorder.js';

/** A node to which the same state was sent so often and that still lists another does not keep it. */
const MAX_SENT = 3;
const NOT_KEPT = message('node.notKept');
const CHANGED_REPEATEDLY = message('node.changedRepeatedly');

/** The position of the compared state, and what the listing shows of counters. */
interface Shown extends Pick<Observation, 'newClients' | 'newInbounds'> {
  readonly position: number;
}

interface Context {
  readonly recorder: SyncRecorder;
  readonly isCurrent: (queried: Node) => boolean;
}

/** Sends the desired state to a node, inbound by inbound, and records what the node has. */
export class InboundSync {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #context: Context;
  readonly #backoff: InboundBackoff<InboundId>;
  /** Tags that were sent since the start of the panel, whether or not a listing shows them. */
  readonly #sentTags = new Map<InboundId, Set<string>>();

  constructor(parts: RemoteNodesParts, id: NodeId, context: Context) {
    this.#parts = parts;
    this.#id = id;
    this.#context = context;
    this.#backoff = new InboundBackoff(parts.now, parts.chance);
  }

  /** What was sent of each inbound, according to the log and since the start. */
  sentInbounds(): readonly SentInbound[] {
    return this.#parts.records.outgoing(this.#id).map(({ inbound, tags, deleted, applied, adopted }) => ({
      inbound,
      tags: [...new Set([...(this.#sentTags.get(inbound) ?? []), ...tags])],
      deleted,
      removed: applied === null && !adopted && !this.#sentTags.has(inbound),
    }));
  }

  /** Forgets what was sent and not seen in a listing. */
  forget(): void {
    this.#sentTags.clear();
  }

  resetBackoff(): void {
    this.#backoff.reset();
  }

  /** Until when an inbound waits for its next try, ms since 1970; 0 = it does not. */
  until(inbound: InboundId): number {
    return this.#backoff.until(inbound);
  }

  /** Records an inbound that is as desired; sends it otherwise. Resolves to whether something was sent. */
  async apply(
    node: Node & RequestTarget,
    plan: InboundPlan,
    { position, newClients, newInbounds }: Shown,
  ): Promise<boolean> {
    const { inbound, desired, steps, reason, waits } = plan;
    const { recorder } = this.#context;
    const digest = wantedDigest(desired);
    if (reason !== null) recorder.recordRefused(node, inbound, reason);
    if (waits)
      recorder.recordBaselines(node, inbound, {
        newClients: newClients.get(inbound) ?? [],
        newInbound: newInbounds.has(inbound),
      });
    if (steps.length === 0 && (reason !== null || waits)) {
      // Nothing was sent, so there is no backoff: every listing is checked.
      this.#backoff.done(inbound);
      return false;
    }
    if (desired === null && steps.length === 0) {
      recorder.recordRemoved(node, plan, false);
      return false;
    }
    if (desired && steps.length === 0) {
      this.#backoff.done(inbound);
      const found = {
        position,
        digest: digest,
        newClients: newClients.get(inbound) ?? [],
        newInbound: newInbounds.has(inbound),
      };
      // If something else on the node keeps changing it, it must stay as desired for a while first.
      if (!this.#backoff.isRepairedTooOften(inbound) || !recorder.isUnchanged(inbound, found))
        recorder.recordApplied(node, desired, found);
      return false;
    }
    return this.#maySend(node, plan, digest) && this.#send(node, plan, digest);
  }

  #maySend(node: Node, { inbound, desired, steps, reason }: InboundPlan, digest: string): boolean {
    const { recorder } = this.#context;
    if (this.#backoff.isWaiting(inbound, digest)) return false;
    const repairs = recorder.isApplied(inbound, desired === null ? null : digest);
    if (repairs && this.#backoff.isRepairedTooOften(inbound)) {
      recorder.recordRefused(node, inbound, CHANGED_REPEATEDLY);
      return false;
    }
    if (this.#backoff.sent(inbound, digest) > MAX_SENT) {
      this.#backoff.refused(inbound, digest);
      recorder.recordRefused(node, inbound, reason ?? NOT_KEPT);
      return false;
    }
    if (repairs && steps.some(({ do: what }) => !what.startsWith('reset'))) this.#backoff.repaired(inbound);
    return true;
  }

  async #send(node: Node & RequestTarget, plan: InboundPlan, digest: string): Promise<boolean> {
    const { inbound, desired, steps, reason } = plan;
    const { recorder, isCurrent } = this.#context;
    recorder.recordDepletedOnNode(node, plan);
    try {
      if (desired) this.#remember(inbound, desired.tag);
      await performSteps(this.#parts.panel, node, plan);
    } catch (error) {
      if (!(error instanceof NodeError) || error.kind !== 'declined') throw error;
      this.#backoff.refused(inbound, digest);
      // A refused inbound that appears on the node later is not ours.
      if (plan.listed === null && desired) this.#sentTags.get(inbound)?.delete(desired.tag);
      if (reason === null && isCurrent(node))
        recorder.recordRefused(node, inbound, redact(error.text, desired?.clients ?? []));
      return false;
    }
    if (steps.some(({ do: what }) => what === 'remove')) {
      this.#sentTags.delete(inbound);
      this.#backoff.done(inbound);
      // The removed inbound may have blocked others by its port, tag or emails.
      if (recorder.recordRemoved(node, plan, true)) this.#backoff.retryRefused();
    }
    return true;
  }

  #remember(inbound: InboundId, tag: string): void {
    const tags = this.#sentTags.get(inbound);
    if (tags) tags.add(tag);
    else this.#sentTags.set(inbound, new Set([tag]));
  }
}

/** A digest of everything that is sent of an inbound. */
function wantedDigest(desired: DesiredInbound | null): string {
  if (desired === null) return '';
  const { tag, enabled, digest: own, clients } = desired;
  const hash = createHash('sha256').update(`${JSON.stringify(tag)} ${enabled} ${own}`);
  for (const client of clients) hash.update(client.digest);
  return hash.digest('hex').slice(0, 20);
}
