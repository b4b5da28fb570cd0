import type { RecordedEvent } from '../events/catalog.js';
import { credentialsKey, upgradedCredentialsKey } from '../events/user.js';

export interface User {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly epoch: number;
  /** The name of the data key of the credentials. */
  readonly key: string;
}

interface UsersState {
  readonly users: Map<number, User>;
  readonly usedCodes: Map<string, number>;
}

/** The users and the used two-factor codes after an event. */
export function evolveUsers(state: UsersState, event: RecordedEvent): void {
  switch (event.type) {
    case 'UserCreated':
    case 'UserCredentialsChanged': {
      const { user, epoch, credentials } = event.data;
      state.users.set(user, { id: user, epoch, key: credentialsKey(event.data), ...credentials });
      break;
    }
    case 'PasswordHashUpgraded': {
      const { user, epoch, credentials } = event.data;
      state.users.set(user, { id: user, epoch, key: upgradedCredentialsKey(event.data), ...credentials });
      break;
    }
    case 'AdminDeleted':
      state.users.delete(event.data.user);
      break;
    case 'SessionsRevoked': {
      const user = state.users.get(event.data.user);
      if (user) state.users.set(user.id, { ...user, epoch: event.data.epoch });
      break;
    }
    case 'TwoFactorCodeUsed':
      state.usedCodes.set(codeKey(event.data.keyVersion, event.data.timeStep), event.meta.at);
      break;
    default:
  }
}

/** Key of a used code: the version of its secret, and its time step. */
export function codeKey(keyVersion: number, step: number): string {
  return `${keyVersion}/${step}`;
}
