import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { message, type Text } from '../../../messages/message.js';
import { sameAddress } from '../../node/node-rules.js';
import { NodeError } from '../../ports/remote-panel.js';
import { SyncBackoff } from './backoff.js';
import { HealthTracker, type NodeAnswer, type NodeHealth, type ProbeResult } from './health.js';
import { isInvalid, NodeSync } from './node-sync.js';
import type { RemoteNodesParts } from './parts.js';
import type { Removal } from './remove-from-node.js';
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

/** Between two probes, in ms. */
const PROBE_MS = 5_000;
/** Part of that by which a probe comes earlier or later, so that many panels do not probe in step. */
const JITTER = 0.1;
/** A sync that is due within this time goes with the probe, in ms. */
const SLACK_MS = 1_000;
/** Maximum time between two listings, in ms. */
const MAX_SYNC_INTERVAL_MS = 10_000;
/** The pause between two listings is at least this many times as long as the last one took. */
const PAUSE_FACTOR = 4;
/** Time between two listings while accounts wait until their counters are idle, in ms. */
const WAITING_MS = 2_000;
/** After so many consecutive invalid replies, a node is offline for that reason. */
const MAX_INVALID_REPLIES = 2;

/** One remote panel: probed, and made equal to its desired state. One round at a time. */
export class RemoteNode {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #probesOnly: boolean;
  readonly #health: HealthTracker;
  readonly #backoff: SyncBackoff;
  readonly #failures: SyncFailures;
  readonly #sync: NodeSync;
  /** Whether the panel that is meant answered the last probe; null = it was not probed yet. */
  #reachable: boolean | null = null;
  #probeAt = 0;
  #syncAt = 0;

  /** `probesOnly`: nothing is sent to the node. */
  constructor(parts: RemoteNodesParts, id: NodeId, probesOnly: boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#probesOnly = probesOnly;
    this.#health = new HealthTracker(parts, id);
    this.#backoff = new SyncBackoff(parts.now, parts.chance);
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
    this.#reachable = null;
    this.#probeAt = 0;
  }

  /** Resets the backoff: the next round probes and tries everything again. */
  resetBackoff(): void {
    this.#backoff.reset();
    this.#sync.resetBackoff();
    this.#probeAt = 0;
    this.#syncAt = 0;
  }

  /** The desired state changed: the backoff ends earlier. */
  shortenBackoff(): void {
    this.#backoff.shortenBackoff();
    this.#syncAt = 0;
  }

  /** The next round does not wait for its time, except for a backoff. */
  runSoon(): void {
    this.#syncAt = 0;
  }

  /** Whether the next round synchronizes, as far as is known. */
  isReady(): boolean {
    return this.#reachable !== false && this.#maySync() && this.#backoff.remaining() === 0;
  }

  /** Requests the counters of a listing that begins after this call. Resolves to whether they were recorded. */
  collected(): Promise<boolean> {
    this.runSoon();
    return this.#sync.collected();
  }

  /** ms until the next round; null = none while the node is disabled. */
  dueIn(): number | null {
    if (!this.#parts.records.node(this.#id)?.enabled) return null;
    return Math.max(0, Math.min(this.#probeAt, this.#nextSyncAt()) - this.#parts.now());
  }

  state(): SyncState {
    const { tries, since } = this.#backoff.failures;
    const node = this.#parts.records.node(this.#id);
    const nextAt = node?.enabled && node.identity ? Math.max(this.#parts.now(), this.#nextSyncAt()) : 0;
    return { listedAt: this.#sync.listedAt, error: this.#failures.error, failingSince: since, tries, nextAt };
  }

  /** Until when an inbound that was refused waits, ms since 1970; 0 = the next round has it. */
  retryAt(inbound: InboundId): number {
    return Math.max(this.#nextSyncAt(), this.#sync.retryAt(inbound));
  }

  /** A node that missed its last probe is synchronized after the next one. */
  #nextSyncAt(): number {
    if (this.#reachable !== true || !this.#maySync()) return this.#probeAt;
    return Math.max(this.#syncAt, this.#parts.now() + this.#backoff.remaining());
  }

  #maySync(): boolean {
    const node = this.#parts.records.node(this.#id);
    return !this.#probesOnly && node !== undefined && node.identity !== null;
  }

  /** Probes the node on request and records the result. Never rejects. */
  async probeNow(node: Node, isStopped: () => boolean): Promise<NodeAnswer> {
    const result = await this.#health.probe(node);
    return isStopped() ? result.answer : this.#recordProbe(node, result, { final: true });
  }

  /** The first half of a round. Resolves to whether a sync is due. Never rejects. */
  async probe(signal: AbortSignal): Promise<boolean> {
    const { records, now, chance } = this.#parts;
    const node = records.node(this.#id);
    if (!node?.enabled) return false;
    const result = await this.#health.probe(node, signal);
    if (!this.#isCurrent(node, signal)) return false;
    this.#probeAt = now() + PROBE_MS * (1 - JITTER + 2 * JITTER * chance());
    this.#recordProbe(node, result);
    if (result.answer.error !== null) this.#failed(node, result.answer.error);
    else this.#failures.reportLag(node, this.#backoff.failures);
    return this.isReady() && this.#reachable === true && this.#syncAt - now() <= SLACK_MS;
  }

  #recordProbe(node: Node, result: ProbeResult, options?: { readonly final: boolean }): NodeAnswer {
    const { wasOnline } = this.#parts.records;
    const before = wasOnline(this.#id);
    const answer = this.#health.record(node, result, options);
    this.#reachable = result.reading !== null;
    // What failed before it went away is tried again at once.
    if (before === false && wasOnline(this.#id)) {
      this.#backoff.reset();
      this.#sync.resetBackoff();
      this.#syncAt = 0;
    }
    return answer;
  }

  /** The second half: makes the node equal to its desired state. Never rejects. */
  async sync(signal: AbortSignal): Promise<void> {
    const { records, now, period } = this.#parts;
    const node = records.node(this.#id);
    if (!node || !this.#isCurrent(node, signal)) return;
    const began = now();
    try {
      await this.#sync.run(node, signal);
      this.#backoff.succeeded();
      if (!this.#isCurrent(node, signal)) return;
      if (this.#health.markValid()) this.#probeAt = 0;
      this.#failures.succeeded(node);
      this.#failures.reportLag(node, this.#backoff.failures);
    } catch (error) {
      this.#failures.warn(node, error);
      // A late answer, an answer from a previous address and an aborted request are no failures of the node.
      if (!this.#isCurrent(node, signal)) return;
      this.#syncFailed(node, error);
    } finally {
      const usual = this.#sync.isWaiting() ? Math.min(WAITING_MS, period()) : period();
      this.#syncAt = now() + Math.min(MAX_SYNC_INTERVAL_MS, Math.max(usual, PAUSE_FACTOR * (now() - began)));
    }
  }

  #syncFailed(node: Node, error: unknown): void {
    const kind = error instanceof NodeError ? error.kind : null;
    // A node that could not be reached is tried again when it answers a probe.
    if (kind === 'unreachable') this.#reachable = false;
    else this.#backoff.wait(kind !== null && kind !== 'timeout');
    if (isInvalid(error) && this.#backoff.failures.tries + 1 >= MAX_INVALID_REPLIES)
      this.#health.markInvalid(node, error.text);
    this.#failed(node, error instanceof NodeError ? error.text : message('node.syncFailed'));
  }

  #failed(node: Node, reason: Text): void {
    if (node.identity === null) return;
    this.#sync.failCollectors();
    this.#parts.online(this.#id, []);
    this.#backoff.failed();
    const { lastHeartbeat, lastError } = this.health;
    this.#failures.failed(node, reason, {
      ...this.#backoff.failures,
      answers: lastHeartbeat > 0 && lastError === null,
    });
    this.#failures.reportLag(node, this.#backoff.failures);
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
