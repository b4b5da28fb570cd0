import type { NodeId } from '../../../events/ids.js';
import { SyncBackoff } from './backoff.js';
import type { RemoteNodesParts } from './parts.js';

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

/** When the next round with a node is due: its next probe, its next sync and the backoff after failures. */
export class RoundTimes {
  readonly backoff: SyncBackoff;
  /** Whether the panel that is meant answered the last probe; null = it was not probed yet. */
  reachable: boolean | null = null;
  readonly #parts: Pick<RemoteNodesParts, 'records' | 'now' | 'chance' | 'period'>;
  readonly #id: NodeId;
  readonly #probesOnly: boolean;
  #probeAt = 0;
  #syncAt = 0;

  /** `probesOnly`: no sync is ever due. */
  constructor(parts: Pick<RemoteNodesParts, 'records' | 'now' | 'chance' | 'period'>, id: NodeId, probesOnly: boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#probesOnly = probesOnly;
    this.backoff = new SyncBackoff(parts.now, parts.chance);
  }

  /** The next round probes. */
  probeSoon(): void {
    this.#probeAt = 0;
  }

  /** The next round does not wait for its time, except for a backoff. */
  runSoon(): void {
    this.#syncAt = 0;
  }

  /** The desired state changed: the backoff ends earlier. */
  shortenBackoff(): void {
    this.backoff.shortenBackoff();
    this.runSoon();
  }

  resetBackoff(): void {
    this.backoff.reset();
    this.runSoon();
  }

  /** A probe has ended. */
  probed(): void {
    const { now, chance } = this.#parts;
    this.#probeAt = now() + PROBE_MS * (1 - JITTER + 2 * JITTER * chance());
  }

  /** A sync that began at `began` (ms) has ended. `isWaiting`: accounts wait until their counters are idle. */
  synced(began: number, isWaiting: boolean): void {
    const { now, period } = this.#parts;
    const usual = isWaiting ? Math.min(WAITING_MS, period()) : period();
    this.#syncAt = now() + Math.min(MAX_SYNC_INTERVAL_MS, Math.max(usual, PAUSE_FACTOR * (now() - began)));
  }

  /** Whether the next round synchronizes, as far as is known. */
  isReady(): boolean {
    return this.reachable !== false && this.#maySync() && this.backoff.remaining() === 0;
  }

  /** Whether a sync goes with the probe that has ended. */
  isSyncDue(): boolean {
    return this.isReady() && this.reachable === true && this.#syncAt - this.#parts.now() <= SLACK_MS;
  }

  /** ms until the next round; null = none while the node is disabled. */
  dueIn(): number | null {
    if (!this.#parts.records.node(this.#id)?.enabled) return null;
    return Math.max(0, Math.min(this.#probeAt, this.nextSyncAt()) - this.#parts.now());
  }

  /** When the next sync is due, ms since 1970. A node that missed its last probe is synchronized after the next one. */
  nextSyncAt(): number {
    if (this.reachable !== true || !this.#maySync()) return this.#probeAt;
    return Math.max(this.#syncAt, this.#parts.now() + this.backoff.remaining());
  }

  #maySync(): boolean {
    const node = this.#parts.records.node(this.#id);
    return !this.#probesOnly && node !== undefined && node.identity !== null;
  }
}
