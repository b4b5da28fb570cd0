import type { AdminAccess } from '../../events/access/access-document.js';
import { NO_QUOTAS } from '../../events/access/access-of.js';
import { OWNER } from '../../events/access/roles.js';
import type { Token } from '../../events/access/token-document.js';
import type { InboundId } from '../../events/ids.js';
import { sameJson } from '../../lib/json.js';
import type { PanelState } from '../state.js';
import type { PastCommand } from './past-command.js';
import { CHANGED_SINCE, DELETED_SINCE, type Planning } from './planning.js';

/** An account for which nothing was set. */
const OWNER_ACCESS: AdminAccess = { role: OWNER, inbounds: [], quotas: NO_QUOTAS };

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

function adminsBack({ events, others }: PastCommand, state: PanelState, planning: Planning): void {
  for (const [user, { before, after }] of others.admins) {
    // An account that the command itself added is not taken back, so it keeps its role.
    if (events.some(({ type, data }) => type === 'UserCreated' && data.user === user)) continue;
    const [document, name] = [`user-${user}`, state.users.get(user)?.username ?? ''];
    const current = state.access.admins.get(user) ?? OWNER_ACCESS;
    const next = before ?? OWNER_ACCESS;
    if (!state.users.has(user)) planning.cannot(document, name, DELETED_SINCE);
    else if (sameJson(current, next)) continue;
    else if (!sameJson(current, after)) planning.cannot(document, name, CHANGED_SINCE);
    else {
      const data = { user, role: next.role, inbounds: next.inbounds as readonly InboundId[], quotas: next.quotas };
      planning.do(document, name, { type: 'ChangeAdminAccess', data });
    }
  }
}

function tokensBack({ others }: PastCommand, state: PanelState, planning: Planning): void {
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

const requested = ({ name, role, inbounds, admin, expiresAt, addresses }: Token) => ({
  ...{ name, role, inbounds: inbounds as readonly InboundId[], admin, expiresAt, addresses },
});
