import type { RecordedEvent } from '../catalog.js';
import type { Quotas, RoleGrant } from './access.js';

/** What was set for an admin. */
export interface AdminAccess {
  readonly role: string;
  readonly inbounds: readonly number[];
  readonly quotas: Quotas;
}

/** Roles, what each admin may do, and the owner of each client. */
export interface AccessState {
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

export const noAccess = (): AccessState => ({ admins: new Map(), roles: new Map(), owners: new Map(), lastAdmin: 0 });

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
      const { kind, id } = event.meta.actor;
      if (kind === 'user') state.owners.set(event.data.client, Number(id));
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
    default:
  }
}
