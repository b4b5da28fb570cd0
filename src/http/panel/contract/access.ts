import { z } from 'zod';
import { SCOPES } from '../../../lib/permissions.js';
import { get, post, routes } from './route.js';
import { body, Id, optionalText, optionalWhole, plainText, whole } from './schemas/fields.js';
import { Session } from './schemas/session.js';

const Grant = z.object({ permission: z.string(), scope: z.enum(SCOPES) });
const Quotas = z.object({ clients: z.int(), totalBytes: z.int(), clientBytes: z.int(), days: z.int() });

const Admin = z
  .object({
    id: z.int(),
    username: z.string(),
    role: z.string(),
    /** Numbers of the inbounds given to the admin, for permissions that do not hold everywhere. */
    inbounds: z.array(z.int()),
    /** Limits of what the admin may give to clients; 0 = no limit. `days`: the latest expiry from now. */
    quotas: Quotas,
    /** How many clients the admin owns, and the sum of their caps in bytes. */
    clients: z.int(),
    capBytes: z.int(),
    /** In ms since 1970; 0 = not known. */
    lastLoginAt: z.int(),
  })
  .meta({ id: 'Admin' });

const access = {
  /** Required: an empty one is refused with a list of the roles. */
  role: plainText,
  inbounds: z.array(z.int()).default([]),
  /** Absent = 0, no limit. */
  quotas: z
    .object({
      ...{ clients: whole({ min: 0 }), totalBytes: whole({ min: 0 }) },
      ...{ clientBytes: whole({ min: 0 }), days: whole({ min: 0, max: 36_500 }) },
    })
    .default({ clients: 0, totalBytes: 0, clientBytes: 0, days: 0 }),
};
const limit = optionalWhole({ min: 0 });
/** What is absent stays as it is. */
const changedAccess = {
  role: optionalText,
  inbounds: z.array(z.int()).optional(),
  quotas: z
    .object({
      ...{ clients: limit, totalBytes: limit, clientBytes: limit },
      days: optionalWhole({ min: 0, max: 36_500 }),
    })
    .optional(),
};
const params = z.object({ id: Id });

/** Admins, and what they may do. */
export const adminRoutes = routes('/panel/api/admins', {
  list: get('/list', {
    permission: { resource: 'admins', action: 'read' },
    summary: 'List the admins with their roles, quotas and clients',
    reply: z.array(Admin),
  }),
  me: get('/me', {
    permission: { resource: 'account', action: 'read' },
    summary: 'Get the role, the permissions and the quotas of the caller',
    reply: Admin.omit({ id: true }).extend({ grants: z.array(Grant) }),
  }),
  add: post('/add', {
    permission: { resource: 'admins', action: 'create' },
    summary: 'Add an admin',
    body: body({ username: plainText, password: plainText, ...access }),
    reply: z.object({ id: z.int() }),
  }),
  setAccess: post('/access/:id', {
    permission: { resource: 'admins', action: 'update' },
    summary: 'Set the role, the inbounds and the quotas of an admin; what is absent stays as it is',
    params,
    body: body(changedAccess),
  }),
  setPassword: post('/password/:id', {
    permission: { resource: 'admins', action: 'update' },
    summary: 'Set another password for an admin; the sessions of the admin end',
    params,
    body: body({ password: plainText }),
  }),
  del: post('/del/:id', {
    permission: { resource: 'admins', action: 'delete' },
    summary: 'Delete an admin; the clients of the admin stay and get another owner, or none',
    params,
    body: body({
      /** Number of the admin who gets the clients; 0 = they have no owner. */
      owner: whole({ min: 0 }),
    }),
  }),
  handOver: post('/handOver', {
    permission: { resource: 'admins', action: 'update' },
    summary: 'Hand clients over to an admin; clients with the same email go along',
    body: body({
      /** Numbers of clients. */
      clients: z.array(z.int()).default([]),
      /** Number of an admin whose clients are all handed over too; 0 = none. */
      from: whole({ min: 0 }),
      /** Number of the admin; 0 = no owner. */
      owner: whole({ min: 0 }),
    }),
    /** Numbers of the clients that changed their owner. */
    reply: z.object({ clients: z.array(z.int()) }),
  }),
});

/** The sessions of other admins. */
export const adminSessionRoutes = routes('/panel/api/admins', {
  sessions: get('/sessions/:id', {
    permission: { resource: 'admins', action: 'read' },
    summary: 'List the sessions of an admin, the newest first',
    params,
    reply: z.array(Session),
  }),
  endSessions: post('/endSessions/:id', {
    permission: { resource: 'admins', action: 'update' },
    summary: 'End one session of an admin, or all of them; a caller who ends all own ones keeps that of the request',
    params,
    body: body({
      /** The `id` of a session; absent = all. */
      session: optionalText,
    }),
  }),
});

/** Roles: built-in ones, and those that owners make. */
export const roleRoutes = routes('/panel/api/roles', {
  list: get('/list', {
    permission: { resource: 'admins', action: 'read' },
    summary: 'List the roles with their permissions, and all permissions that exist',
    reply: z.object({
      roles: z.array(
        z.object({
          name: z.string(),
          builtIn: z.boolean(),
          grants: z.array(Grant),
          /** How many admins have it. */
          admins: z.int(),
        }),
      ),
      permissions: z.array(
        z.object({
          permission: z.string(),
          /** Whether only the role owner has it. */
          reserved: z.boolean(),
          /** Whether it may be limited to some clients. */
          scoped: z.boolean(),
        }),
      ),
    }),
  }),
  save: post('/save', {
    permission: { resource: 'admins', action: 'update' },
    summary: 'Create a role, or change its permissions',
    body: body({
      name: plainText,
      grants: z.array(z.object({ permission: z.string(), scope: z.enum(SCOPES).default('all') })).default([]),
    }),
  }),
  del: post('/del/:name', {
    permission: { resource: 'admins', action: 'delete' },
    summary: 'Delete a role that no admin has',
    params: z.object({ name: z.string() }),
  }),
});
