import { z } from 'zod';
import type { Scope } from '../../lib/permissions.js';
import { Bytes, Count, oneOf } from '../fields.js';
import { ClientNumber, InboundId, UserId } from '../ids.js';
import { defineEvent } from '../log/event.js';

const roleName = z.string().min(1).describe('Name of the role.');

const RoleGrant = z
  .strictObject({
    permission: z.string().describe('Resource and action, for example `clients:read`.'),
    scope: oneOf({
      all: 'everywhere',
      own: 'for clients that the admin owns, in the inbounds given to the admin',
      inbounds: 'for all clients of the inbounds given to the admin',
    } satisfies Record<Scope, string>).describe('Where it holds.'),
  })
  .describe('A permission, and where it holds.');
export type RoleGrant = z.output<typeof RoleGrant>;

/** Limits of what an admin may give to clients; 0 = no limit. */
const Quotas = z
  .strictObject({
    clients: Count.describe('Most clients that the admin may own; 0 = no limit.'),
    totalBytes: Bytes.describe('Largest sum of the caps of these clients; 0 = no limit.'),
    clientBytes: Bytes.describe('Largest cap that the admin may give to one client; 0 = no limit.'),
    days: Count.meta({ unit: 'days', description: 'Latest expiry that the admin may set, from now; 0 = no limit.' }),
  })
  .describe('Limits of what the admin may give to clients.');
export type Quotas = z.output<typeof Quotas>;

const roleStream = ({ role }: { role: string }) => `role-${role}`;

export const RoleDefined = defineEvent('RoleDefined', {
  summary: 'An owner created a role or changed its permissions.',
  recordedBy: { DefineRole: 'an owner saves a role' },
  data: z.strictObject({ role: roleName, grants: z.array(RoleGrant).describe('All permissions of the role.') }),
  stream: roleStream,
});

export const RoleDeleted = defineEvent('RoleDeleted', {
  summary: 'An owner deleted a role.',
  recordedBy: { DeleteRole: 'an owner deletes a role that no admin and no token has' },
  data: z.strictObject({ role: roleName }),
  stream: roleStream,
});

export const AdminAccessChanged = defineEvent('AdminAccessChanged', {
  summary: 'The role, the inbounds or the quotas of an admin changed. An admin without this event is an owner.',
  recordedBy: {
    CreateUser: 'an admin with another role than owner is added',
    ChangeAdminAccess: 'an owner changes the access of an admin',
    RestoreInbound: 'the deletion of an inbound is undone that the admin was given',
  },
  data: z.strictObject({
    user: UserId,
    role: roleName,
    inbounds: z.array(InboundId).describe('Inbounds given to the admin, for permissions that do not hold everywhere.'),
    quotas: Quotas,
  }),
  stream: ({ user }) => `user-${user}`,
});

export const AdminDeleted = defineEvent('AdminDeleted', {
  summary: 'An admin account was deleted. Its sessions have ended.',
  recordedBy: { DeleteAdmin: 'an owner deletes an admin' },
  data: z.strictObject({ user: UserId }),
  stream: ({ user }) => `user-${user}`,
});

export const OwnerAssigned = defineEvent('OwnerAssigned', {
  summary: 'Clients got another owner. Before that, the owner of a client is the admin who added it.',
  recordedBy: {
    HandOverClients: 'an owner of the panel hands clients over',
    DeleteAdmin: 'an admin who owns clients is deleted',
    MoveClients: 'a client is moved that the caller does not own',
    AddClients: 'a deleted client that the caller did not own is added again',
    RestoreInbound: 'a deleted inbound is added again with clients that the caller did not own',
    RestoreOwners: 'a deletion or a change of owners is undone',
  },
  data: z.strictObject({
    clients: z.array(ClientNumber).describe('Numbers of the clients.'),
    owner: UserId.nullable().describe('The new owner; null = none.'),
  }),
  stream: () => 'client-owners',
});

export const CommandRefused = defineEvent('CommandRefused', {
  summary: 'Requests of an admin or a token were refused. At most one event a minute for each caller and reason.',
  recordedBy: { RecordRefusals: 'a permission is missing or a quota is reached' },
  class: 'measured',
  data: z.strictObject({
    reason: oneOf({
      permission: 'the role lacks the permission',
      scope: 'the request concerns clients or inbounds of others',
      quota: 'a quota would be exceeded',
    }).describe('Why.'),
    permission: z.string().describe('The permission that the request needs; empty for a quota.'),
    count: z.int().positive().meta({ unit: 'count', description: 'Number of refused requests.' }),
  }),
  stream: () => 'refusals',
});

export const accessEvents = [
  RoleDefined,
  RoleDeleted,
  AdminAccessChanged,
  AdminDeleted,
  OwnerAssigned,
  CommandRefused,
] as const;
