import { type Rejection, reject } from '../../commands/rejection.js';
import type { Access } from '../../events/access/access-of.js';
import { permissionName } from '../../lib/permissions.js';
import type { Route } from './contract/route.js';

/** Why a caller may not call a route, or null. */
export function refusalOf({ permission, filtered }: Route, access: Access): Rejection | null {
  if (permission === null || access.isOwner) return null;
  const name = permissionName(permission);
  const scope = access.scopeOf(name);
  if (scope === null) return reject('FORBIDDEN', { permission: name });
  return scope === 'all' || filtered ? null : reject('OUT_OF_SCOPE', { permission: name });
}
