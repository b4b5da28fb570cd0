import { type Observable, Subject } from 'rxjs';
import type { RecordedEvent } from '../../events/catalog.js';
import { allMembersOf } from '../../events/client/members.js';
import type { NodeId } from '../../events/ids.js';
import type { LogCursor, LogTail } from '../../events/log/log-tail.js';
import { advance, begin, type Folding } from '../../events/log/replay.js';
import type { SnapshotStore } from '../../events/log/snapshot-store.js';
import { clients } from '../models/clients.js';
import { inbounds } from '../models/inbounds.js';
import { members } from '../models/members.js';
import { settings } from '../models/settings.js';
import { traffic } from '../models/traffic.js';
import { nodes } from '../node/nodes.js';
import { ClientQueries } from '../queries/clients.js';
import { InboundQueries } from '../queries/inbounds.js';
import { SettingQueries } from '../queries/settings.js';
import { TrafficQueries } from '../queries/traffic.js';
import type { SubscriptionModels } from './models.js';

/**
 * What subscriptions need, folded from the log of another process. A caller that runs `catchUp` before it reads sees every
 * change that was acknowledged before. After an error the models must no longer be used.
 */
export class FollowedModels implements SubscriptionModels {
  readonly settings: SettingQueries;
  readonly clients: ClientQueries;
  readonly inbounds: InboundQueries;
  readonly usage: TrafficQueries;
  readonly nodes: SubscriptionModels['nodes'];
  readonly records: SubscriptionModels['records'];
  readonly #tail: LogTail;
  readonly #foldings: readonly Folding[];
  readonly #changed = new Subject<readonly RecordedEvent[]>();
  #cursor: LogCursor;

  /** Reads the whole log, from the snapshots where they can be used. Throws what `LogTail.read` throws. */
  constructor(tail: LogTail, snapshots?: Pick<SnapshotStore, 'load'>) {
    const models = {
      settings: begin(settings, snapshots),
      clients: begin(clients, snapshots),
      inbounds: begin(inbounds, snapshots),
      traffic: begin(traffic, snapshots),
      nodes: begin(nodes, snapshots),
      members: begin(members, snapshots),
    };
    this.settings = new SettingQueries(models);
    this.clients = new ClientQueries(models);
    this.inbounds = new InboundQueries(models);
    this.usage = new TrafficQueries(models);
    this.nodes = { get: (id) => models.nodes.state.documents.get(id as NodeId) };
    this.records = { members: () => models.members.state.members };
    this.#tail = tail;
    this.#foldings = Object.values(models);
    tail.moved();
    const start = tail.cursorAt(Math.min(...this.#foldings.map(({ position }) => position)));
    if (start === null) throw new Error('a snapshot is ahead of the log');
    this.#cursor = tail.read(start, (events) => this.#apply(events));
  }

  get changed$(): Observable<readonly RecordedEvent[]> {
    return this.#changed;
  }

  /** The last position that was applied. */
  get position(): number {
    return this.#cursor.position;
  }

  /** Applies what was appended since the last call. Throws what `LogTail.read` throws, and `FoldFailure`. */
  catchUp(): void {
    if (!this.#tail.moved()) return;
    this.#cursor = this.#tail.read(
      this.#cursor,
      (events) => {
        this.#apply(events);
        this.#changed.next(allMembersOf(events));
      },
      { verify: true },
    );
  }

  #apply(events: readonly RecordedEvent[]): void {
    for (const folding of this.#foldings) advance(folding, events);
  }
}
