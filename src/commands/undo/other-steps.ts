import type { RoleGrant } from '../../events/access/access.js';
import type { AdminAccess } from '../../events/access/access-document.js';
import { applyToToken, type Token } from '../../events/access/token-document.js';
import type { RecordedEvent } from '../../events/catalog.js';
import { evolveGeoSources, type GeoSource } from '../../events/geo/geo-document.js';
import type { GeoSourceId, HoldId, InboundId, TokenId, UserId, WebhookId } from '../../events/ids.js';
import type { LogSearch } from '../../events/log/log-search.js';
import { evolveHolds, type LegalHold } from '../../events/personal-data/hold-document.js';
import { evolveWebhooks, noWebhooks, type Webhook } from '../../events/webhook/webhook-document.js';
import { type Noun, type Step, stepsOf } from './steps.js';

/** The documents beside clients, inbounds and nodes that a command changed, each before and after it. */
export interface OtherSteps {
  readonly roles: ReadonlyMap<string, Step<readonly RoleGrant[]>>;
  /** What was set for an admin; null = an owner. */
  readonly admins: ReadonlyMap<UserId, Step<AdminAccess>>;
  readonly tokens: ReadonlyMap<TokenId, Step<Token>>;
  readonly webhooks: ReadonlyMap<WebhookId, Step<Webhook>>;
  readonly holds: ReadonlyMap<HoldId, Step<LegalHold>>;
  readonly geoSources: ReadonlyMap<GeoSourceId, Step<GeoSource>>;
  /** When the counters of an inbound had last been reset before the command reset them, ms since 1970; 0 = never. */
  readonly resetAt: ReadonlyMap<InboundId, number>;
}

export async function otherSteps(log: LogSearch, events: readonly RecordedEvent[]): Promise<OtherSteps> {
  return {
    roles: await stepsOf(log, events, ROLE, (roles, event) => {
      if (event.type === 'RoleDefined') roles.set(event.data.role, event.data.grants);
      if (event.type === 'RoleDeleted') roles.delete(event.data.role);
    }),
    admins: await stepsOf(log, events, ADMIN, (admins, event) => {
      if (event.type !== 'AdminAccessChanged') return;
      const { user, ...access } = event.data;
      admins.set(user, access);
    }),
    tokens: await stepsOf(log, events, TOKEN, (tokens: Map<TokenId, Token>, event) =>
      applyToToken({ tokens, secrets: new Map(), lastToken: 0 }, event),
    ),
    webhooks: await stepsOf(log, events, WEBHOOK, (byId, event) => evolveWebhooks({ ...noWebhooks(), byId }, event)),
    holds: await stepsOf(log, events, HOLD, evolveHolds),
    geoSources: await stepsOf(log, events, GEO_SOURCE, evolveGeoSources),
    resetAt: formerResets(log, events),
  };
}

/** A kind of document whose number or name is in a field of its events. */
function noun<K>(field: string, types: Noun<K>['types']): Noun<K> {
  return {
    types,
    // `types` are those with this field, and it has the type of the number or name there.
    numberIn: ({ type, data }) =>
      types.includes(type) ? ((data as unknown as Readonly<Record<string, K>>)[field] ?? null) : null,
  };
}

const ROLE = noun<string>('role', ['RoleDefined', 'RoleDeleted']);
const ADMIN = noun<UserId>('user', ['AdminAccessChanged']);
const TOKEN = noun<TokenId>('token', ['TokenCreated', 'TokenChanged', 'TokenRotated', 'TokenRevoked']);
const WEBHOOK = noun<WebhookId>('webhook', [
  ...(['WebhookAdded', 'WebhookUpdated', 'WebhookSecretRotated', 'WebhookPaused', 'WebhookResumed'] as const),
  'WebhookDeleted',
]);
const HOLD = noun<HoldId>('hold', ['LegalHoldPlaced', 'LegalHoldReleased']);
const GEO_SOURCE = noun<GeoSourceId>('source', ['GeoSourceAdded', 'GeoSourceUpdated', 'GeoSourceDeleted']);

function formerResets(log: Pick<LogSearch, 'earlier'>, events: readonly RecordedEvent[]) {
  const resets = new Map<InboundId, number>();
  for (const { type, data, stream, position } of events) {
    if (type !== 'InboundTrafficReset') continue;
    const [former] = log.earlier(stream, position, ['InboundTrafficReset', 'InboundHistoryImported']);
    const at = former?.type === 'InboundHistoryImported' ? former.data.resetAt : (former?.meta.at ?? 0);
    resets.set(data.inbound, at);
  }
  return resets;
}
