/** What a role may do: every resource of the panel with its actions. A permission is one action on one resource. */
export const ACTIONS = {
  /** The caller's own account and sessions. */
  account: ['read', 'update'],
  /** `extend` is a later expiry or a larger cap, `reset` a change of counters. */
  clients: ['read', 'create', 'update', 'extend', 'reset', 'delete'],
  inbounds: ['read', 'create', 'update', 'reset', 'delete'],
  nodes: ['read', 'create', 'update', 'delete', 'run'],
  /** The core template, its outbounds, and the core process. */
  core: ['read', 'update', 'run'],
  settings: ['read', 'update'],
  /** Secret settings, and settings that decide who may log in. */
  secrets: ['update'],
  /** `export` downloads a backup, which contains all secrets. */
  backups: ['read', 'create', 'export', 'restore'],
  /** The log for auditors, the event feed, and undo. `export` downloads a bug report, `recount` counts traffic again. */
  audit: ['read', 'undo', 'export', 'recount'],
  /** `export` returns all data of a client, `erase` destroys it; `hold` places and releases legal holds. */
  personalData: ['read', 'export', 'erase', 'hold'],
  /** `run` tests a webhook, sends events again, or skips some. */
  webhooks: ['read', 'create', 'update', 'delete', 'run'],
  /** Signed heads and proofs of the log: `run` signs and publishes a head, `create` stores a head of another panel. */
  proof: ['read', 'run', 'create'],
  /** Admins and their roles. */
  admins: ['read', 'create', 'update', 'delete'],
  /** The API token, and access tokens with a role. */
  tokens: ['read', 'create', 'update', 'delete'],
  /** `create` lets a machine join, which gets the master key; `run` hands the leadership over and compares the stream. */
  cluster: ['read', 'create', 'run', 'delete'],
  /** The machine and the panel process. */
  server: ['read', 'run'],
  logs: ['read'],
  /** Figures for monitoring, without clients. */
  metrics: ['read'],
  geo: ['read', 'create', 'update', 'delete', 'run'],
  /** Versions of the core and of the panel. */
  releases: ['read', 'run'],
  /** Generators of keys, ids and certificates. They change nothing. */
  keys: ['create'],
  /** The documentation of the API. */
  docs: ['read'],
} as const;

export type Resource = keyof typeof ACTIONS;
type ActionOn<R extends Resource> = (typeof ACTIONS)[R][number];

/** One action on one resource. A combination that does not exist does not compile. */
export type Permission = {
  readonly [R in Resource]: { readonly resource: R; readonly action: ActionOn<R> };
}[Resource];

/** A permission as text, for example `clients:read`. */
export type PermissionName = { readonly [R in Resource]: `${R}:${ActionOn<R>}` }[Resource];

export function permissionName({ resource, action }: Permission): PermissionName {
  return `${resource}:${action}` as PermissionName;
}

/** Every permission, by resource. */
export const PERMISSION_NAMES: readonly PermissionName[] = Object.entries(ACTIONS).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}` as PermissionName),
);

/**
 * Where a permission holds: everywhere, for the clients that the admin created, or for all clients of the inbounds that the
 * admin was given.
 */
export const SCOPES = ['all', 'own', 'inbounds'] as const;
export type Scope = (typeof SCOPES)[number];
