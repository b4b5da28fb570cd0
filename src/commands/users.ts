import type { RecordedEvent } from '../events/catalog.js';
import type { OwnCodeUsed } from '../events/second-factor.js';
import { evolveFactors, type SecondFactors } from '../events/second-factor-document.js';
import { credentialsKey, upgradedCredentialsKey } from '../events/user.js';

interface User {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly epoch: number;
  /** The name of the data key of the credentials. */
  readonly key: string;
}

export interface UsersState {
  readonly users: Map<number, User>;
  /** The second factors of the admins who have some, by number of the account. */
  readonly factors: Map<number, SecondFactors>;
  /** Used two-factor codes: `[admin/]key version of the secret/time step` → when (ms since 1970). */
  readonly usedCodes: Map<string, number>;
}

/** The users, their second factors and the used two-factor codes after an event. */
export function evolveUsers(state: UsersState, event: RecordedEvent): void {
  evolveFactors(state.factors, event);
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
    case 'OwnCodeUsed':
      state.usedCodes.set(ownCodeKey(event.data), event.meta.at);
      break;
    case 'TwoFactorCodeUsed':
      state.usedCodes.set(codeKey(event.data.keyVersion, event.data.timeStep), event.meta.at);
      break;
    default:
  }
}

/** The same of a code of one admin. */
export function ownCodeKey({ user, keyVersion, timeStep }: Parameters<typeof OwnCodeUsed>[0]): string {
  return `${user}/${codeKey(keyVersion, timeStep)}`;
}

/** Key of a used code: the version of its secret, and its time step. */
export function codeKey(keyVersion: number, step: number): string {
  return `${keyVersion}/${step}`;
}
