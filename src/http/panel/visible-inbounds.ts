import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { HttpRequest, Needs } from './context.js';

/**
 * The inbounds that lists show to the caller. As in 3x-ui, an owner sees those that this owner added, not those of another owner;
 * inbounds of other admins are seen by every owner. All other admins see what their role covers.
 */
export function visibleInbounds(
  { read }: Needs<'read'>,
  { access, userId }: Pick<HttpRequest, 'access' | 'userId'>,
): readonly Inbound[] {
  const all = read.inbounds.all();
  if (!access.isOwner) return all;
  const owners = new Set([...read.admins.users().users.keys()].filter((id) => read.admins.accessOf(id).isOwner));
  return all.filter(({ owner }) => owner === userId || !owners.has(owner));
}
