import { type Observable, Subject } from 'rxjs';
import type { Access } from '../events/access/access-of.js';
import type { RecordedEvent } from '../events/catalog.js';
import type { Client } from '../events/client/client-document.js';
import { allMembersOf } from '../events/client/members.js';
import { type Fold, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import { advance, catchUp, type Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import { DesiredCore } from './core/desired-core.js';
import { type Foldings, startFolds } from './foldings.js';
import { AdminQueries } from './queries/admins.js';
import { ClientQueries } from './queries/clients.js';
import { IdentityQueries } from './queries/identity.js';
import { InboundQueries } from './queries/inbounds.js';
import { NodeQueries } from './queries/nodes.js';
import { RecordQueries } from './queries/records.js';
import { SettingQueries } from './queries/settings.js';
import { UsageQueries } from './queries/usage.js';

/** What a limited caller could see at an earlier moment, and what has changed since. */
export interface SinceMoment {
  /** The access of the caller at that moment. */
  readonly access: Access;
  /** The newest owner of each client that was given another one since; null = none. */
  readonly owners: ReadonlyMap<number, number | null>;
}

/** The configuration that the core must run, from the read models. */
function desiredOf({
  inbounds: { state: all },
  clients: { state: some },
  settings: { state: values },
}: Foldings): DesiredCore {
  return new DesiredCore({ inbounds: all, clients: some, settings: values });
}

/** The digest of each read model. Equal logs give equal digests, whether the state is from a replay or from a snapshot. */
export function digestsOf(foldings: Foldings): Readonly<Record<string, string>> {
  const folded = Object.values(foldings).map(({ fold, state }) => [
    fold.name,
    stateDigest(fold as Fold<unknown>, state),
  ]);
  return { ...(Object.fromEntries(folded) as Record<string, string>), 'core-config': desiredOf(foldings).digest() };
}

/** Keeps the folds at the head of the log. They are updated in the tick in which an append is acknowledged. */
class Follower {
  readonly #models: Foldings;
  readonly #desired: () => DesiredCore;
  readonly #failed = new Subject<Error>();
  #failure: Error | null = null;

  constructor(models: Foldings, desired: () => DesiredCore) {
    this.#models = models;
    this.#desired = desired;
  }

  get foldings(): readonly Folding[] {
    return Object.values(this.#models);
  }

  /** By the name of the read model. */
  digests(): Readonly<Record<string, string>> {
    // The configuration of one machine of a cluster is a part of that in the log.
    const own = this.#desired().isWhole ? { 'core-config': this.#desired().digest() } : {};
    return { ...digestsOf(this.#models), ...own };
  }

  /** Emits when a fold throws. After that no model is updated, and nothing may be written. */
  get failed$(): Observable<Error> {
    return this.#failed;
  }

  /** Applies events. False after a fold has failed. */
  apply(events: readonly RecordedEvent[]): boolean {
    if (this.#failure) return false;
    try {
      for (const folding of this.foldings) advance(folding, events);
      this.#desired().apply(allMembersOf(events));
      return true;
    } catch (error) {
      this.#failure = error as Error;
      this.#failed.next(this.#failure);
      return false;
    }
  }
}

/**
 * The read models of a running panel, grouped by topic. They are updated in the tick in which an append is acknowledged, so a
 * read after a write sees it.
 */
export class LogReadModels {
  readonly clients: ClientQueries;
  readonly inbounds: InboundQueries;
  readonly usage: UsageQueries;
  readonly nodes: NodeQueries;
  readonly identity: IdentityQueries;
  readonly settings: SettingQueries;
  readonly records: RecordQueries;
  readonly admins: AdminQueries;
  readonly follower: Follower;
  readonly #models: Foldings;
  #desired: DesiredCore | null = null;
  readonly #changed = new Subject<readonly RecordedEvent[]>();

  /**
   * Catches up with the log, then follows it. The folds of `alongside` catch up in the same pass. `folded`: models of an
   * earlier moment, which stay as they are.
   */
  constructor(
    log: Pick<EventLog, 'read' | 'appended$'>,
    snapshots?: Pick<SnapshotStore, 'load'>,
    alongside: readonly Folding[] = [],
    folded?: Foldings,
  ) {
    const models = folded ?? startFolds(snapshots);
    this.#models = models;
    if (!folded) catchUp(log, [...alongside, ...Object.values(models)]);
    // Most questions about an earlier moment do not need it.
    if (!folded) this.#desired = desiredOf(models);
    this.follower = new Follower(models, () => this.desired);
    this.clients = new ClientQueries(models);
    this.inbounds = new InboundQueries(models);
    this.usage = new UsageQueries(models, this.clients);
    this.nodes = new NodeQueries(models);
    this.identity = new IdentityQueries(models, log);
    this.settings = new SettingQueries(models);
    this.records = new RecordQueries(models);
    this.admins = new AdminQueries(models);
    log.appended$.subscribe((events) => {
      if (this.follower.apply(events)) this.#changed.next(allMembersOf(events));
    });
  }

  /** The configuration that the core must run. */
  get desired(): DesiredCore {
    this.#desired ??= desiredOf(this.#models);
    return this.#desired;
  }

  /** Each batch of events, after all models have applied it. Events about many clients are replaced by their members. */
  get changed$(): Observable<readonly RecordedEvent[]> {
    return this.#changed;
  }

  /**
   * The same read models for a caller who sees only a part of the clients: all others do not exist. `since`: these are the
   * models of an earlier moment, of which the caller sees what was visible then and is still.
   */
  limitedTo(access: Access, since?: SinceMoment): ReadModels {
    const { owners } = this.#models.access.state;
    const covered = (by: Access, inbound: number, owner: number | undefined) =>
      by.covers('clients:read', inbound, owner);
    const sees = ({ number, inbound }: Client): boolean => {
      const owner = owners.get(number);
      if (!covered(access, inbound, owner)) return false;
      if (since === undefined) return true;
      const latest = since.owners.get(number);
      return (
        covered(since.access, inbound, owner) && (latest === undefined || covered(access, inbound, latest ?? undefined))
      );
    };
    const seesInbound = (id: number): boolean => access.inbounds.has(id) && (since?.access.reaches(id) ?? true);
    const clients = new ClientQueries(this.#models, sees);
    return {
      ...{ clients, inbounds: new InboundQueries(this.#models, seesInbound) },
      usage: new UsageQueries(this.#models, clients, this.usage.online),
      ...{ nodes: this.nodes, identity: this.identity, settings: this.settings },
      ...{ records: this.records, admins: this.admins },
      ...{ follower: this.follower, desired: this.desired, changed$: this.changed$ },
      limitedTo: (other, past) => this.limitedTo(other, past),
    };
  }
}

/** The read models as their readers know them. */
export type ReadModels = Pick<LogReadModels, keyof LogReadModels>;
