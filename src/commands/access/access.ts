import type { RoleGrant } from '../../events/access/access.js';
import {
  AdminAccessChanged,
  AdminDeleted,
  CommandRefused,
  OwnerAssigned,
  RoleDefined,
  RoleDeleted,
} from '../../events/access/access.js';
import { BUILT_IN_ROLES, OWNER } from '../../events/access/roles.js';
import { type ClientNumber, type UserId } from '../../events/ids.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import { sameJson } from '../../lib/json.js';
import { message } from '../../messages/message.js';
import { siblingsOf } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import { reject } from '../rejection.js';
import { factorKeys } from '../user/second-factors.js';
import { accessAfter, accessProblem, type ChangedAccess, isLastOwner, MAX_SHOWN, roleProblem } from './access-rules.js';
import { handOverProblem } from './quotas.js';
import { revokedWith } from './tokens.js';

/** A client and the admin to whom it belongs; null = none. */
interface ClientOwner {
  readonly client: ClientNumber;
  readonly owner: UserId | null;
}

export type AccessCommand =
  | Command<'DefineRole', { readonly role: string; readonly grants: readonly RoleGrant[] }>
  | Command<'DeleteRole', { readonly role: string }>
  | Command<'ChangeAdminAccess', { readonly user: UserId } & ChangedAccess>
  /** `owner`: the admin who gets the clients; absent or null = they have no owner. */
  | Command<'DeleteAdmin', { readonly user: UserId; readonly owner?: UserId | null }>
  /** With a client, all clients with its email are handed over. `owner` null = no owner. */
  | Command<'HandOverClients', { readonly clients: readonly ClientNumber[]; readonly owner: UserId | null }>
  /** Gives each client the owner that it had before a command that is undone; null = no owner. Its siblings keep theirs. */
  | Command<'RestoreOwners', { readonly owners: readonly ClientOwner[] }>
  | Command<'RecordRefusals', Parameters<typeof CommandRefused>[0]>;

export const access: Decider<AccessCommand> = {
  DefineRole({ role, grants }, state) {
    const why = roleProblem(role, grants);
    if (why !== null) return reject('ROLE_INVALID', { why });
    if (sameJson(state.access.roles.get(role), grants)) return [];
    return [RoleDefined({ role, grants: [...grants] })];
  },

  DeleteRole({ role }, { access: { roles, admins, tokens } }) {
    if (BUILT_IN_ROLES.has(role)) return reject('ROLE_INVALID', { why: message('access.roleBuiltIn', { role }) });
    if (!roles.has(role)) return reject('ROLE_NOT_FOUND', { role: role.slice(0, MAX_SHOWN) });
    const holders = [...admins.values(), ...tokens.values()].filter((holder) => holder.role === role).length;
    if (holders > 0) return reject('ROLE_INVALID', { why: message('access.roleUsed', { role, count: holders }) });
    return [RoleDeleted({ role })];
  },

  ChangeAdminAccess({ user, ...changes }, state) {
    if (!state.users.has(user)) return reject('ADMIN_NOT_FOUND', { admin: user });
    const next = accessAfter(state, user, changes);
    const problem = accessProblem(state, next, user);
    if (problem) return problem;
    if (next.role !== OWNER && isLastOwner(state, user)) return reject('LAST_OWNER');
    const current = state.access.admins.get(user);
    if (sameJson(current, next) || (current === undefined && next.role === OWNER)) return [];
    return [AdminAccessChanged({ user, ...next, inbounds: [...next.inbounds] })];
  },

  DeleteAdmin({ user, owner = null }, state) {
    const current = state.users.get(user);
    if (!current) return reject('ADMIN_NOT_FOUND', { admin: user });
    // The deleted admin cannot keep the clients.
    if (owner !== null && (owner === user || !state.users.has(owner)))
      return reject('ADMIN_NOT_FOUND', { admin: owner });
    if (isLastOwner(state, user)) return reject('LAST_OWNER');
    const owned: readonly ClientNumber[] = [...state.access.owners].flatMap(([client, owner]) =>
      owner === user ? [client as ClientNumber] : [],
    );
    const exceeded = handOverProblem(state, owned, owner);
    if (exceeded) return exceeded;
    return [
      ...(owned.length > 0 ? [OwnerAssigned({ clients: [...owned], owner })] : []),
      ...revokedWith(state, user),
      AdminDeleted({ user }),
      DataKeyDestroyed({ key: current.key, reason: 'erased' }),
      ...factorKeys(state, user).map((key) => DataKeyDestroyed({ key, reason: 'erased' })),
    ];
  },

  HandOverClients({ clients, owner }, state) {
    if (owner !== null && !state.users.has(owner)) return reject('ADMIN_NOT_FOUND', { admin: owner });
    const all = new Set<ClientNumber>();
    for (const number of clients) {
      const client = state.clients.get(number);
      if (!client) return reject('CLIENT_NOT_FOUND', { client: String(number) });
      for (const sibling of siblingsOf(state, client)) all.add(sibling.number);
    }
    const changed = [...all].filter((number) => (state.access.owners.get(number) ?? null) !== owner);
    if (changed.length === 0) return [];
    return handOverProblem(state, changed, owner) ?? [OwnerAssigned({ clients: changed, owner })];
  },

  RestoreOwners({ owners }, state) {
    const clientsOf = new Map<UserId | null, ClientNumber[]>();
    for (const { client, owner } of owners) {
      if (owner !== null && !state.users.has(owner)) return reject('ADMIN_NOT_FOUND', { admin: owner });
      if (!state.clients.has(client) || (state.access.owners.get(client) ?? null) === owner) continue;
      clientsOf.set(owner, [...(clientsOf.get(owner) ?? []), client]);
    }
    return [...clientsOf].map(([owner, clients]) => OwnerAssigned({ clients, owner }));
  },

  RecordRefusals: (data) => [CommandRefused(data)],
};
