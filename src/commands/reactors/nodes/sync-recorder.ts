import type { InboundId, NodeId } from '../../../events/ids.js';
import type { DesiredClient, DesiredInbound } from '../../../events/node/desired-state.js';
import type { Node } from '../../../events/node/node-document.js';
import { type CounterMark, type NodeTraffic, untested } from '../../../events/node/node-sync.js';
import { sameJson } from '../../../lib/json.js';
import { shownText } from '../../../lib/words.js';
import type { Text } from '../../../messages/message.js';
import type { AnyCommand } from '../../catalog.js';
import { Allowances } from '../../node/node-allowance.js';
import type { NodeListing } from '../../ports/remote-panel.js';
import { Rejection } from '../../rejection.js';
import { RateLimiter } from '../rate-limiter.js';
import type { SentInbound } from './match.js';
import type { OutboxItem, RemoteNodesParts } from './parts.js';
import type { NodePlan } from './plan.js';
import { type CounterKind, type Observation, observe } from './read-counters.js';
import { RefusalReports } from './refusal-reports.js';
import type { InboundPlan } from './steps.js';

/** Foreign inbounds and clients are recorded at most this often, in ms. */
const FOREIGN_MS = 60_000;
const FOREIGN_RATE = { atOnce: 3, everyMs: 600_000 };
const MAX_FOREIGN = 100;

/** What a listing shows of an inbound that is as desired at a position of the log. */
interface Found {
  readonly position: number;
  readonly digest: string;
  readonly newClients: readonly DesiredClient['number'][];
  readonly newInbound: boolean;
}

/** Records what a node reports: applied, refused and removed inbounds, traffic, foreign inbounds and clients. */
export class SyncRecorder {
  readonly #parts: RemoteNodesParts;
  readonly #id: NodeId;
  readonly #isCurrent: (queried: Node) => boolean;
  /** When the counters of each inbound were read last since the start of the panel, ms. */
  readonly #readAt = new Map<InboundId, number>();
  readonly #refusals: RefusalReports;
  readonly #foreign: RateLimiter;
  /** When they were recorded last before the start of the panel; 0 = never. */
  #recordedAt: number | null = null;
  #allowances: Allowances | null = null;
  #listedAt = 0;
  #foreignAt = 0;

  constructor(parts: RemoteNodesParts, id: NodeId, isCurrent: (queried: Node) => boolean) {
    this.#parts = parts;
    this.#id = id;
    this.#isCurrent = isCurrent;
    this.#refusals = new RefusalReports(parts.now);
    this.#foreign = new RateLimiter(parts.now, FOREIGN_RATE);
  }

  /** When the node was listed last, ms since 1970; 0 = never. */
  get listedAt(): number {
    return this.#listedAt;
  }

  recordApplied(node: Node, desired: DesiredInbound, found: Found): void {
    const entry = this.#entry(desired.id);
    const isOver = this.#refusals.isResolved(desired.id);
    const isDecided = (entry?.waiting[0] ?? Number.POSITIVE_INFINITY) <= found.position;
    const isNew =
      isDecided || found.newClients.length > 0 || found.newInbound || entry?.applied?.digest !== found.digest;
    // A refusal that alternates with success is not resolved.
    if (!isNew && (!isOver || entry.refused === null)) return;
    const data = { queried: node, inbound: desired.id, tag: desired.tag, ...found };
    this.#parts.dispatch({ type: 'RecordNodeInboundApplied', data }, null);
  }

  /** Whether the node had this state and it did not change since. Null = the inbound was removed. */
  isApplied(inbound: InboundId, digest: string | null): boolean {
    const entry = this.#entry(inbound);
    return entry?.waiting.length === 0 && (digest === null || entry.applied?.digest === digest);
  }

  /** Whether the listing shows nothing new, whatever was refused meanwhile. */
  isUnchanged(inbound: InboundId, { digest, newClients: began, newInbound: fresh }: Found): boolean {
    return this.isApplied(inbound, digest) && began.length === 0 && !fresh;
  }

  recordRefused(node: Node, inbound: InboundId, reason: Text): void {
    const entry = this.#entry(inbound);
    if (!entry) return;
    const data = { queried: node, inbound, reason };
    this.#refusals.report(entry, reason, () => this.#isRecorded({ type: 'RecordNodeInboundRejected', data }, null));
  }

  /**
   * `now`: this panel has just removed it; otherwise it was missing already. Returns whether that was recorded.
   */
  recordRemoved(node: Node, { inbound, tag }: InboundPlan, now: boolean): boolean {
    const entry = this.#entry(inbound);
    const isOver = !now && this.#refusals.isResolved(inbound);
    const isKnown = entry?.waiting.length === 0 && (!now || entry.applied === null);
    if (!this.#isCurrent(node) || (isKnown && (!isOver || entry.refused === null))) return false;
    return this.#isRecorded({ type: 'RecordNodeInboundRemoved', data: { queried: node, inbound, tag } }, null);
  }

  async count(
    node: Node,
    listing: NodeListing,
    desired: readonly DesiredInbound[],
    sent: readonly SentInbound[],
  ): Promise<Observation> {
    const { now } = this.#parts;
    const { baselines } = this.#parts.records;
    const recordedAt = (this.#recordedAt ??= baselines.readAt(this.#id));
    const at = now();
    const allowances = (this.#allowances ??= new Allowances(recordedAt));
    const allowed = (kind: CounterKind, key: number, id: InboundId): number =>
      allowances.available(`${kind} ${key}`, this.#readAt.get(id) ?? recordedAt, at);
    const client = baselines.client.bind(null, this.#id);
    const seen = { sent, client, inbound: baselines.inbound, allowed, now: at };
    const observation = await observe(desired, listing, seen);
    if (!this.#isCurrent(node)) return observation;
    this.#listedAt = now();
    for (const id of observation.read) this.#readAt.set(id, at);
    for (const part of observation.traffic) {
      if (!this.#isRecorded({ type: 'RecordNodeTraffic', data: { queried: node, ...part } }, node)) continue;
      for (const kind of ['client', 'inbound'] as const)
        for (const [key, up, down] of part[`${kind}s`])
          if (up + down > 0) allowances.use(`${kind} ${key}`, up + down, at);
    }
    return observation;
  }

  /** Counters at zero get a baseline, even while the inbound waits for something else. */
  recordBaselines(
    node: Node,
    inbound: InboundId,
    { newClients: began, newInbound: fresh }: Pick<Found, 'newClients' | 'newInbound'>,
  ): void {
    if (began.length === 0 && !fresh) return;
    const zeros: [number, number, number, number, number, CounterMark[], number] = [0, 0, 0, 0, 0, [...untested], 0];
    const data = {
      queried: node,
      clients: began.map((number): NodeTraffic['clients'][number] => [number, ...zeros, 0]),
      inbounds: fresh ? [[inbound, ...zeros] as NodeTraffic['inbounds'][number]] : [],
      anomalies: [],
    };
    this.#parts.dispatch({ type: 'RecordNodeTraffic', data }, node);
  }

  /** Notes that the node has cut clients that may connect. No baseline changes. */
  recordDepletedOnNode(node: Node, { depletedOnNode }: InboundPlan): void {
    if (depletedOnNode.length === 0) return;
    const anomalies = depletedOnNode.map((number): ['client', number, 'depleted-on-node'] => [
      'client',
      number,
      'depleted-on-node',
    ]);
    const data = { queried: node, clients: [], inbounds: [], anomalies };
    this.#parts.dispatch({ type: 'RecordNodeTraffic', data }, node);
  }

  recordForeign(node: Node, { foreignInbounds, clients }: NodePlan): void {
    const { now } = this.#parts;
    const found = {
      inboundTags: foreignInbounds.toSorted().slice(0, MAX_FOREIGN).map(shownText),
      clients: clients
        .toSorted((a, b) => (a.inbound + a.email < b.inbound + b.email ? -1 : 1))
        .slice(0, MAX_FOREIGN)
        .map(({ inbound, email }) => ({ inboundTag: shownText(inbound), email: shownText(email) })),
      omitted: Math.max(0, foreignInbounds.length - MAX_FOREIGN) + Math.max(0, clients.length - MAX_FOREIGN),
    };
    const before = this.#parts.records.foreign(this.#id) ?? { inboundTags: [], clients: [], omitted: 0 };
    if (sameJson(found, before) || now() - this.#foreignAt < FOREIGN_MS) return;
    this.#foreign.try(() => {
      this.#foreignAt = now();
      return this.#isRecorded({ type: 'RecordNodeUnmanagedItems', data: { queried: node, ...found } }, node);
    });
  }

  #isRecorded(command: AnyCommand, as: Node | null): boolean {
    return !(this.#parts.dispatch(command, as) instanceof Rejection);
  }

  #entry(inbound: InboundId): OutboxItem | undefined {
    return this.#parts.records.outgoing(this.#id).find((entry) => entry.inbound === inbound);
  }
}
