import type { Quotas, RoleGrant } from '../../events/access/access.js';
import { accessOf } from '../../events/access/access-of.js';
import {
  BASIC,
  BUILT_IN_ROLES,
  CLIENT_PERMISSIONS,
  isPermission,
  LIMITABLE,
  OWNER,
  RESERVED,
} from '../../events/access/roles.js';
import type { ClientNumber, InboundId } from '../../events/ids.js';
import { message, type Text } from '../../messages/message.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';

/** The access that an admin gets. */
export interface RequestedAccess {
  readonly role: string;
  readonly inbounds: readonly InboundId[];
  readonly quotas: Quotas;
}

/** Characters of a wrong name in a message. */
export const MAX_SHOWN = 64;
const ROLE_NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Another access of an admin; what is absent stays as it is. */
export interface ChangedAccess {
  readonly role?: string | undefined;
  readonly inbounds?: readonly InboundId[] | undefined;
  readonly quotas?: { readonly [Q in keyof Quotas]?: Quotas[Q] | undefined } | undefined;
}

/** The access that an admin has after a change. */
export function accessAfter({ access }: PanelState, user: number, changes: ChangedAccess): RequestedAccess {
  const { role, inbounds, quotas } = accessOf(access, user);
  const { clients, totalBytes, clientBytes, days } = changes.quotas ?? {};
  return {
    role: changes.role ?? role,
    inbounds: [...new Set(changes.inbounds ?? ([...inbounds] as InboundId[]))],
    quotas: {
      clients: clients ?? quotas.clients,
      totalBytes: totalBytes ?? quotas.totalBytes,
      clientBytes: clientBytes ?? quotas.clientBytes,
      days: days ?? quotas.days,
    },
  };
}

/** Why a role cannot have this name and these permissions, or null. */
export function roleProblem(role: string, grants: readonly RoleGrant[]): Text | null {
  if (!ROLE_NAME.test(role)) return message('access.roleName', { role: role.slice(0, MAX_SHOWN) });
  if (BUILT_IN_ROLES.has(role)) return message('access.roleBuiltIn', { role });
  if (grants.length === 0) return message('access.roleEmpty');
  const names = new Set<string>();
  for (const { permission, scope } of grants) {
    if (!isPermission(permission))
      return message('access.permissionUnknown', { permission: permission.slice(0, MAX_SHOWN) });
    if (names.has(permission)) return message('access.permissionTwice', { permission });
    names.add(permission);
    if (RESERVED.has(permission)) return message('access.permissionReserved', { permission });
    if (scope !== 'all' && !LIMITABLE.has(permission)) return message('access.scopeUnsupported', { permission });
  }
  return limitedProblem(grants);
}

/** A role that sees only some clients must not see the others through another resource. */
function limitedProblem(grants: readonly RoleGrant[]): Text | null {
  const onClients = grants.filter(
    ({ permission, scope }) => CLIENT_PERMISSIONS.has(permission) || (LIMITABLE.has(permission) && scope !== 'all'),
  );
  const read = onClients.find(({ permission }) => permission === 'clients:read')?.scope;
  if (onClients.length > 0 && read === undefined) return message('access.readMissing');
  if (read === undefined || read === 'all') return null;
  const wider = onClients.find(({ scope }) => scope !== read && !(read === 'inbounds' && scope === 'own'));
  if (wider) return message('access.scopeWider', { permission: wider.permission });
  const other = grants.find((grant) => !onClients.includes(grant) && !BASIC.some((name) => name === grant.permission));
  return other ? message('access.showsOthers', { permission: other.permission }) : null;
}

/** Why an admin cannot get this access, or null. `user`: the account; null = it is being created. */
export function accessProblem(state: PanelState, access: RequestedAccess, user: number | null): Rejection | null {
  const { roles, owners } = state.access;
  if (access.role === '') {
    const names = [...BUILT_IN_ROLES.keys(), ...roles.keys()];
    return reject('ACCESS_INVALID', { why: message('access.roleMissing', { roles: names }) });
  }
  const grants = BUILT_IN_ROLES.get(access.role) ?? roles.get(access.role);
  if (!grants) return reject('ROLE_NOT_FOUND', { role: access.role.slice(0, MAX_SHOWN) });
  const unknown = access.inbounds.find((inbound) => !state.inbounds.has(inbound));
  if (unknown !== undefined) return reject('INBOUND_NOT_FOUND', { inbound: unknown });
  const isLimited = grants.some(({ scope }) => scope !== 'all');
  if (isLimited && access.inbounds.length === 0) return reject('ACCESS_INVALID', { why: message('access.noInbounds') });
  if (user === null) return null;
  const owned = [...owners].flatMap(([client, owner]) => (owner === user ? [client] : []));
  const { clients, totalBytes } = access.quotas;
  if (clients > 0 && owned.length > clients)
    return reject('ACCESS_INVALID', {
      why: message('access.quotaBelowClients', { most: clients, present: owned.length }),
    });
  const caps = owned.reduce((sum, number) => sum + (capOf(state, number) ?? 0), 0);
  if (totalBytes > 0 && caps > totalBytes)
    return reject('ACCESS_INVALID', { why: message('access.quotaBelowBytes', { most: totalBytes, present: caps }) });
  return null;
}

/** The cap of a client; undefined = no such client. */
export const capOf = (state: PanelState, number: number): number | undefined =>
  state.clients.get(number as ClientNumber)?.spec.capBytes;

/** Whether the panel would have no owner without this account. */
export function isLastOwner({ users, access }: PanelState, user: number): boolean {
  const roleOf = (id: number): string => access.admins.get(id)?.role ?? OWNER;
  return roleOf(user) === OWNER && [...users.keys()].every((id) => id === user || roleOf(id) !== OWNER);
}
