import type { InboundId, NodeId } from '../../events/ids.js';
import type { Node } from '../../events/node-document.js';
import { sameJson } from '../../lib/json.js';
import { shownText } from '../../lib/words.js';
import type { NodeListing, WantedClient, WantedInbound } from '../ports/node-panel.js';
import type { Had } from './node-match.js';
import { type Observation, observe } from './node-observe.js';
import type { NodeTalkParts, Outgoing } from './node-parts.js';
import type { InboundPlan, NodePlan } from './node-plan.js';

/** What only a node has is recorded no more often than this, in ms. */
const STRANGERS_MS = 60_000;
const MOST_STRANGERS = 100;

/** What a listing shows of an inbound that is there as it was wanted at a position of the log. */
interface Found {
  readonly position: number;
  readonly digest: string;
  readonly began: readonly WantedClient['number'][];
  readonly fresh: boolean;
}

/** Writes down what a node shows: what has arrived, what was refused, what flowed, who is a stranger. */
export class NodeBooks {
  readonly #parts: NodeTalkParts;
  readonly #id: NodeId;
  readonly #isCurrent: (asked: Node) => boolean;
  /** When the counters of each inbound were read last in this life of the panel, ms. */
  readonly #readAt = new Map<InboundId, number>();
  /** The same of all of them in the life before; 0 = never. */
  #recordedAt: number | null = null;
  #listedAt = 0;
  #strangersAt = 0;

  constructor(parts: NodeTalkParts, id: NodeId, isCurrent: (asked: Node) => boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#isCurrent = isCurrent;
  }

  /** When the node was listed last, ms since 1970; 0 = never. */
  get listedAt(): number {
    return this.#listedAt;
  }

  arrived(node: Node, wanted: WantedInbound, found: Found): void {
    const entry = this.#entry(wanted.id);
    const isKnown = entry?.applied?.digest === found.digest && entry.refused === null;
    const isNew = !isKnown || (entry.waiting[0] ?? Number.POSITIVE_INFINITY) <= found.position;
    if (!isNew && found.began.length === 0 && !found.fresh) return;
    const data = { asked: node, inbound: wanted.id, tag: wanted.tag, ...found };
    this.#parts.dispatch({ type: 'RecordNodeInboundApplied', data }, null);
  }

  /** Whether the node had it so, and nothing was decided since. Null = it had it no more. */
  had(inbound: InboundId, digest: string | null): boolean {
    const entry = this.#entry(inbound);
    return entry?.waiting.length === 0 && (digest === null || entry.applied?.digest === digest);
  }

  /** Whether what is found is nothing new, whatever was refused meanwhile. */
  isUnchanged(inbound: InboundId, { digest, began, fresh }: Found): boolean {
    return this.had(inbound, digest) && began.length === 0 && !fresh;
  }

  refused(node: Node, inbound: InboundId, reason: string): void {
    const entry = this.#entry(inbound);
    if (!entry || entry.refused?.reason === reason) return;
    this.#parts.dispatch({ type: 'RecordNodeInboundRefused', data: { asked: node, inbound, reason } }, null);
  }

  /** `now`: it was taken away by this panel; otherwise it was not there any more. */
  removed(node: Node, { inbound, tag }: InboundPlan, now: boolean): void {
    if (!this.#isCurrent(node) || (!now && this.#entry(inbound)?.waiting.length === 0)) return;
    this.#parts.dispatch({ type: 'RecordNodeInboundRemoved', data: { asked: node, inbound, tag } }, null);
  }

  async count(
    node: Node,
    listing: NodeListing,
    wanted: readonly WantedInbound[],
    had: readonly Had[],
  ): Promise<Observation> {
    const { followed, lastClient, now, dispatch } = this.#parts;
    const recordedAt = (this.#recordedAt ??= followed.readAt(this.#id));
    const at = now();
    const elapsedMs = (id: InboundId): number => {
      const before = this.#readAt.get(id) ?? recordedAt;
      // A clock that was set back tells nothing.
      return before > 0 && before <= at ? at - before : Number.POSITIVE_INFINITY;
    };
    const seen = { had, lastClient: lastClient(), ...followed, elapsedMs, now: at };
    const observation = await observe(wanted, listing, seen);
    if (!this.#isCurrent(node)) return observation;
    this.#listedAt = now();
    for (const id of observation.read) this.#readAt.set(id, at);
    for (const part of observation.traffic)
      dispatch({ type: 'RecordNodeTraffic', data: { asked: node, ...part } }, node);
    return observation;
  }

  /** The node has cut clients that may connect: that is seen, not followed. */
  noteCuts(node: Node, { cutThere }: InboundPlan): void {
    if (cutThere.length === 0) return;
    const notes = cutThere.map((number): ['client', number, 'cut there'] => ['client', number, 'cut there']);
    const data = { asked: node, clients: [], inbounds: [], notes };
    this.#parts.dispatch({ type: 'RecordNodeTraffic', data }, node);
  }

  strangers(node: Node, { strangers, clients }: NodePlan): void {
    const { strangers: recorded, now, dispatch } = this.#parts;
    const found = {
      inbounds: strangers.toSorted().slice(0, MOST_STRANGERS).map(shownText),
      clients: clients
        .toSorted((a, b) => (a.inbound + a.email < b.inbound + b.email ? -1 : 1))
        .slice(0, MOST_STRANGERS)
        .map(({ inbound, email }) => ({ inbound: shownText(inbound), email: shownText(email) })),
      more: Math.max(0, strangers.length - MOST_STRANGERS) + Math.max(0, clients.length - MOST_STRANGERS),
    };
    const before = recorded(this.#id) ?? { inbounds: [], clients: [], more: 0 };
    if (sameJson(found, before) || now() - this.#strangersAt < STRANGERS_MS) return;
    this.#strangersAt = now();
    dispatch({ type: 'RecordNodeStrangers', data: { asked: node, ...found } }, node);
  }

  #entry(inbound: InboundId): Outgoing | undefined {
    return this.#parts.outgoing(this.#id).find((entry) => entry.inbound === inbound);
  }
}
