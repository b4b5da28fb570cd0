import type { Access } from '../../events/access/access-of.js';
import type { RecordedEvent } from '../../events/catalog.js';
import type { PermissionName } from '../../lib/permissions.js';
import type { Push } from '../../projections/pushes.js';
import type { ReadModels } from '../../projections/read-models.js';
import type { FormerOwners } from './former-owners.js';
import type { TrafficPush } from './traffic-push.js';

/** What a caller must be allowed to read to receive `invalidate` of a resource. */
const RESOURCES: Readonly<Record<string, PermissionName>> = {
  inbounds: 'clients:read',
  outbounds: 'core:read',
  core: 'core:read',
  settings: 'settings:read',
  users: 'admins:read',
  nodes: 'nodes:read',
  'custom-geo': 'geo:read',
  webhooks: 'webhooks:read',
  'personal-data': 'personalData:read',
};

const readsAll = (access: Access, permission: PermissionName): boolean => access.scopeOf(permission) === 'all';

/** Whether the status of the machine is for this caller. */
export const getsStatus = (access: Access): boolean => readsAll(access, 'server:read');

/** Whether a message is for this caller. `events`: the batch that caused it; `former` and `before`: the owners and the access before it. */
export function getsPush(
  access: Access,
  push: Push,
  events: readonly RecordedEvent[],
  { read, former, before }: { readonly read: ReadModels; readonly former: FormerOwners; readonly before: Access },
): boolean {
  if (access.isOwner) return true;
  switch (push.type) {
    case 'xrayState':
      return readsAll(access, 'server:read');
    case 'notification':
      // It may name any client.
      return readsAll(access, 'clients:read') && readsAll(access, 'server:read');
    case 'invalidate': {
      const permission = RESOURCES[push.resource];
      if (permission === undefined || access.scopeOf(permission) === null) return false;
      if (readsAll(access, permission)) return true;
      return events.some(
        (event) =>
          concerns(access, event, read) ||
          former.sawLost(before, event) ||
          (CHANGES_OF_ACCESS.has(event.type) && access !== before),
      );
    }
  }
}

/** Events of an inbound that change what its clients connect to, or whether they can connect. */
const CHANGES_OF_INBOUND: ReadonlySet<RecordedEvent['type']> = new Set([
  ...(['InboundUpdated', 'InboundReconfigured', 'InboundEnabled', 'InboundDisabled'] as const),
  ...(['InboundDepleted', 'InboundReactivated', 'InboundRejectedByCore', 'InboundAcceptedByCore'] as const),
]);

/** Events that can change which inbounds and clients a caller sees. The access of others stays the same object. */
const CHANGES_OF_ACCESS: ReadonlySet<RecordedEvent['type']> = new Set([
  ...(['AdminAccessChanged', 'RoleDefined', 'TokenChanged', 'InboundDeleted'] as const),
]);

/** Whether an event is about a client or an inbound that the caller sees. */
function concerns(access: Access, { type, data }: RecordedEvent, read: ReadModels): boolean {
  if (CHANGES_OF_INBOUND.has(type)) return 'inbound' in data && access.inbounds.has(Number(data.inbound));
  if (type === 'OwnerAssigned') return data.clients.some((client) => covers(access, client, read));
  if (!('client' in data) || typeof data.client !== 'number') return false;
  return covers(access, data.client, read);
}

function covers(access: Access, number: number, read: ReadModels): boolean {
  const client = read.clients.get(number);
  return client !== undefined && access.covers('clients:read', client.inbound, read.admins.access().owners.get(number));
}

/** The part of the traffic that is for this caller; null = none. */
export function trafficFor(access: Access, traffic: TrafficPush, read: ReadModels): TrafficPush | null {
  const scope = access.scopeOf('clients:read');
  if (scope === null) return null;
  const inbounds = readsAll(access, 'inbounds:read') ? traffic.inbounds : [];
  const clients =
    scope === 'all' ? traffic.clients : traffic.clients.filter(([number]) => covers(access, number, read));
  return clients.length + inbounds.length > 0 ? { ...traffic, clients, inbounds } : null;
}
