import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { Node } from '../../../events/node/node-document.js';
import { sameAddress } from '../../node/node-rules.js';
import { NodeError, type RequestTarget } from '../../ports/remote-panel.js';
import { ConnectedClients } from './connected-clients.js';
import { CoreRestarts } from './core-restarts.js';
import { DisconnectTracker } from './disconnect-tracker.js';
import { InboundSync } from './inbound-sync.js';
import type { RemoteNodesParts } from './parts.js';
import { planNode } from './plan.js';
import { type Removal, removeFromNode } from './remove-from-node.js';
import { SyncRecorder } from './sync-recorder.js';

/** Listings of one round: what was sent is checked with the next one. */
const LISTINGS_PER_ROUND = 4;
/** Compares one node with its desired state, sends what differs and records what the node reports. */
export class NodeSync {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #recorder: SyncRecorder;
  readonly #clients: ConnectedClients;
  readonly #inbounds: InboundSync;
  readonly #disconnects: DisconnectTracker;
  readonly #restarts: CoreRestarts;
  /** Resolved when the counters of the next listing are recorded; to false when that failed. */
  readonly #collectors: ((collected: boolean) => void)[] = [];
  #signal = new AbortController().signal;

  constructor(parts: RemoteNodesParts, id: NodeId) {
    this.#parts = parts;
    this.#id = id;
    this.#recorder = new SyncRecorder(parts, id, this.#isCurrent);
    this.#clients = new ConnectedClients(parts, id);
    this.#inbounds = new InboundSync(parts, id, { recorder: this.#recorder, isCurrent: this.#isCurrent });
    this.#disconnects = new DisconnectTracker(() => parts.records.node(id)?.identity?.kind === '3x-ui');
    this.#restarts = new CoreRestarts(parts, this.#disconnects);
  }

  /** When the node was listed last, ms since 1970; 0 = never. */
  get listedAt(): number {
    return this.#recorder.listedAt;
  }

  /** Refused inbounds are sent again in the next round. */
  resetBackoff(): void {
    this.#inbounds.resetBackoff();
  }

  /** Until when an inbound that was refused waits, ms since 1970; 0 = it does not. */
  retryAt(inbound: InboundId): number {
    return this.#inbounds.until(inbound);
  }

  /** Whether accounts wait until their counters stand still. */
  isWaiting(): boolean {
    return this.#disconnects.isWaiting();
  }

  /** Resolves when the counters of a listing that begins after this call are recorded; to false when that failed. */
  collected(): Promise<boolean> {
    return new Promise((resolve) => void this.#collectors.push(resolve));
  }

  failCollectors(): void {
    for (const resolve of this.#collectors.splice(0)) resolve(false);
  }

  /** Makes the node equal to its desired state. Rejects with `NodeError`; what was sent and recorded stays. */
  async run(node: Node, signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const { panel, records } = this.#parts;
    let shown: readonly DesiredInbound[] = [];
    for (let turn = 1; turn <= LISTINGS_PER_ROUND; turn += 1) {
      const at = this.#parts.now();
      const waiting = this.#collectors.length;
      const listing = await panel.listing(this.#target(node));
      const desired = await records.desired(this.#id);
      const sent = this.#inbounds.sentInbounds();
      shown = desired.inbounds;
      await yieldToEventLoop();
      const { newClients, newInbounds } = await this.#recorder.count(node, listing, desired.inbounds, sent);
      for (const resolve of this.#collectors.splice(0, waiting)) resolve(true);
      if (!this.#isCurrent(node)) return;
      await this.#disconnects.update(desired.inbounds, listing, sent, at);
      const plan = await planNode(desired.inbounds, listing, {
        sent,
        gate: this.#disconnects,
        leaving: records.baselines.leaving,
        used: ({ number }) => records.used.client(number),
        usedBy: records.used.inbound,
      });
      this.#recorder.recordForeign(node, plan);
      let acted = false;
      for (const inbound of plan.inbounds) {
        // Ten thousand clients take a while: the event loop must run in between.
        await yieldToEventLoop();
        if (!this.#isCurrent(node)) return;
        const found = { position: desired.position, newClients, newInbounds };
        if (await this.#inbounds.apply(this.#target(node), inbound, found)) acted = true;
      }
      if (!acted) break;
    }
    await this.#restarts.ifDue(this.#target(node));
    await yieldToEventLoop();
    // A failure here is no reason to send everything again.
    await this.#clients.update(this.#target(node), shown, this.#isCurrent).catch((error: unknown) => {
      if (!(error instanceof NodeError) || isInvalid(error)) throw error;
      this.#parts.online(this.#id, []);
    });
  }

  /** What is on the node, as far as the log knows. */
  remaining(): Removal {
    return { removed: 0, remaining: this.#onNode().filter(({ removed }) => !removed).length, kept: 0 };
  }

  /** Removes the inbounds and clients of this panel from the node. Rejects with `NodeError`. */
  async remove(node: Node, signal: AbortSignal): Promise<Removal> {
    this.#signal = signal;
    const leaving = { parts: this.#parts, recorder: this.#recorder, sent: this.#onNode() };
    const left = await removeFromNode(this.#target(node), leaving);
    // If the node is not deleted after all, inbounds that appear under these tags later are not ours.
    if (left.remaining === 0) this.#inbounds.forget();
    return left;
  }

  #onNode() {
    return this.#inbounds.sentInbounds().filter(({ tags }) => tags.length > 0);
  }

  #target = (node: Node): Node & RequestTarget => ({ ...node, signal: this.#signal });

  #isCurrent = (queried: Node): boolean => {
    const current = this.#parts.records.node(this.#id);
    return current !== undefined && current.enabled && sameAddress(current, queried) && !this.#signal.aborted;
  };
}

/** Whether the answer is not one of a panel. */
export function isInvalid(error: unknown): error is NodeError {
  return error instanceof NodeError && (error.kind === 'invalid-reply' || error.kind === 'too-large');
}
