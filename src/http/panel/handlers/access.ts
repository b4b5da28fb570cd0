import { Rejection, reject } from '../../../commands/rejection.js';
import { credentialProblem } from '../../../commands/user/credential-rules.js';
import { BUILT_IN_ROLES, CLIENT_PERMISSIONS, RESERVED } from '../../../events/access/roles.js';
import type { ClientNumber, InboundId, UserId } from '../../../events/ids.js';
import { PERMISSION_NAMES } from '../../../lib/permissions.js';
import { message } from '../../../messages/message.js';
import type { UserRow } from '../../../projections/models/users.js';
import type { ReadModels } from '../../../projections/read-models.js';
import { messageOf } from '../answers.js';
import type { Needs } from '../context.js';
import type { adminRoutes, roleRoutes } from '../contract/access.js';
import type { Handlers } from '../mount.js';
import { Message } from '../outcomes.js';

export const adminHandlers: Handlers<typeof adminRoutes, Needs<'read' | 'passwords'>> = {
  list: (_, { read }) =>
    [...read.admins.users().users.values()].map((user) => ({ id: user.id, ...adminOf(read, user) })),

  me(_, { read }, { access, actor, userId }) {
    // A permission that another one includes is listed as well.
    const grants = PERMISSION_NAMES.flatMap((permission) => {
      const scope = access.scopeOf(permission);
      return scope === null ? [] : [{ permission, scope }];
    });
    const user = actor.kind === 'user' ? read.admins.users().users.get(userId) : undefined;
    if (user) return { ...adminOf(read, user), grants };
    // A token has the limits of the admin to whom it belongs, within its own.
    const { role, inbounds, quotas } = access;
    const limits = { inbounds: [...inbounds], quotas, ...ownedBy(read, access.admin), lastLoginAt: 0 };
    return { username: actor.name, role, ...limits, grants };
  },

  async add({ body: { username, password, role, inbounds, quotas } }, { passwords, read }, { dispatch, refusalOf }) {
    const weakness = credentialProblem(username, password);
    if (weakness !== null) return reject('CREDENTIALS_WEAK', { why: weakness });
    const data = { username, passwordHash: '', access: { role, inbounds: inbounds as InboundId[], quotas } };
    const refused = refusalOf({ type: 'CreateUser', data });
    if (refused) return refused;
    const passwordHash = await passwords.hash(password);
    const done = dispatch({ type: 'CreateUser', data: { ...data, passwordHash } });
    if (done instanceof Rejection) return done;
    const created = done.events.find(({ type }) => type === 'UserCreated');
    return { id: created?.type === 'UserCreated' ? created.data.user : Math.max(...read.admins.users().users.keys()) };
  },

  setAccess({ params: { id }, body: { role, inbounds, quotas } }, _, { dispatch }) {
    const data = { user: id as UserId, role, inbounds: inbounds as InboundId[] | undefined, quotas };
    return messageOf(dispatch({ type: 'ChangeAdminAccess', data }), message('access.adminSaved'));
  },

  async setPassword({ params: { id }, body: { password } }, { passwords, read }, { dispatch }) {
    const username = read.admins.users().users.get(id)?.username;
    if (username === undefined) return reject('ADMIN_NOT_FOUND', { admin: id });
    const weakness = credentialProblem(username, password, username);
    if (weakness !== null) return reject('CREDENTIALS_WEAK', { why: weakness });
    const passwordHash = await passwords.hash(password);
    const data = { user: id as UserId, username, passwordHash };
    return messageOf(dispatch({ type: 'ChangeCredentials', data }), message('access.adminSaved'));
  },

  del({ params: { id }, body: { owner } }, _, { dispatch }) {
    const data = { user: id as UserId, owner: owner === 0 ? null : (owner as UserId) };
    return messageOf(dispatch({ type: 'DeleteAdmin', data }), message('access.adminRemoved'));
  },

  handOver({ body: { clients, from, owner } }, { read }, { dispatch }) {
    if (from !== 0 && !read.admins.users().users.has(from)) return reject('ADMIN_NOT_FOUND', { admin: from });
    const owned = [...read.admins.access().owners].flatMap(([client, one]) => (one === from ? [client] : []));
    const data = {
      clients: [...new Set([...clients, ...owned])] as ClientNumber[],
      owner: owner === 0 ? null : (owner as UserId),
    };
    const done = dispatch({ type: 'HandOverClients', data });
    if (done instanceof Rejection) return done;
    const changed = done.events.flatMap((event) => (event.type === 'OwnerAssigned' ? event.data.clients : []));
    return new Message(message('access.handedOver'), { clients: changed });
  },
};

export const roleHandlers: Handlers<typeof roleRoutes, Needs<'read'>> = {
  list(_, { read }) {
    const held = [...read.admins.users().users.keys()].map((id) => read.admins.accessOf(id).role);
    const roles = [...BUILT_IN_ROLES, ...read.admins.access().roles].map(([name, grants]) => ({
      ...{ name, builtIn: BUILT_IN_ROLES.has(name), grants: [...grants] },
      admins: held.filter((role) => role === name).length,
    }));
    const permissions = PERMISSION_NAMES.map((permission) => ({
      ...{ permission, reserved: RESERVED.has(permission), scoped: CLIENT_PERMISSIONS.has(permission) },
    }));
    return { roles, permissions };
  },

  save: ({ body: { name, grants } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'DefineRole', data: { role: name, grants } }), message('access.roleSaved')),

  del: ({ params: { name } }, _, { dispatch }) =>
    messageOf(dispatch({ type: 'DeleteRole', data: { role: name } }), message('access.roleRemoved')),
};

function adminOf(read: ReadModels, { id, username }: UserRow) {
  const { role, inbounds, quotas } = read.admins.accessOf(id);
  const lastLoginAt = read.admins.users().lastLogins.get(id) ?? 0;
  return { username, role, inbounds: [...inbounds], quotas, ...ownedBy(read, id), lastLoginAt };
}

/** How many clients an admin owns, and the sum of their caps; null = no admin. */
function ownedBy(read: ReadModels, admin: number | null) {
  if (admin === null) return { clients: 0, capBytes: 0 };
  const owned = [...read.admins.access().owners].flatMap(([client, owner]) =>
    owner === admin ? (read.clients.get(client) ?? []) : [],
  );
  return { clients: owned.length, capBytes: owned.reduce((sum, { spec }) => sum + spec.capBytes, 0) };
}
