import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { message, type Text } from '../../../messages/message.js';
import { sameAddress } from '../../node/node-rules.js';
import { NodeError } from '../../ports/remote-panel.js';
import { HealthTracker, type NodeAnswer, type NodeHealth, type ProbeResult } from './health.js';
import { isInvalid, NodeSync } from './node-sync.js';
import type { RemoteNodesParts } from './parts.js';
import type { Removal } from './remove-from-node.js';
import { RoundTimes } from './round-times.js';
import { SyncFailures } from './sync-failures.js';

/** How the synchronization of a node goes. Times in ms since 1970. */
export interface SyncState {
  /** When it was last listed; 0 = never since the start of the panel. */
  readonly listedAt: number;
  /** Why the last round failed; null = it did not. */
  readonly error: Text | null;
  /** Since when rounds fail; 0 = they do not. */
  readonly failingSince: number;
  /** Rounds that failed in a row. */
  readonly tries: number;
  /** When the next one is due; 0 = none is planned. */
  readonly nextAt: number;
}

/** After this many consecutive invalid replies, a node is offline for that reason. */
const MAX_INVALID_REPLIES = 2;

/** One remote panel: probed, and made equal to its desired state. One round at a time. */
export class RemoteNode {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #health: HealthTracker;
  readonly #failures: SyncFailures;
  readonly #sync: NodeSync;
  /** When the next round is due. */
  readonly times: RoundTimes;

  /** `probesOnly`: nothing is sent to the node. */
  constructor(parts: RemoteNodesParts, id: NodeId, probesOnly: boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#health = new HealthTracker(parts, id);
    this.times = new RoundTimes(parts, id, probesOnly);
    this.#failures = new SyncFailures(parts, id);
    this.#sync = new NodeSync(parts, id);
  }

  get health(): NodeHealth {
    return this.#health.health;
  }

  /** It missed the last probe. */
  missedLastProbe(): boolean {
    return this.#health.misses > 0;
  }

  /** The node has another address or token, or was disabled. */
  forgetHealth(): void {
    this.#health.reset();
    this.times.reachable = null;
    this.times.probeSoon();
  }

  /** Resets the backoff: the next round probes and tries everything again. */
  resetBackoff(): void {
    this.#resetBackoffs();
    this.times.probeSoon();
  }

  #resetBackoffs(): void {
    this.times.resetBackoff();
    this.#sync.resetBackoff();
  }

  /** Requests the counters of a listing that begins after this call. Resolves to whether they were recorded. */
  collected(): Promise<boolean> {
    this.times.runSoon();
    return this.#sync.collected();
  }

  state(): SyncState {
    const { tries, since } = this.times.backoff.failures;
    const node = this.#parts.records.node(this.#id);
    const nextAt = node?.enabled && node.identity ? Math.max(this.#parts.now(), this.times.nextSyncAt()) : 0;
    return { listedAt: this.#sync.listedAt, error: this.#failures.error, failingSince: since, tries, nextAt };
  }

  /** Until when an inbound that was refused waits, ms since 1970; 0 = the next round has it. */
  retryAt(inbound: InboundId): number {
    return Math.max(this.times.nextSyncAt(), this.#sync.retryAt(inbound));
  }

  /** Probes the node on request and records the result. Never rejects. */
  async probeNow(node: Node, isStopped: () => boolean): Promise<NodeAnswer> {
    const result = await this.#health.probe(node);
    return isStopped() ? result.answer : this.#recordProbe(node, result, { final: true });
  }

  /** The first half of a round. Resolves to whether a sync is due. Never rejects. */
  async probe(signal: AbortSignal): Promise<boolean> {
    const node = this.#parts.records.node(this.#id);
    if (!node?.enabled) return false;
    const result = await this.#health.probe(node, signal);
    if (!this.#isCurrent(node, signal)) return false;
    this.times.probed();
    this.#recordProbe(node, result);
    if (result.answer.error !== null) this.#failed(node, result.answer.error);
    else this.#failures.reportLag(node, this.times.backoff.failures);
    return this.times.isSyncDue();
  }

  #recordProbe(node: Node, result: ProbeResult, options?: { readonly final: boolean }): NodeAnswer {
    const { wasOnline } = this.#parts.records;
    const before = wasOnline(this.#id);
    const answer = this.#health.record(node, result, options);
    this.times.reachable = result.reading !== null;
    // What failed before it went away is tried again at once.
    if (before === false && wasOnline(this.#id)) this.#resetBackoffs();
    return answer;
  }

  /** The second half: makes the node equal to its desired state. Never rejects. */
  async sync(signal: AbortSignal): Promise<void> {
    const { records, now } = this.#parts;
    const node = records.node(this.#id);
    if (!node || !this.#isCurrent(node, signal)) return;
    const began = now();
    try {
      await this.#sync.run(node, signal);
      this.times.backoff.succeeded();
      if (!this.#isCurrent(node, signal)) return;
      if (this.#health.markValid()) this.times.probeSoon();
      this.#failures.succeeded(node);
      this.#failures.reportLag(node, this.times.backoff.failures);
    } catch (error) {
      this.#failures.warn(node, error);
      // A late answer, an answer from a previous address and an aborted request are no failures of the node.
      if (!this.#isCurrent(node, signal)) return;
      this.#syncFailed(node, error);
    } finally {
      this.times.synced(began, this.#sync.isWaiting());
    }
  }

  #syncFailed(node: Node, error: unknown): void {
    const kind = error instanceof NodeError ? error.kind : null;
    // A node that could not be reached is tried again when it answers a probe.
    if (kind === 'unreachable') this.times.reachable = false;
    else this.times.backoff.wait(kind !== null && kind !== 'timeout');
    if (isInvalid(error) && this.times.backoff.failures.tries + 1 >= MAX_INVALID_REPLIES)
      this.#health.markInvalid(node, error.text);
    this.#failed(node, error instanceof NodeError ? error.text : message('node.syncFailed'));
  }

  #failed(node: Node, reason: Text): void {
    if (node.identity === null) return;
    this.#sync.failCollectors();
    this.#parts.online(this.#id, []);
    this.times.backoff.failed();
    const { lastHeartbeat, lastError } = this.health;
    this.#failures.failed(node, reason, {
      ...this.times.backoff.failures,
      answers: lastHeartbeat > 0 && lastError === null,
    });
    this.#failures.reportLag(node, this.times.backoff.failures);
  }

  /**
   * Removes the inbounds and clients of this panel from the node before it is deleted. Not during a round. Never rejects.
   */
  async cleanUp(signal: AbortSignal): Promise<Removal> {
    const node = this.#parts.records.node(this.#id);
    const nothing = this.#sync.remaining();
    if (!node?.enabled || node.identity === null || nothing.remaining === 0) return nothing;
    try {
      const { reading } = await this.#health.probe(node, signal);
      if (reading === null) return nothing;
      return await this.#sync.remove(node, signal);
    } catch (error) {
      this.#failures.warn(node, error);
      return nothing;
    }
  }

  #isCurrent(queried: Node, signal: AbortSignal): boolean {
    const current = this.#parts.records.node(this.#id);
    return !signal.aborted && current !== undefined && current.enabled && sameAddress(current, queried);
  }
}
