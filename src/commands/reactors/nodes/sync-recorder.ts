import type { InboundId, NodeId } from '../../../events/ids.js';
import type { Node } from '../../../events/node/node-document.js';
import { type CounterMark, type NodeTraffic, untested } from '../../../events/node/node-sync.js';
import { sameJson } from '../../../lib/json.js';
import { shownText } from '../../../lib/words.js';
import type { AnyCommand } from '../../catalog.js';
import { Allowances } from '../../node/node-allowance.js';
import type { NodeListing, WantedClient, WantedInbound } from '../../ports/remote-panel.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import type { Had } from './match.js';
import type { NodeTalkParts, Outgoing } from './parts.js';
import type { NodePlan } from './plan.js';
import { type CounterKind, type Observation, observe } from './read-counters.js';
import { Refusals } from './refusal-reports.js';
import type { InboundPlan } from './steps.js';

/** What only a node has is recorded no more often than this, in ms. */
const UNMANAGED_MS = 60_000;
const UNMANAGED_LIMIT = { atOnce: 3, everyMs: 600_000 };
const MOST_UNMANAGED = 100;

/** What a listing shows of an inbound that is there as it was wanted at a position of the log. */
interface Found {
  readonly position: number;
  readonly digest: string;
  readonly newClients: readonly WantedClient['number'][];
  readonly newInbound: boolean;
}

/** Writes down what a node shows: what has arrived, what was refused, what flowed, what is unmanaged. */
export class NodeBooks {
  readonly #parts: NodeTalkParts;
  readonly #id: NodeId;
  readonly #isCurrent: (asked: Node) => boolean;
  /** When the counters of each inbound were read last in this life of the panel, ms. */
  readonly #readAt = new Map<InboundId, number>();
  readonly #refusals: Refusals;
  readonly #unmanaged: RateLimiter;
  /** When the log shows that all of them were read in the life before; 0 = never. */
  #recordedAt: number | null = null;
  #allowances: Allowances | null = null;
  #listedAt = 0;
  #unmanagedAt = 0;

  constructor(parts: NodeTalkParts, id: NodeId, isCurrent: (asked: Node) => boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#isCurrent = isCurrent;
    this.#refusals = new Refusals(parts.now);
    this.#unmanaged = new RateLimiter(parts.now, UNMANAGED_LIMIT);
  }

  /** When the node was listed last, ms since 1970; 0 = never. */
  get listedAt(): number {
    return this.#listedAt;
  }

  arrived(node: Node, wanted: WantedInbound, found: Found): void {
    const entry = this.#entry(wanted.id);
    const isOver = this.#refusals.isOver(wanted.id);
    const isDecided = (entry?.waiting[0] ?? Number.POSITIVE_INFINITY) <= found.position;
    const isNew =
      isDecided || found.newClients.length > 0 || found.newInbound || entry?.applied?.digest !== found.digest;
    // A refusal that comes and goes is not over.
    if (!isNew && (!isOver || entry.refused === null)) return;
    const data = { asked: node, inbound: wanted.id, tag: wanted.tag, ...found };
    this.#parts.dispatch({ type: 'RecordNodeInboundApplied', data }, null);
  }

  /** Whether the node had it so, and nothing was decided since. Null = it had it no more. */
  had(inbound: InboundId, digest: string | null): boolean {
    const entry = this.#entry(inbound);
    return entry?.waiting.length === 0 && (digest === null || entry.applied?.digest === digest);
  }

  /** Whether what is found is nothing new, whatever was refused meanwhile. */
  isUnchanged(inbound: InboundId, { digest, newClients: began, newInbound: fresh }: Found): boolean {
    return this.had(inbound, digest) && began.length === 0 && !fresh;
  }

  refused(node: Node, inbound: InboundId, reason: string): void {
    const entry = this.#entry(inbound);
    if (!entry) return;
    const data = { asked: node, inbound, reason };
    this.#refusals.tell(entry, reason, () => this.#did({ type: 'RecordNodeInboundRejected', data }, null));
  }

  /**
   * `now`: it was taken away by this panel; otherwise it was not there any more. Returns whether that is news.
   */
  removed(node: Node, { inbound, tag }: InboundPlan, now: boolean): boolean {
    const entry = this.#entry(inbound);
    const isOver = !now && this.#refusals.isOver(inbound);
    const isKnown = entry?.waiting.length === 0 && (!now || entry.applied === null);
    if (!this.#isCurrent(node) || (isKnown && (!isOver || entry.refused === null))) return false;
    return this.#did({ type: 'RecordNodeInboundRemoved', data: { asked: node, inbound, tag } }, null);
  }

  async count(
    node: Node,
    listing: NodeListing,
    wanted: readonly WantedInbound[],
    had: readonly Had[],
  ): Promise<Observation> {
    const { followed, now } = this.#parts;
    const recordedAt = (this.#recordedAt ??= followed.readAt(this.#id));
    const at = now();
    const allowances = (this.#allowances ??= new Allowances(recordedAt));
    const allowed = (kind: CounterKind, key: number, id: InboundId): number =>
      allowances.of(`${kind} ${key}`, this.#readAt.get(id) ?? recordedAt, at);
    const client = followed.client.bind(null, this.#id);
    const seen = { had, client, inbound: followed.inbound, allowed, now: at };
    const observation = await observe(wanted, listing, seen);
    if (!this.#isCurrent(node)) return observation;
    this.#listedAt = now();
    for (const id of observation.read) this.#readAt.set(id, at);
    for (const part of observation.traffic) {
      if (!this.#did({ type: 'RecordNodeTraffic', data: { asked: node, ...part } }, node)) continue;
      for (const kind of ['client', 'inbound'] as const)
        for (const [key, up, down] of part[`${kind}s`])
          if (up + down > 0) allowances.draw(`${kind} ${key}`, up + down, at);
    }
    return observation;
  }

  /** Counters that stand at zero are followed from there on, also while the inbound waits for something else. */
  begun(
    node: Node,
    inbound: InboundId,
    { newClients: began, newInbound: fresh }: Pick<Found, 'newClients' | 'newInbound'>,
  ): void {
    if (began.length === 0 && !fresh) return;
    const zeros: [number, number, number, number, number, CounterMark[], number] = [0, 0, 0, 0, 0, [...untested], 0];
    const data = {
      asked: node,
      clients: began.map((number): NodeTraffic['clients'][number] => [number, ...zeros, 0]),
      inbounds: fresh ? [[inbound, ...zeros] as NodeTraffic['inbounds'][number]] : [],
      anomalies: [],
    };
    this.#parts.dispatch({ type: 'RecordNodeTraffic', data }, node);
  }

  /** The node has cut clients that may connect: that is seen, not followed. */
  noteCuts(node: Node, { cutThere }: InboundPlan): void {
    if (cutThere.length === 0) return;
    const anomalies = cutThere.map((number): ['client', number, 'depleted on node'] => [
      'client',
      number,
      'depleted on node',
    ]);
    const data = { asked: node, clients: [], inbounds: [], anomalies };
    this.#parts.dispatch({ type: 'RecordNodeTraffic', data }, node);
  }

  unmanaged(node: Node, { unmanaged, clients }: NodePlan): void {
    const { unmanagedItems: recorded, now } = this.#parts;
    const found = {
      inboundTags: unmanaged.toSorted().slice(0, MOST_UNMANAGED).map(shownText),
      clients: clients
        .toSorted((a, b) => (a.inbound + a.email < b.inbound + b.email ? -1 : 1))
        .slice(0, MOST_UNMANAGED)
        .map(({ inbound, email }) => ({ inboundTag: shownText(inbound), email: shownText(email) })),
      omitted: Math.max(0, unmanaged.length - MOST_UNMANAGED) + Math.max(0, clients.length - MOST_UNMANAGED),
    };
    const before = recorded(this.#id) ?? { inboundTags: [], clients: [], omitted: 0 };
    if (sameJson(found, before) || now() - this.#unmanagedAt < UNMANAGED_MS) return;
    this.#unmanaged.try(() => {
      this.#unmanagedAt = now();
      return this.#did({ type: 'RecordNodeUnmanagedItems', data: { asked: node, ...found } }, node);
    });
  }

  #did(command: AnyCommand, as: Node | null): boolean {
    return !(this.#parts.dispatch(command, as) instanceof Rejection);
  }

  #entry(inbound: InboundId): Outgoing | undefined {
    return this.#parts.outgoing(this.#id).find((entry) => entry.inbound === inbound);
  }
}
