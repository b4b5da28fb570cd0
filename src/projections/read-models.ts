import { type Observable, Subject } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import type { Client } from '../events/client/client-document.js';
import { type Counter, sumOf, zero } from '../events/counters.js';
import type { GeoSource } from '../events/geo/geo-document.js';
import type { ClientNumber, InboundId, NodeId } from '../events/ids.js';
import type { Inbound } from '../events/inbound/inbound-document.js';
import { type Fold, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import { advance, begin, catchUp, type Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import type { Node } from '../events/node/node-document.js';
import type { Secrets, Settings } from '../events/settings/settings.js';
import { backups } from './backups.js';
import { warnedOf } from './chat-bot.js';
import { clientIps, newestFirst } from './client-ips.js';
import { clients } from './clients.js';
import { baselines, counterOwner, tagsToPassOn } from './core/baselines.js';
import { coreState } from './core/core-state.js';
import { DesiredCore } from './core/desired-core.js';
import { directory } from './directory.js';
import type { FormerClient } from './former-clients.js';
import { geoSources } from './geo.js';
import { inbounds } from './inbounds.js';
import { type NodeBaseline, nodeBaselines } from './node/node-baselines.js';
import { nodeConcerned, nodeOutbox, type OutboxEntry, outboxOf, type Strangers } from './node/node-outbox.js';
import { type NodeFailing, type NodeRestart, type NodeStanding, nodes } from './node/nodes.js';
import { ONLINE_WINDOW_MS, OnlineGauge } from './online.js';
import { settings } from './settings.js';
import { timeline } from './timeline.js';
import { traffic } from './traffic.js';
import { users } from './users.js';

/** Every fold that answers a question, from nothing or from its snapshot. */
export function beginAll(snapshots?: SnapshotStore) {
  return {
    inbounds: begin(inbounds, snapshots),
    clients: begin(clients, snapshots),
    traffic: begin(traffic, snapshots),
    clientIps: begin(clientIps, snapshots),
    baselines: begin(baselines, snapshots),
    coreState: begin(coreState, snapshots),
    settings: begin(settings, snapshots),
    users: begin(users, snapshots),
    timeline: begin(timeline, snapshots),
    directory: begin(directory, snapshots),
    warnedOf: begin(warnedOf, snapshots),
    geoSources: begin(geoSources, snapshots),
    backups: begin(backups, snapshots),
    nodes: begin(nodes, snapshots),
    nodeOutbox: begin(nodeOutbox, snapshots),
    nodeBaselines: begin(nodeBaselines, snapshots),
  };
}
type Foldings = ReturnType<typeof beginAll>;

/** What the core shall run, as the read models have it. */
function desiredOf({
  inbounds: { state: all },
  clients: { state: some },
  settings: { state: values },
}: Foldings): DesiredCore {
  return new DesiredCore({ inbounds: all, clients: some, settings: values });
}

/** The digest of each read model at its position: equal logs give equal digests, however the state came about. */
export function digestsOf(foldings: Foldings): Readonly<Record<string, string>> {
  const folded = Object.values(foldings).map(({ fold, state }) => [
    fold.name,
    stateDigest(fold as Fold<unknown>, state),
  ]);
  return { ...(Object.fromEntries(folded) as Record<string, string>), 'core-config': desiredOf(foldings).digest() };
}

/**
 * The read models of a running panel and the questions that the edges may ask. They follow the log in the same tick in
 * which an append is acknowledged, so a read after a write sees it.
 */
export class ReadModels {
  readonly #models: Foldings;
  readonly desired: DesiredCore;
  readonly online = new OnlineGauge();
  readonly #changed = new Subject<readonly RecordedEvent[]>();
  readonly #failed = new Subject<Error>();
  readonly #log: EventLog;
  #panelId = '';
  #failure: Error | null = null;

  /** Catches up with the log, then follows it. What stands `alongside` catches up in the same reading. */
  constructor(log: EventLog, snapshots?: SnapshotStore, alongside: readonly Folding[] = []) {
    this.#log = log;
    this.#models = beginAll(snapshots);
    catchUp(log, [...alongside, ...this.foldings]);
    this.desired = desiredOf(this.#models);
    log.appended$.subscribe((events) => this.#follow(events));
  }

  get foldings(): readonly Folding[] {
    return Object.values(this.#models);
  }

  digests(): Readonly<Record<string, string>> {
    return { ...digestsOf(this.#models), 'core-config': this.desired.digest() };
  }

  /** Each batch, after every model has folded it. */
  get changed$(): Observable<readonly RecordedEvent[]> {
    return this.#changed;
  }

  /** A fold threw: no model moves any more, and nothing may be written. */
  get failed$(): Observable<Error> {
    return this.#failed;
  }

  #follow(events: readonly RecordedEvent[]): void {
    if (this.#failure) return;
    try {
      for (const folding of this.foldings) advance(folding, events);
      this.desired.apply(events);
    } catch (error) {
      this.#failure = error as Error;
      this.#failed.next(this.#failure);
      return;
    }
    this.#changed.next(events);
  }

  inbounds(): readonly Inbound[] {
    return [...this.#models.inbounds.state.values()];
  }

  inbound(id: number): Inbound | undefined {
    return this.#models.inbounds.state.get(id as InboundId);
  }

  /** In the order in which they were added. */
  clientsOf(inbound: InboundId): readonly Client[] {
    return this.#all(this.#models.clients.state.ofInbound.get(inbound));
  }

  clients(): Iterable<Client> {
    return this.#models.clients.state.byNumber.values();
  }

  client(number: number): Client | undefined {
    return this.#models.clients.state.byNumber.get(number as ClientNumber);
  }

  /** The first of the clients with this email. */
  clientByEmail(email: string): Client | undefined {
    const number = this.#models.clients.state.byEmail.first(email);
    return number === undefined ? undefined : this.client(number);
  }

  /** The clients of an email: one person may be in several inbounds, once in each. */
  clientsByEmail(email: string): readonly Client[] {
    return this.#all(this.#models.clients.state.byEmail.get(email));
  }

  /** Who was deleted with this email, and is not erased yet; the lowest number first. */
  formerClients(email: string): readonly FormerClient[] {
    return this.#models.clients.state.former.of(email);
  }

  clientIn(inbound: InboundId, email: string): Client | undefined {
    return this.clientsByEmail(email).find((client) => client.inbound === inbound);
  }

  /** The clients that share an email with this one, itself among them, the first of them first. */
  siblings(client: Client): readonly Client[] {
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    return numbers ? this.#all(numbers) : [client];
  }

  /** Whether it speaks for its email where each is named once. */
  isFirst(client: Client): boolean {
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    return numbers === undefined || numbers[0] === client.number;
  }

  clientsById(id: string): readonly Client[] {
    return this.#all(this.#models.clients.state.byId.get(id));
  }

  clientsBySubId(subId: string): readonly Client[] {
    return this.#all(this.#models.clients.state.bySubId.get(subId));
  }

  #all(numbers: readonly ClientNumber[]): readonly Client[] {
    // Asked for each subscription: a closure and a list for each client would be felt there.
    const all: Client[] = [];
    for (const number of numbers) {
      const client = this.client(number);
      if (client) all.push(client);
    }
    return all;
  }

  /** What its cap is compared with: all that was used under its email, in every inbound and on every machine. */
  clientCounter(client: Client): Counter {
    const { clients: counters } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number);
    if (!numbers) return counters.get(client.number) ?? zero;
    return sumOf(numbers.map((number) => counters.get(number) ?? zero));
  }

  /** Its own part of that. What the core of this panel counts is in one of the siblings, whichever inbound it came through. */
  ownCounter(client: Client): Counter {
    return this.#models.traffic.state.clients.get(client.number) ?? zero;
  }

  /** As `clientCounter`, whatever was reset. */
  clientAllTime(client: Client): number {
    const { clientsAllTime: totals } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number) ?? [client.number];
    return numbers.reduce((sum, number) => sum + (totals.get(number) ?? 0), 0);
  }

  inboundCounter(inbound: Inbound): Counter {
    return this.#models.traffic.state.inbounds.get(inbound.id) ?? zero;
  }

  inboundAllTime(inbound: Inbound): number {
    return this.#models.traffic.state.inboundsAllTime.get(inbound.id) ?? 0;
  }

  outboundCounters(): ReadonlyMap<string, Counter> {
    return this.#models.traffic.state.outbounds;
  }

  /** When bytes were last moved under its email, ms since 1970; 0 = never. */
  lastOnline(client: Client): number {
    const { lastOnline: times } = this.#models.traffic.state;
    const numbers = this.#models.clients.state.byEmail.siblings(client.number) ?? [client.number];
    return Math.max(...numbers.map((number) => times.get(number) ?? 0));
  }

  /** Emails with a live connection, or with bytes in the last seconds. */
  onlineEmails(now: number): readonly string[] {
    const emails = new Set<string>();
    for (const email of this.online.emails) {
      const client = this.clientByEmail(email);
      if (client) emails.add(client.identity.email);
    }
    for (const [number, at] of this.#models.traffic.state.lastOnline) {
      if (now - at > ONLINE_WINDOW_MS) continue;
      const client = this.client(number);
      const [first] = client ? this.siblings(client) : [];
      if (first) emails.add(first.identity.email);
    }
    return [...emails];
  }

  /** Addresses from which its email was used, with the time they were last seen, newest first. */
  ips(client: Client): readonly (readonly [string, number])[] {
    return newestFirst(this.siblings(client).map(({ number }) => this.#models.clientIps.state.get(number)));
  }

  core() {
    return this.#models.coreState.state;
  }

  /** How far the counters of the running core are recorded. */
  baselines() {
    const { state } = this.#models.baselines;
    return {
      run: state.run,
      clients: state.clients,
      inbounds: state.inbounds,
      outbounds: state.outbounds,
      ownerOf: (tag: string) => counterOwner(state, tag),
      toPassOn: () => tagsToPassOn(state),
    };
  }

  settings(): Settings {
    return this.#models.settings.state.values;
  }

  /** For what uses them; no answer and no log line may hold one. Empty = not set. */
  secrets(): Secrets {
    return this.#models.settings.state.secrets;
  }

  template() {
    return this.#models.settings.state.template;
  }

  users() {
    return this.#models.users.state;
  }

  timeline() {
    return this.#models.timeline.state;
  }

  /** What became of the timed backups. */
  backups() {
    return this.#models.backups.state;
  }

  /** The admin's own, by their numbers. */
  geoSources(): ReadonlyMap<number, GeoSource> {
    return this.#models.geoSources.state;
  }

  /** Clients of which the bot has told already that they are soon over. */
  warnedOf() {
    return this.#models.warnedOf.state;
  }

  /** Remote panels, in the order in which they were added. */
  nodes(): readonly Node[] {
    return [...this.#models.nodes.state.documents.values()];
  }

  node(id: number): Node | undefined {
    return this.#models.nodes.state.documents.get(id as NodeId);
  }

  /** Whether a node answers, as it was recorded last; undefined where nothing is known. */
  nodeStanding(id: NodeId): NodeStanding | undefined {
    return this.#models.nodes.state.standings.get(id);
  }

  /** Why a node that answers cannot be told anything, as it was recorded last; undefined while it can. */
  nodeFailing(id: NodeId): NodeFailing | undefined {
    return this.#models.nodes.state.failings.get(id);
  }

  /** Why its core was restarted by this panel last, and when. */
  nodeRestart(id: NodeId): NodeRestart | undefined {
    return this.#models.nodes.state.restarts.get(id);
  }

  /** What was decided for a node, inbound by inbound, those that were deleted here included. */
  outbox(id: NodeId): readonly (OutboxEntry & { readonly waiting: readonly number[] })[] {
    const { state } = this.#models.nodeOutbox;
    return outboxOf(state, id).map((entry) => ({ ...entry, waiting: state.waiting.get(entry.inbound) ?? [] }));
  }

  /** What was decided for an inbound that is bound to a node; undefined where there is nothing to be known of it. */
  outboxEntry(inbound: number): OutboxEntry | undefined {
    return this.#models.nodeOutbox.state.entries.get(inbound as InboundId);
  }

  /** What tells a client or an inbound of a node, living or not, from others of its number; empty for all others. */
  born(kind: 'clients' | 'inbounds', number: number): string {
    return this.#models.nodeOutbox.state.born[kind].get(number) ?? '';
  }

  /** Whether this log was once taken from a backup. */
  get fromBackup(): boolean {
    return this.#models.nodeOutbox.state.fromBackup;
  }

  /** The node that an event has something for. */
  nodeConcerned(event: RecordedEvent): NodeId | undefined {
    return nodeConcerned(this.#models.nodeOutbox.state, event);
  }

  /** What only the node has, as it was recorded last. */
  strangers(id: NodeId): Strangers | undefined {
    return this.#models.nodeOutbox.state.strangers.get(id);
  }

  /** Clients that were deleted from an inbound and may still be on its node. */
  leavingNode(inbound: number): readonly number[] {
    return (this.#models.nodeBaselines.state.leaving.get(inbound) ?? []).map(([client]) => client);
  }

  /** Up to where a counter of a node is recorded. */
  nodeBaseline(kind: 'clients' | 'inbounds', id: number): NodeBaseline | undefined {
    return this.#models.nodeBaselines.state[kind].get(id);
  }

  /** When the log last shows that the counters of a node were read, ms since 1970; 0 = never. */
  nodeReadAt(node: NodeId): number {
    return this.#models.nodeBaselines.state.readAt.get(node) ?? 0;
  }

  /** The lasting name of this panel: the id of the first event of its log, which a restored copy keeps. Empty before it. */
  get panelId(): string {
    this.#panelId ||= this.#log.read(0, 1)[0]?.id ?? '';
    return this.#panelId;
  }

  /** What the sync with a directory has done to clients. */
  directory() {
    return this.#models.directory.state;
  }
}
