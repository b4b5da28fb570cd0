import { type Observable, Subject } from 'rxjs';
import type { RecordedEvent } from '../events/catalog.js';
import { type Fold, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import { advance, catchUp, type Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import { DesiredCore } from './core/desired-core.js';
import { beginAll, type Foldings } from './foldings.js';
import { ClientQueries } from './queries/clients.js';
import { IdentityQueries } from './queries/identity.js';
import { InboundQueries } from './queries/inbounds.js';
import { NodeQueries } from './queries/nodes.js';
import { RecordQueries } from './queries/records.js';
import { SettingQueries } from './queries/settings.js';
import { UsageQueries } from './queries/usage.js';

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

/** Keeps the folds at the head of the log: they follow it in the tick in which an append is acknowledged. */
class Follower {
  readonly #models: Foldings;
  readonly #desired: DesiredCore;
  readonly #failed = new Subject<Error>();
  #failure: Error | null = null;

  constructor(models: Foldings, desired: DesiredCore) {
    this.#models = models;
    this.#desired = desired;
  }

  get foldings(): readonly Folding[] {
    return Object.values(this.#models);
  }

  /** By the name of the read model. */
  digests(): Readonly<Record<string, string>> {
    return { ...digestsOf(this.#models), 'core-config': this.#desired.digest() };
  }

  /** A fold threw: no model moves any more, and nothing may be written. */
  get failed$(): Observable<Error> {
    return this.#failed;
  }

  /** False once a fold has failed. */
  take(events: readonly RecordedEvent[]): boolean {
    if (this.#failure) return false;
    try {
      for (const folding of this.foldings) advance(folding, events);
      this.#desired.apply(events);
      return true;
    } catch (error) {
      this.#failure = error as Error;
      this.#failed.next(this.#failure);
      return false;
    }
  }
}

/**
 * The read models of a running panel, by the question that is asked. They follow the log in the same tick in which an
 * append is acknowledged, so a read after a write sees it.
 */
export class ReadModels {
  readonly clients: ClientQueries;
  readonly inbounds: InboundQueries;
  readonly usage: UsageQueries;
  readonly nodes: NodeQueries;
  readonly identity: IdentityQueries;
  readonly settings: SettingQueries;
  readonly records: RecordQueries;
  readonly follower: Follower;
  /** The configuration that the core must run. */
  readonly desired: DesiredCore;
  readonly #models: Foldings;
  readonly #changed = new Subject<readonly RecordedEvent[]>();

  /** Catches up with the log, then follows it. The folds of `alongside` catch up in the same reading. */
  constructor(log: EventLog, snapshots?: SnapshotStore, alongside: readonly Folding[] = []) {
    const models = beginAll(snapshots);
    this.#models = models;
    catchUp(log, [...alongside, ...Object.values(models)]);
    this.desired = desiredOf(models);
    this.follower = new Follower(models, this.desired);
    this.clients = new ClientQueries(models);
    this.inbounds = new InboundQueries(models);
    this.usage = new UsageQueries(models, this.clients);
    this.nodes = new NodeQueries(models);
    this.identity = new IdentityQueries(models, log);
    this.settings = new SettingQueries(models);
    this.records = new RecordQueries(models);
    log.appended$.subscribe((events) => {
      if (this.follower.take(events)) this.#changed.next(events);
    });
  }

  /** Each batch, after every model has folded it. */
  get changed$(): Observable<readonly RecordedEvent[]> {
    return this.#changed;
  }

  core() {
    return this.#models.coreState.state;
  }

  users() {
    return this.#models.users.state;
  }
}
