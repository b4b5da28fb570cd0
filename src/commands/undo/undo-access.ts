import type { AccessState, AdminAccess } from '../../events/access/access-document.js';
import { NO_QUOTAS } from '../../events/access/access-of.js';
import { OWNER } from '../../events/access/roles.js';
import type { Token } from '../../events/access/token-document.js';
import { type InboundId, TokenId, UserId } from '../../events/ids.js';
import { sameJson } from '../../lib/json.js';
import type { InboundHolders } from '../inbound/restore.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { CHANGED_SINCE, DELETED_SINCE, type Planning } from './planning.js';

/** An account for which nothing was set. */
const OWNER_ACCESS: AdminAccess = { role: OWNER, inbounds: [], quotas: NO_QUOTAS };

type Holder = Pick<AdminAccess, 'role' | 'inbounds'>;

/**
 * The admins and tokens that get a deleted inbound back: those that had it. One that has another role since was given other
 * access meanwhile.
 */
export function holdersBack(
  inbound: InboundId,
  former: AccessState | null,
  { users, access }: PanelState,
  planning: Planning,
): InboundHolders {
  const holders = (noun: string, before: ReadonlyMap<number, Holder>, now: ReadonlyMap<number, Holder>) =>
    [...before].flatMap(([number, { role, inbounds }]) => {
      const current = now.get(number);
      if (!inbounds.includes(inbound) || !current) return [];
      if (current.role === role) return [number];
      planning.cannot(`${noun}-${number}`, '', CHANGED_SINCE, 'inbounds');
      return [];
    });
  if (former === null) return { admins: [], tokens: [] };
  const present = new Map([...access.admins].filter(([user]) => users.has(UserId.parse(user))));
  const admins = holders('user', former.admins, present).map((number) => UserId.parse(number));
  const tokens = holders('token', former.tokens, access.tokens).map((number) => TokenId.parse(number));
  return { admins, tokens };
}

/** Roles come back before the admins and tokens that have them, and are deleted after these. */
export function accessBack(past: PastCommand, state: PanelState, planning: Planning): void {
  const { roles } = past.others;
  for (const [role, { before, after }] of roles) {
    if (before === null) continue;
    const [document, current] = [`role-${role}`, state.access.roles.get(role)];
    if (sameJson(current ?? null, before)) continue;
    if (!sameJson(current ?? null, after)) planning.cannot(document, role, CHANGED_SINCE);
    else planning.do(document, role, { type: 'DefineRole', data: { role, grants: before } });
  }
  adminsBack(past, state, planning);
  tokensBack(past, state, planning);
  for (const [role, { before, after }] of roles) {
    const current = state.access.roles.get(role);
    if (before !== null || current === undefined) continue;
    if (!sameJson(current, after)) planning.cannot(`role-${role}`, role, CHANGED_SINCE);
    else planning.do(`role-${role}`, role, { type: 'DeleteRole', data: { role } });
  }
}

/** The inbounds of an access that are left after the undo: those that the command added are deleted again. */
function left(inbounds: readonly number[], { inbounds: steps }: PastCommand, state: PanelState): readonly InboundId[] {
  return (inbounds as readonly InboundId[]).filter((id) => state.inbounds.has(id) && steps.get(id)?.before !== null);
}

function adminsBack(past: PastCommand, state: PanelState, planning: Planning): void {
  const { events, others } = past;
  const remaining = (access: AdminAccess) => ({ ...access, inbounds: left(access.inbounds, past, state) });
  for (const [user, { before, after }] of others.admins) {
    // An account that the command itself added is not taken back, so it keeps its role.
    if (events.some(({ type, data }) => type === 'UserCreated' && data.user === user)) continue;
    const [document, name] = [`user-${user}`, state.users.get(user)?.username ?? ''];
    const current = remaining(state.access.admins.get(user) ?? OWNER_ACCESS);
    const next = remaining(before ?? OWNER_ACCESS);
    if (!state.users.has(user)) planning.cannot(document, name, DELETED_SINCE);
    else if (sameJson(current, next)) continue;
    else if (!after || !sameJson(current, remaining(after))) planning.cannot(document, name, CHANGED_SINCE);
    else {
      planning.do(document, name, { type: 'ChangeAdminAccess', data: { user, ...next } });
    }
  }
}

function tokensBack(past: PastCommand, state: PanelState, planning: Planning): void {
  const { others } = past;
  const requested = ({ name, role, inbounds, admin, expiresAt, addresses }: Token) => ({
    ...{ name, role, inbounds: left(inbounds, past, state), admin, expiresAt, addresses },
  });
  for (const [token, { before, after }] of others.tokens) {
    // Why a revoked token does not come back is said for its event.
    if (after === null) continue;
    const [document, name] = [`token-${token}`, after.name];
    const current = state.access.tokens.get(token);
    if (before === null) {
      if (current) planning.do(document, name, { type: 'RevokeToken', data: { token } });
      continue;
    }
    if (!current) {
      planning.cannot(document, name, DELETED_SINCE);
      continue;
    }
    const step = { before: requested(before), after: requested(after) };
    const next = planning.merged(document, name, step, requested(current));
    if (!sameJson(next, requested(current)))
      planning.do(document, name, { type: 'ChangeToken', data: { token, ...next } });
  }
}
