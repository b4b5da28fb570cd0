import type { Observable } from 'rxjs';
import type { RecordedEvent } from '../../events/catalog.js';
import type { ClientQueries } from '../queries/clients.js';
import type { InboundQueries } from '../queries/inbounds.js';
import type { NodeQueries } from '../queries/nodes.js';
import type { RecordQueries } from '../queries/records.js';
import type { SettingQueries } from '../queries/settings.js';
import type { UsageQueries } from '../queries/usage.js';

/** The part of the read models that subscriptions are made from. */
export interface SubscriptionModels {
  readonly settings: Pick<SettingQueries, 'current'>;
  readonly clients: Pick<ClientQueries, 'bySubId' | 'count'>;
  readonly inbounds: Pick<InboundQueries, 'get' | 'all'>;
  readonly usage: Pick<UsageQueries, 'client' | 'lastOnline'>;
  readonly nodes: Pick<NodeQueries, 'get'>;
  readonly records: Pick<RecordQueries, 'members'>;
  /** Each batch of events, after the models have applied it. */
  readonly changed$: Observable<readonly RecordedEvent[]>;
}
