import type { RecordedEvent } from '../events/catalog.js';
import type { Client } from '../events/client/client-document.js';
import type { EmailIndex } from '../events/client/email-index.js';
import type { ClientNumber, InboundId, NodeId } from '../events/ids.js';
import type { Inbound } from '../events/inbound/inbound-document.js';
import { nodeTokenKey } from '../events/node/node.js';
import type { Node } from '../events/node/node-document.js';
import { nodeUnmanagedItemsKey } from '../events/node/node-sync.js';
import { evolveHolds, extendHolds, type LegalHolds } from '../events/personal-data/hold-document.js';
import { holdKey } from '../events/personal-data/personal-data.js';
import { mayBePruned } from '../events/traffic/traffic.js';
import { webhookKey } from '../events/webhook/webhook.js';
import type { Webhooks } from '../events/webhook/webhook-document.js';

/** Data keys to destroy. Times in ms since 1970. */
interface Erasable {
  /** When the item was added; 0 = unknown. */
  readonly since: number;
  /** When it was deleted or replaced. */
  readonly at: number;
  readonly keys: readonly string[];
}

/** What is kept for a time, and what keeps it. */
export interface RetentionState {
  /** Deleted and replaced items whose keys still exist, by name. */
  readonly erasable: Map<string, Erasable>;
  /** The legal holds in force. */
  readonly holds: LegalHolds;
  lastHold: number;
  /** Used two-factor codes: `key version of the secret/time step` → when (ms since 1970). */
  readonly usedCodes: Map<string, number>;
  /** Measurements up to here are rolled up. */
  rolledTo: number;
}

/** The items whose keys are destroyed after they were deleted or replaced. */
interface Items {
  readonly clients: ReadonlyMap<ClientNumber, Client>;
  readonly inbounds: ReadonlyMap<InboundId, Inbound>;
  readonly nodes: ReadonlyMap<NodeId, Node>;
  readonly webhooks: Webhooks;
  readonly template: object | null;
  readonly byEmail: EmailIndex;
}

/** Remembers the keys of what an event deletes or replaces. To be called before the event is applied to the items. */
export function rememberKeys(state: RetentionState & Items, { type, data, meta: { at } }: RecordedEvent): void {
  const remember = (name: string, since: number, keys: readonly string[], due = at): void =>
    void state.erasable.set(name, { since, at: due, keys });
  switch (type) {
    case 'ClientDeleted': {
      const client = state.clients.get(data.client);
      const name = `client:${data.client}`;
      if (client) remember(name, client.createdAt, [`${name}/${client.keyVersion}`, `${name}/addresses`]);
      break;
    }
    case 'ClientCredentialRotated': {
      // The same decision destroys it, unless a legal hold keeps it.
      const key = `client:${data.client}/${data.keyVersion - 1}`;
      remember(key, state.clients.get(data.client)?.createdAt ?? 0, [key]);
      break;
    }
    case 'InboundDeleted': {
      const inbound = state.inbounds.get(data.inbound);
      const name = `inbound:${data.inbound}`;
      const keys = Array.from({ length: inbound?.keyVersion ?? 0 }, (_, i) => `${name}/config/${i + 1}`);
      if (inbound) remember(name, inbound.createdAt, keys);
      break;
    }
    case 'NodeDeleted': {
      const node = state.nodes.get(data.node);
      const keys = node ? [nodeTokenKey(node.id, node.keyVersion), nodeUnmanagedItemsKey(node.id)] : [];
      if (node) remember(`node:${node.id}`, node.createdAt, keys);
      break;
    }
    case 'CoreTemplateChanged': {
      const key = `core/template/${data.keyVersion - 1}`;
      if (state.template) remember(key, 0, [key]);
      break;
    }
    case 'WebhookSecretRotated': {
      const key = webhookKey(data.webhook, data.keyVersion - 1);
      remember(key, 0, [key], data.previousUntil);
      break;
    }
    case 'WebhookDeleted': {
      const webhook = state.webhooks.byId.get(data.webhook);
      const key = webhookKey(data.webhook, webhook?.keyVersion ?? 1);
      remember(key, webhook?.createdAt ?? 0, [key]);
      break;
    }
    case 'LegalHoldReleased':
      remember(holdKey(data.hold), 0, [holdKey(data.hold)]);
      break;
    default:
  }
}

/** To be called after the event was applied to the items. */
export function evolveRetention(state: RetentionState & Items, event: RecordedEvent): void {
  evolveHolds(state.holds, event);
  switch (event.type) {
    case 'MeasurementsRolledUp':
      state.rolledTo = event.data.toPosition;
      // The events of used codes are pruned. Forgets them here too, as a replay does.
      for (const [code, at] of state.usedCodes) if (mayBePruned(event.data, at)) state.usedCodes.delete(code);
      break;
    case 'DataKeyDestroyed': {
      const name = state.erasable.has(event.data.key) ? event.data.key : event.data.key.replace(/\/.*/, '');
      const rest = state.erasable.get(name);
      if (!rest) break;
      const keys = rest.keys.filter((key) => key !== event.data.key);
      if (keys.length === 0) state.erasable.delete(name);
      else state.erasable.set(name, { ...rest, keys });
      break;
    }
    case 'LegalHoldPlaced':
      state.lastHold = Math.max(state.lastHold, event.data.hold);
      break;
    case 'ClientAdded':
      // A hold on a client is one on all clients with its email, including later ones.
      if (state.holds.size > 0) extendHolds(state.holds, state.byEmail.siblings(event.data.client) ?? []);
      break;
    default:
  }
}
