import type { FormerOwner } from '../../../../commands/client/former-owners.js';
import { ownersBefore } from '../../../../commands/undo/owners.js';
import type { ClientNumber } from '../../../../events/ids.js';
import type { Needs } from '../../context.js';

/**
 * The owners of deleted clients that come back, by email. Of the clients that were deleted with an email, the last one counts;
 * only those of the inbound do. For a caller who sees only a part of the clients there are none, so
 * that what it adds is its own.
 */
export async function formerOwners(
  { read, audit }: Needs<'read' | 'audit'>,
  emails: readonly string[],
  inbound: number,
): Promise<readonly FormerOwner[]> {
  const former = new Map<string, ClientNumber>();
  for (const email of emails) {
    const deleted = read.clients.deleted(email).filter((one) => one.inbound === inbound);
    const last = deleted.at(-1);
    if (last) former.set(email, last.number);
  }
  const owners = await ownersBefore(audit.log, audit.log.head().position + 1, new Set(former.values()));
  return [...former].map(([email, client]) => ({ email, owner: owners.get(client) ?? null }));
}
