import { type Observable, Subject } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import { type Client, emailKey } from '../events/client-document.js';
import { type Counter, zero } from '../events/counters.js';
import type { ClientNumber, InboundId } from '../events/ids.js';
import type { Inbound } from '../events/inbound-document.js';
import type { EventLog } from '../events/log.js';
import { advance, begin, catchUp, type Folding } from '../events/replay.js';
import type { Secrets, Settings } from '../events/settings.js';
import type { SnapshotStore } from '../events/snapshot-store.js';
import { digest } from '../lib/digest.js';
import { baselines, recordedOf } from './baselines.js';
import { clientIps } from './client-ips.js';
import { clients } from './clients.js';
import { coreState } from './core-state.js';
import { DesiredCore } from './desired-core.js';
import { directory } from './directory.js';
import { inbounds } from './inbounds.js';
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
  const folded = Object.values(foldings).map(({ fold, state }) => [fold.name, digest(fold.save(state as never))]);
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
  #failure: Error | null = null;

  /** Catches up with the log, then follows it. What stands `alongside` catches up in the same reading. */
  constructor(log: EventLog, snapshots?: SnapshotStore, alongside: readonly Folding[] = []) {
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

  clientByEmail(email: string): Client | undefined {
    const number = this.#models.clients.state.byEmail.get(emailKey(email));
    return number === undefined ? undefined : this.client(number);
  }

  clientsById(id: string): readonly Client[] {
    return this.#all(this.#models.clients.state.byId.get(id));
  }

  clientsBySubId(subId: string): readonly Client[] {
    return this.#all(this.#models.clients.state.bySubId.get(subId));
  }

  #all(numbers: readonly ClientNumber[]): readonly Client[] {
    return numbers.flatMap((number) => this.client(number) ?? []);
  }

  clientCounter(client: Client): Counter {
    return this.#models.traffic.state.clients.get(client.number) ?? zero;
  }

  clientAllTime(client: Client): number {
    return this.#models.traffic.state.clientsAllTime.get(client.number) ?? 0;
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

  /** ms since 1970; 0 = never. */
  lastOnline(client: Client): number {
    return this.#models.traffic.state.lastOnline.get(client.number) ?? 0;
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
      if (client) emails.add(client.identity.email);
    }
    return [...emails];
  }

  /** Addresses with the time they were last seen, newest first. */
  ips(client: Client): readonly (readonly [string, number])[] {
    return [...(this.#models.clientIps.state.get(client.number) ?? [])];
  }

  core() {
    return this.#models.coreState.state;
  }

  /** How far the counters of the running core are recorded. */
  baselines() {
    const { state } = this.#models.baselines;
    return {
      run: state.run,
      clients: { get: (email: string) => recordedOf(state, email) },
      inbounds: state.inbounds,
      outbounds: state.outbounds,
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

  /** What the sync with a directory has done to clients. */
  directory() {
    return this.#models.directory.state;
  }
}
