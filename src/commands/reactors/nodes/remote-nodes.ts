import type { Subscription } from 'rxjs';
import type { RecordedEvent } from '../../../events/catalog.js';
import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { changesDestination } from '../../node/node-rules.js';
import type { NodeAddress } from '../../ports/remote-panel.js';
import { type NodeAnswer, type NodeHealth, probeNode, UNKNOWN } from './health.js';
import type { RemoteNodesParts } from './parts.js';
import { RemoteNode, type SyncState } from './remote-node.js';
import type { Removal } from './remove-from-node.js';
import { Slots } from './slots.js';

interface Entry {
  readonly node: RemoteNode;
  timer: NodeJS.Timeout | undefined;
  round: Promise<void> | null;
  /** Aborts the round in progress. */
  abort: AbortController;
  removal: Promise<Removal> | null;
  /** Another round is due as soon as this one ends. */
  rerun: boolean;
  /** The backoff is reset when the round ends, so that what fails in it is tried again at once. */
  reset: boolean;
}

/** Nodes that are probed at the same time. */
const MAX_PARALLEL_PROBES = 32;
/** Of these, nodes that missed the last probe: each may take the whole timeout, and the others must not wait for them. */
const MAX_PARALLEL_RETRIES = 24;
/** Nodes that are synchronized at the same time. */
const MAX_PARALLEL_SYNCS = 8;
/** The first probes are spread over this time: a hundred TLS handshakes at once would block the event loop. In ms. */
const SPREAD_MS = 4_000;
/** How long a change waits for the counters of nodes, in ms. */
const COLLECT_MS = 2_000;
/** From the removal of everything from a node to its next round, if the node is not deleted after all, in ms. */
const AFTER_REMOVAL_MS = 1_000;

/**
 * One loop for each node: a probe every five seconds, and after a probe that was answered a comparison of the desired state
 * with the listing of the node, as soon as something changed and every few seconds. A round compares states and counts no
 * events, so a replay sends nothing.
 */
export class RemoteNodes {
  readonly #parts: RemoteNodesParts;
  readonly #entries = new Map<NodeId, Entry>();
  readonly #probes = new Slots(MAX_PARALLEL_PROBES);
  readonly #retryProbes = new Slots(MAX_PARALLEL_RETRIES);
  readonly #syncs = new Slots(MAX_PARALLEL_SYNCS);
  #following: Subscription | null = null;
  readonly #probesOnly: boolean;
  #stopped = false;

  /** `probesOnly`: nothing is sent to the nodes. */
  constructor(parts: RemoteNodesParts, { probesOnly = false }: { readonly probesOnly?: boolean } = {}) {
    this.#parts = parts;
    this.#probesOnly = probesOnly;
  }

  begin(): void {
    this.#following = this.#parts.changed$.subscribe((events) => this.#onEvents(events));
    const nodes = this.#parts.records.nodes();
    for (const [i, { id }] of nodes.entries()) this.#schedule(this.#entry(id), id, (i * SPREAD_MS) / nodes.length);
  }

  /** Aborts the rounds in progress and resolves when they have ended. Nothing is recorded after that. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#following?.unsubscribe();
    for (const { timer, abort } of this.#entries.values()) {
      clearTimeout(timer);
      abort.abort();
    }
    await Promise.all([...this.#entries.values()].flatMap(({ round }) => round ?? []));
  }

  health(node: NodeId): NodeHealth {
    return this.#entries.get(node)?.node.health ?? UNKNOWN;
  }

  /** Probes a node now and records the result; works for a disabled node too. Never rejects. */
  probe(node: Node): Promise<NodeAnswer> {
    return this.#entry(node.id).node.probeNow(node, () => this.#stopped);
  }

  /** Probes an address that is no node yet. Nothing is kept. Never rejects. */
  async test(address: NodeAddress): Promise<NodeAnswer> {
    const { panel, records, warn } = this.#parts;
    const expected = { known: null, ownId: records.ownId(), twin: () => undefined };
    return (await probeNode(panel, address, expected, warn)).answer;
  }

  /** Runs a round with a node now, or waits for the one in progress. Never rejects. */
  async round(node: NodeId): Promise<void> {
    const entry = this.#entry(node);
    clearTimeout(entry.timer);
    entry.node.times.runSoon();
    this.#start(entry, node);
    await entry.round;
  }

  /**
   * Removes the inbounds and clients of this panel from a node before it is deleted, within `cleanUpMs`. Aborts its round in
   * progress and does not wait for other nodes. Never rejects.
   */
  cleanUp(node: NodeId): Promise<Removal> {
    const entry = this.#entry(node);
    return (entry.removal ??= this.#cleanUp(entry, node));
  }

  async #cleanUp(entry: Entry, node: NodeId): Promise<Removal> {
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      entry.abort.abort();
    }, this.#parts.cleanUpMs);
    entry.abort.abort();
    while (entry.round) await entry.round;
    clearTimeout(entry.timer);
    entry.abort = new AbortController();
    if (this.#stopped || isLate) entry.abort.abort();
    const removal = entry.node.cleanUp(entry.abort.signal);
    // Until this ends no round begins; afterwards one does if the node still exists.
    entry.round = removal.then(() => {
      clearTimeout(late);
      entry.round = null;
      entry.removal = null;
      entry.node.times.runSoon();
      if (this.#following && this.#isCurrent(entry, node)) this.#schedule(entry, node, AFTER_REMOVAL_MS);
    });
    return removal;
  }

  state(node: NodeId): SyncState {
    const entry = this.#entries.get(node);
    return entry ? entry.node.state() : { listedAt: 0, error: null, failingSince: 0, tries: 0, nextAt: 0 };
  }

  /** When an inbound that its node refused is tried again: ms since 1970; 0 = at once. */
  retryAt(node: NodeId, inbound: InboundId): number {
    return this.#entries.get(node)?.node.retryAt(inbound) ?? 0;
  }

  /** Resets the backoff of a node and starts a round. */
  retry(node: NodeId): void {
    this.#wake(node, true);
  }

  /**
   * Records what these nodes have counted up to now. A node that is offline, or does not answer within two seconds, is left
   * out: its traffic counts later. Never rejects.
   */
  async collect(nodes: readonly NodeId[]): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), COLLECT_MS);
    });
    await Promise.all(
      nodes.map(async (id) => {
        if (await Promise.race([this.#collected(id), late])) return;
        const name = this.#parts.records.node(id)?.name;
        this.#parts.warn('the counters of a node could not be read before a change; they count after it', {
          node: name,
        });
      }),
    );
    clearTimeout(timer);
  }

  async #collected(id: NodeId): Promise<boolean> {
    const entry = this.#entry(id);
    if (this.#stopped || entry.removal || !entry.node.times.isReady()) return false;
    const collected = entry.node.collected();
    if (entry.round) entry.rerun = true;
    else this.#schedule(entry, id, 0);
    return collected;
  }

  #onEvents(events: readonly RecordedEvent[]): void {
    const affected = new Map<NodeId, boolean>();
    for (const event of events) {
      switch (event.type) {
        case 'NodeAdded':
        case 'NodeUpdated':
        case 'NodeTokenReplaced':
        case 'NodeEnabled':
        case 'NodeDisabled': {
          const { node } = event.data;
          if (event.type !== 'NodeUpdated' || changesDestination(event.data.changes))
            this.#entries.get(node)?.node.forgetHealth();
          if (event.type === 'NodeDisabled') this.#parts.online(node, []);
          affected.set(node, true);
          break;
        }
        case 'NodeDeleted':
          this.#forget(event.data.node);
          affected.delete(event.data.node);
          break;
        default: {
          const node = this.#parts.records.affected(event);
          if (node !== undefined && !affected.has(node)) affected.set(node, false);
        }
      }
    }
    for (const [node, reset] of affected) this.#wake(node, reset);
  }

  #forget(node: NodeId): void {
    clearTimeout(this.#entries.get(node)?.timer);
    this.#entries.delete(node);
    this.#parts.histories.forget(node);
    this.#parts.online(node, []);
  }

  #wake(node: NodeId, reset: boolean): void {
    if (this.#stopped || !this.#parts.records.node(node)) return;
    const entry = this.#entry(node);
    if (reset) entry.node.resetBackoff();
    else entry.node.times.shortenBackoff();
    // The round starts after the append that caused it has returned, once for all events until then.
    if (entry.round) {
      entry.rerun = true;
      entry.reset ||= reset;
    } else this.#schedule(entry, node, 0);
  }

  #entry(node: NodeId): Entry {
    const known = this.#entries.get(node);
    if (known) return known;
    const idle = { timer: undefined, round: null, removal: null, rerun: false, reset: false };
    const entry: Entry = {
      node: new RemoteNode(this.#parts, node, this.#probesOnly),
      abort: new AbortController(),
      ...idle,
    };
    this.#entries.set(node, entry);
    return entry;
  }

  #isCurrent(entry: Entry, node: NodeId): boolean {
    return !this.#stopped && this.#entries.get(node) === entry;
  }

  #schedule(entry: Entry, node: NodeId, ms: number): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.#start(entry, node), ms).unref();
  }

  #start(entry: Entry, node: NodeId): void {
    if (!this.#isCurrent(entry, node)) return;
    if (entry.round) {
      entry.rerun = true;
      return;
    }
    entry.rerun = false;
    entry.reset = false;
    entry.abort = new AbortController();
    entry.round = this.#run(entry.node, entry.abort.signal).then(() => {
      entry.round = null;
      if (!this.#isCurrent(entry, node)) return;
      if (entry.reset) entry.node.resetBackoff();
      if (entry.rerun) entry.node.times.runSoon();
      const ms = entry.node.times.dueIn();
      // Before `begin` there are only requested rounds.
      if (ms !== null && (entry.rerun || this.#following)) this.#schedule(entry, node, ms);
    });
  }

  async #run(node: RemoteNode, signal: AbortSignal): Promise<void> {
    if (node.times.dueIn() !== 0) return;
    const probe = (): Promise<boolean | undefined> => this.#probes.run(signal, () => node.probe(signal));
    const isReady = await (node.missedLastProbe() ? this.#retryProbes.run(signal, probe) : probe());
    if (isReady) await this.#syncs.run(signal, () => node.sync(signal));
  }
}
