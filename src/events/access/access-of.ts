import { PERMISSION_NAMES, type PermissionName, type Scope } from '../../lib/permissions.js';
import type { Actor } from '../log/event.js';
import type { Quotas, RoleGrant } from './access.js';
import type { AccessState, AdminAccess } from './access-document.js';
import { BUILT_IN_ROLES, OWNER, RESERVED } from './roles.js';
import type { Token } from './token-document.js';

export const NO_QUOTAS: Quotas = { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 };

/** What a caller may do. */
export class Access {
  readonly role: string;
  /** Number of the account; null = not an admin. */
  readonly admin: number | null;
  readonly inbounds: ReadonlySet<number>;
  readonly quotas: Quotas;
  /** Whether any permission holds for a part of the clients only. */
  readonly hasLimits: boolean;
  readonly #scopes: ReadonlyMap<string, Scope>;

  constructor(role: string, admin: number | null, grants: readonly RoleGrant[], given: Omit<AdminAccess, 'role'>) {
    this.role = role;
    this.admin = admin;
    this.inbounds = new Set(given.inbounds);
    this.quotas = given.quotas;
    this.hasLimits = grants.some(({ scope }) => scope !== 'all');
    this.#scopes = new Map(grants.map(({ permission, scope }) => [permission, scope]));
  }

  /** Whether everything is permitted. A token with the role of owners cannot manage admins and tokens. */
  get isOwner(): boolean {
    return this.#scopes.size === PERMISSION_NAMES.length;
  }

  /** Whether the caller sees only a part of the clients. */
  get isLimited(): boolean {
    return (this.#scopes.get('clients:read') ?? 'all') !== 'all';
  }

  /** Where a permission holds; null = nowhere. A client that may be updated may also be extended. */
  scopeOf(permission: PermissionName): Scope | null {
    const scope = this.#scopes.get(permission) ?? null;
    return permission === 'clients:extend' ? wider(scope, this.#scopes.get('clients:update') ?? null) : scope;
  }

  /** Whether clients of an inbound can be visible. */
  reaches(inbound: number): boolean {
    const scope = this.scopeOf('clients:read');
    return scope === 'all' || (scope !== null && this.inbounds.has(inbound));
  }

  /** Whether a permission holds for a client with this owner. */
  covers(permission: PermissionName, inbound: number, owner: number | undefined): boolean {
    const scope = this.scopeOf(permission);
    if (scope === null || scope === 'all') return scope === 'all';
    return this.inbounds.has(inbound) && (scope === 'inbounds' || (owner !== undefined && owner === this.admin));
  }
}

/** The id of the API token as an actor. Other tokens have numbers. */
export const API_TOKEN = 'api';

const grantsOf = (state: AccessState, role: string): readonly RoleGrant[] =>
  BUILT_IN_ROLES.get(role) ?? state.roles.get(role) ?? [];

const FULL = { inbounds: [], quotas: NO_QUOTAS };
const ownerGrants = BUILT_IN_ROLES.get(OWNER) ?? [];
/** The access of the API token, the command line, the chat bot and the panel itself. */
export const FULL_ACCESS = new Access(OWNER, null, ownerGrants, FULL);

interface Known {
  readonly grants: readonly RoleGrant[];
  readonly access: Access;
}
/** Documents are immutable, so what follows from one is computed once. */
const resolved = new WeakMap<AdminAccess, Known>();
const owners = new Map<number, Access>();

/** What an admin may do. */
export function accessOf(state: AccessState, admin: number): Access {
  const set = state.admins.get(admin);
  if (!set) {
    const made = owners.get(admin) ?? new Access(OWNER, admin, ownerGrants, FULL);
    owners.set(admin, made);
    return made;
  }
  const grants = grantsOf(state, set.role);
  const known = resolved.get(set);
  if (known?.grants === grants) return known.access;
  const access = new Access(set.role, admin, grants, set);
  resolved.set(set, { grants, access });
  return access;
}

interface KnownToken extends Known {
  readonly owner: Access | null;
}
const resolvedTokens = new WeakMap<Token, KnownToken>();

/** What a token may do: what its role permits, within what the admin to whom it belongs may do now. */
export function accessOfToken(state: AccessState, token: Token): Access {
  const grants = grantsOf(state, token.role);
  const owner = token.admin === null ? null : accessOf(state, token.admin);
  const known = resolvedTokens.get(token);
  if (known?.grants === grants && known.owner === owner) return known.access;
  const limited = grants.some(({ scope }) => scope !== 'all');
  const inbounds = limited ? token.inbounds : [...(owner?.inbounds ?? [])];
  const access = new Access(
    token.role,
    token.admin,
    grants.flatMap((grant) => within(owner, grant)),
    {
      inbounds: owner?.hasLimits ? inbounds.filter((id) => owner.inbounds.has(id)) : inbounds,
      quotas: owner?.quotas ?? NO_QUOTAS,
    },
  );
  resolvedTokens.set(token, { grants, owner, access });
  return access;
}

/** A permission of a token within the access of its admin. A stolen token must not create others. */
function within(owner: Access | null, { permission, scope }: RoleGrant): readonly RoleGrant[] {
  const name = permission as PermissionName;
  const most = owner === null ? 'all' : owner.scopeOf(name);
  if (most === null || RESERVED.has(name)) return [];
  return [{ permission, scope: NARROW.indexOf(most) < NARROW.indexOf(scope) ? most : scope }];
}
/** From the narrowest scope to the widest. */
const NARROW: readonly Scope[] = ['own', 'inbounds', 'all'];

function wider(one: Scope | null, other: Scope | null): Scope | null {
  if (one === null || other === null) return one ?? other;
  return NARROW.indexOf(one) > NARROW.indexOf(other) ? one : other;
}

/** The access of an actor that does not exist. */
export const NOTHING = new Access('', null, [], FULL);

/** What the actor of a command may do. Only admins and named tokens may have less than full access. */
export function accessOfActor(state: AccessState, { kind, id }: Actor): Access {
  if (kind === 'user') return accessOf(state, Number(id));
  if (kind !== 'token' || id === API_TOKEN) return FULL_ACCESS;
  const token = state.tokens.get(Number(id));
  return token ? accessOfToken(state, token) : NOTHING;
}
