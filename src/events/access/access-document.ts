import type { RecordedEvent } from '../catalog.js';
import type { Actor } from '../log/event.js';
import type { Quotas, RoleGrant } from './access.js';
import { applyToToken, type TokenState } from './token-document.js';

/** What was set for an admin. */
export interface AdminAccess {
  readonly role: string;
  readonly inbounds: readonly number[];
  readonly quotas: Quotas;
}

/** Roles, what each admin and each token may do, and the owner of each client. */
export interface AccessState extends TokenState {
  /** By number of the account. An account without an entry is an owner. */
  readonly admins: Map<number, AdminAccess>;
  /** The roles that owners made, by name. */
  readonly roles: Map<string, readonly RoleGrant[]>;
  /** The admin who owns a client. Clients of the panel itself, the API token and the chat bot have no entry. */
  readonly owners: Map<number, number>;
  /** The highest number of an account so far. */
  lastAdmin: number;
}

const NO_ACCESS: AdminAccess = {
  role: '',
  inbounds: [],
  quotas: { clients: 0, totalBytes: 0, clientBytes: 0, days: 0 },
};

export const noAccess = (): AccessState => ({
  ...{ admins: new Map(), roles: new Map(), owners: new Map(), lastAdmin: 0 },
  ...{ tokens: new Map(), secrets: new Map(), lastToken: 0 },
});

/** Applies one event. Events of other nouns are ignored. */
export function evolveAccess(state: AccessState, event: RecordedEvent): void {
  switch (event.type) {
    case 'RoleDefined':
      state.roles.set(event.data.role, event.data.grants);
      break;
    case 'RoleDeleted':
      state.roles.delete(event.data.role);
      break;
    case 'UserCreated':
      state.lastAdmin = Math.max(state.lastAdmin, event.data.user);
      break;
    case 'AdminAccessChanged': {
      const { user, role, inbounds, quotas } = event.data;
      state.admins.set(user, { role, inbounds, quotas });
      break;
    }
    case 'AdminDeleted':
      // A request that is still running must not fall back to the access of an owner.
      state.admins.set(event.data.user, NO_ACCESS);
      break;
    case 'ClientAdded': {
      const owner = ownerOfAdded(state, event.meta.actor);
      if (owner !== null) state.owners.set(event.data.client, owner);
      break;
    }
    case 'ClientDeleted':
      state.owners.delete(event.data.client);
      break;
    case 'OwnerAssigned':
      for (const client of event.data.clients) {
        if (event.data.owner === null) state.owners.delete(client);
        else state.owners.set(client, event.data.owner);
      }
      break;
    case 'InboundDeleted':
      withoutInbound(state.admins, event.data.inbound);
      withoutInbound(state.tokens, event.data.inbound);
      break;
    default:
      applyToToken(state, event);
  }
}

/** A number is never used twice, so nothing can be given to it again. */
function withoutInbound<D extends { readonly inbounds: readonly number[] }>(
  all: Map<number, D>,
  deleted: number,
): void {
  for (const [number, one] of all) {
    if (!one.inbounds.includes(deleted)) continue;
    all.set(number, { ...one, inbounds: one.inbounds.filter((inbound) => inbound !== deleted) });
  }
}

/** The owner of a client that an actor adds: the admin, or the one for whom the token acts. Null = none. */
export function ownerOfAdded(state: AccessState, actor: Actor): number | null {
  if (actor.kind === 'user') return Number(actor.id);
  return actor.kind === 'token' ? (state.tokens.get(Number(actor.id))?.admin ?? null) : null;
}
