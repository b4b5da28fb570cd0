import { type Access, accessOf } from '../../events/access/access-of.js';
import { BUILT_IN_ROLES } from '../../events/access/roles.js';
import type { Token } from '../../events/access/token-document.js';
import { TokenChanged, TokenCreated, TokenRevoked, TokenRotated, TokenUsed } from '../../events/access/tokens.js';
import type { PanelEvent } from '../../events/catalog.js';
import { type InboundId, TokenId, type UserId } from '../../events/ids.js';
import type { Caused } from '../../events/log/event.js';
import { cidrs } from '../../events/settings/setting-fields.js';
import { composed, sameName, unclearIn } from '../../lib/identifiers.js';
import { sameJson } from '../../lib/json.js';
import type { PermissionName, Scope } from '../../lib/permissions.js';
import { message, type Text } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import { type Rejection, reject } from '../rejection.js';
import type { PanelState } from '../state.js';
import { accessProblem } from './access-rules.js';

const HOUR_MS = 3_600_000;
const MAX_NAME_CHARS = 64;
/** Each is checked with each request. */
const MAX_ADDRESSES = 256;
/** The longest time for which two secrets of a token are valid. */
const MAX_OVERLAP_HOURS = 720;

/** A secret that was just generated. Commands never contain the secret itself. */
interface NewSecret {
  readonly prefix: string;
  /** SHA-256, hex. */
  readonly hash: string;
}

interface RequestedToken {
  readonly name: string;
  readonly role: string;
  readonly inbounds: readonly InboundId[];
  readonly admin: UserId | null;
  readonly expiresAt: number;
  readonly addresses: readonly string[];
}

type ChangedToken = { readonly [K in keyof RequestedToken]?: RequestedToken[K] | undefined };

export type TokenCommand =
  | Command<'CreateToken', RequestedToken & NewSecret>
  /** What is absent stays as it is. */
  | Command<'ChangeToken', ChangedToken & { readonly token: TokenId }>
  | Command<'RotateToken', NewSecret & { readonly token: TokenId; readonly overlapHours: number }>
  | Command<'RevokeToken', { readonly token: TokenId }>
  /** `requests`: since the last recorded use. */
  | Command<'RecordTokenUse', { readonly token: TokenId; readonly requests: number }>;

export const tokens: Decider<TokenCommand> = {
  CreateToken({ prefix, hash, ...requested }, state, { now }) {
    const token = normalized(requested);
    const refused = tokenProblem(state, token, now, null);
    if (refused) return refused;
    const id = TokenId.parse(state.access.lastToken + 1);
    const { name, ...rest } = token;
    return [TokenCreated({ token: id, label: { name }, prefix, secret: { hash }, ...rest })];
  },

  ChangeToken({ token: id, ...requested }, state, { now }) {
    const current = state.access.tokens.get(id);
    if (!current) return reject('TOKEN_NOT_FOUND', { token: id });
    const { name, role, inbounds, admin, expiresAt, addresses } = current;
    const before = { name, role, inbounds: inbounds as readonly InboundId[], admin, expiresAt, addresses };
    const token = normalized(changed(before, requested));
    if (sameJson(token, before)) return [];
    const refused = tokenProblem(state, token, now, current);
    if (refused) return refused;
    const { name: label, ...rest } = token;
    return [TokenChanged({ token: id, label: { name: label }, ...rest })];
  },

  RotateToken({ token: id, prefix, hash, overlapHours }, { access }, { now }) {
    const token = access.tokens.get(id);
    if (!token) return reject('TOKEN_NOT_FOUND', { token: id });
    if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > MAX_OVERLAP_HOURS)
      return invalid(message('access.tokenOverlap', { hours: overlapHours, most: MAX_OVERLAP_HOURS }));
    if (token.expiresAt !== 0 && token.expiresAt <= now) return invalid(message('access.tokenExpired'));
    const previousUntil = now + overlapHours * HOUR_MS;
    return [TokenRotated({ token: id, prefix, secret: { hash }, previousUntil })];
  },

  RevokeToken({ token: id }, { access }) {
    if (!access.tokens.has(id)) return reject('TOKEN_NOT_FOUND', { token: id });
    return [TokenRevoked({ token: id })];
  },

  RecordTokenUse({ token: id, requests }, { access }) {
    return access.tokens.has(id) ? [TokenUsed({ token: id, requests })] : [];
  },
};

/** The tokens of an admin end with the account. */
export function revokedWith({ access }: PanelState, admin: number): readonly Caused<PanelEvent>[] {
  return [...access.tokens.values()]
    .filter((token) => token.admin === admin)
    .map(({ id }) => TokenRevoked({ token: TokenId.parse(id) }));
}

const invalid = (why: Text): Rejection => reject('TOKEN_INVALID', { why });

const changed = (before: RequestedToken, changes: ChangedToken): RequestedToken => ({
  name: changes.name ?? before.name,
  role: changes.role ?? before.role,
  inbounds: changes.inbounds ?? before.inbounds,
  admin: changes.admin === undefined ? before.admin : changes.admin,
  expiresAt: changes.expiresAt ?? before.expiresAt,
  addresses: changes.addresses ?? before.addresses,
});

const normalized = ({ name, role, inbounds, admin, expiresAt, addresses }: RequestedToken) => ({
  ...{ name: composed(name.trim()), role, inbounds: [...new Set(inbounds)], admin, expiresAt },
  addresses: [...new Set(addresses)],
});

/** Why there cannot be such a token, or null. `current`: the token that becomes it; null = a new one. */
function tokenProblem(state: PanelState, token: RequestedToken, now: number, current: Token | null): Rejection | null {
  const { name, role, admin, expiresAt, addresses } = token;
  const why = nameProblem(state, name, current) ?? addressProblem(addresses);
  if (why !== null) return invalid(why);
  if (role === '') return invalid(message('access.tokenRoleMissing'));
  if (admin !== null && !state.users.has(admin)) return reject('ADMIN_NOT_FOUND', { admin });
  if (expiresAt !== 0 && expiresAt <= now && expiresAt !== current?.expiresAt)
    return invalid(message('access.tokenExpiryPast', { at: expiresAt }));
  const problem = accessProblem(state, { ...token, quotas: NO_LIMITS }, null);
  if (problem) return problem;
  const grants = BUILT_IN_ROLES.get(role) ?? state.access.roles.get(role) ?? [];
  if (admin === null)
    return grants.some(({ scope }) => scope === 'own') ? invalid(message('access.tokenAdminMissing', { role })) : null;
  const owner = accessOf(state.access, admin);
  const outside = token.inbounds.find((inbound) => owner.hasLimits && !owner.inbounds.has(inbound));
  if (outside !== undefined) return invalid(message('access.tokenInboundOutside', { inbound: outside }));
  const missing = grants.find(({ permission, scope }) => !covers(owner, permission, scope));
  return missing ? invalid(message('access.tokenExceedsAdmin', { permission: missing.permission })) : null;
}

/** Names are unique, so that the command line and the log can name a token. */
function nameProblem({ access }: PanelState, name: string, current: Token | null): Text | null {
  if (name === '' || name.length > MAX_NAME_CHARS) return message('access.tokenName', { most: MAX_NAME_CHARS });
  const hidden = unclearIn(name);
  if (hidden !== null) return message('access.tokenNameInvisible', { code: hidden });
  const taken = [...access.tokens.values()].some((other) => other.id !== current?.id && sameName(other.name, name));
  return taken ? message('access.tokenNameTaken', { name }) : null;
}

function addressProblem(addresses: readonly string[]): Text | null {
  if (addresses.length > MAX_ADDRESSES) return message('access.tokenAddresses', { most: MAX_ADDRESSES });
  const wrong = addresses.find((address) => !cidrs.safeParse([address]).success);
  return wrong === undefined ? null : message('access.tokenAddress', { address: wrong.slice(0, MAX_NAME_CHARS) });
}

/** Whether an admin has a permission at least as widely as a role gives it. */
function covers(owner: Access, permission: string, scope: Scope): boolean {
  const has = owner.scopeOf(permission as PermissionName);
  return has === 'all' || has === scope || (has === 'inbounds' && scope === 'own');
}

const NO_LIMITS = { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 };
