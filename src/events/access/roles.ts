import { ACTIONS, PERMISSION_NAMES, type PermissionName, type Resource, type Scope } from '../../lib/permissions.js';
import type { RoleGrant } from './access.js';

/** The role of the first admin, and of every account without a role of its own. */
export const OWNER = 'owner';

const namesOf = (...resources: readonly Resource[]): readonly PermissionName[] =>
  PERMISSION_NAMES.filter((name) => resources.some((resource) => name.startsWith(`${resource}:`)));

/** Only owners have these: with one of them an admin could become an owner, or read the API token. */
export const RESERVED: ReadonlySet<PermissionName> = new Set([
  ...namesOf('tokens'),
  ...(['admins:create', 'admins:update', 'admins:delete'] as const),
]);
/** What every admin may do, and callers that see only a part of the clients too. */
export const BASIC: readonly PermissionName[] = [...namesOf('account', 'docs', 'keys')];
/**
 * Withheld from operators: downloading or replacing the whole state, secrets and the master key, legal holds, bug reports and
 * recounts.
 */
const OWNERS_ONLY: ReadonlySet<PermissionName> = new Set([
  ...RESERVED,
  ...(['admins:read', 'secrets:update', 'backups:export', 'backups:restore', 'personalData:hold'] as const),
  ...(['audit:export', 'audit:recount', 'cluster:create'] as const),
]);

const grants = (names: readonly PermissionName[], scope: Scope = 'all'): readonly RoleGrant[] =>
  names.map((permission) => ({ permission, scope }));

/** The roles that every panel has. */
export const BUILT_IN_ROLES: ReadonlyMap<string, readonly RoleGrant[]> = new Map([
  [OWNER, grants(PERMISSION_NAMES)],
  ['operator', grants(PERMISSION_NAMES.filter((name) => !OWNERS_ONLY.has(name)))],
  ['support', grants([...BASIC, 'clients:read', 'clients:reset', 'clients:extend'])],
  [
    'auditor',
    grants([...BASIC, ...PERMISSION_NAMES.filter((name) => name.endsWith(':read') && !name.startsWith('tokens'))]),
  ],
  [
    'reseller',
    [
      ...grants(BASIC),
      ...grants(['clients:read', 'clients:create', 'clients:update', 'clients:extend', 'clients:delete'], 'own'),
      // The event feed, and the undo of own changes.
      ...grants(['audit:read', 'audit:undo'], 'own'),
    ],
  ],
  ['metrics', grants(['metrics:read'])],
  [
    'monitoring',
    grants([
      ...([
        'metrics:read',
        'server:read',
        'cluster:read',
        'nodes:read',
        'backups:read',
        'releases:read',
        'geo:read',
      ] as const),
    ]),
  ],
]);

const known: ReadonlySet<string> = new Set(PERMISSION_NAMES);
export const isPermission = (name: string): name is PermissionName => known.has(name);

/** The actions on clients: the only permissions that may be limited to some clients. */
export const CLIENT_PERMISSIONS: ReadonlySet<string> = new Set(ACTIONS.clients.map((action) => `clients:${action}`));

/**
 * The permissions that may be limited to some clients: also the event feed, which then has the events of those clients, and
 * the undo of own changes of clients.
 */
export const LIMITABLE: ReadonlySet<string> = new Set([...CLIENT_PERMISSIONS, 'audit:read', 'audit:undo']);
