import { OwnerAssigned } from '../../events/access/access.js';
import type { PanelEvent } from '../../events/catalog.js';
import { emailKey } from '../../events/client/client-document.js';
import type { ClientNumber, UserId } from '../../events/ids.js';
import type { PanelState } from '../state.js';

/** The owner that a deleted client had; null = none. */
export interface FormerOwner {
  readonly email: string;
  readonly owner: UserId | null;
}

/**
 * The events that give clients, which a decision adds again, the owners that they had. `adding`: the owner of what the caller
 * adds. A client whose owner was deleted meanwhile has none.
 */
export function ownersKept(
  events: readonly PanelEvent[],
  former: readonly FormerOwner[],
  state: Pick<PanelState, 'users'>,
  adding: number | null,
): readonly PanelEvent[] {
  const byEmail = new Map(former.map(({ email, owner }) => [emailKey(email), owner]));
  const clientsOf = new Map<UserId | null, ClientNumber[]>();
  for (const { type, data } of events) {
    const owner = type === 'ClientAdded' ? byEmail.get(emailKey(data.identity.email)) : undefined;
    if (type !== 'ClientAdded' || owner === undefined) continue;
    const kept = owner !== null && state.users.has(owner) ? owner : null;
    if (kept !== adding) clientsOf.set(kept, [...(clientsOf.get(kept) ?? []), data.client]);
  }
  return [...clientsOf].map(([owner, clients]) => OwnerAssigned({ clients, owner }));
}
