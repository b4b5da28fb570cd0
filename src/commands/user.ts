import { UserId } from '../events/ids.js';
import { KeyShredded } from '../events/panel.js';
import { ApiTokenIssued, CredentialsChanged, LoggedIn, LoggedOut, LoginFailed, UserCreated } from '../events/user.js';
import type { Command, Decider } from './command.js';
import { reject } from './rejection.js';

/** A name and the hash of a password; the password itself never reaches a command. */
export interface NewCredentials {
  readonly username: string;
  readonly passwordHash: string;
}

export type UserCommand =
  | Command<'CreateUser', NewCredentials>
  | Command<'ChangeCredentials', NewCredentials & { readonly user: UserId }>
  | Command<'RecordLogin', Omit<Parameters<typeof LoggedIn>[0], 'epoch'>>
  | Command<'RecordLogout', Parameters<typeof LoggedOut>[0]>
  | Command<'RecordLoginFailures', Parameters<typeof LoginFailed>[0]>
  | Command<'IssueApiToken', { readonly token: string; readonly replace: boolean }>;

export const user: Decider<UserCommand> = {
  CreateUser({ username, passwordHash }, { users }) {
    if ([...users.values()].some((known) => known.username === username)) return reject('USER_EXISTS', { username });
    const id = UserId.parse(Math.max(0, ...users.keys()) + 1);
    return [UserCreated({ user: id, epoch: 0, credentials: { username, passwordHash } })];
  },

  ChangeCredentials({ user: id, username, passwordHash }, { users }) {
    const current = users.get(id);
    if (!current) return reject('CREDENTIALS_WRONG');
    if ([...users.values()].some((other) => other.id !== id && other.username === username))
      return reject('USER_EXISTS', { username });
    const epoch = current.epoch + 1;
    return [
      CredentialsChanged({ user: id, epoch, credentials: { username, passwordHash } }),
      KeyShredded({ key: `user:${id}/credentials/${current.epoch}`, reason: 'rotated' }),
    ];
  },

  RecordLogin(data, { users }) {
    const current = users.get(data.user);
    return current ? [LoggedIn({ ...data, epoch: current.epoch })] : reject('CREDENTIALS_WRONG');
  },

  RecordLogout: (data) => [LoggedOut(data)],
  RecordLoginFailures: (data) => [LoginFailed(data)],

  IssueApiToken({ token, replace }, { apiToken }) {
    if (apiToken && !replace) return [];
    const life = (apiToken?.life ?? 0) + 1;
    const issued = ApiTokenIssued({ life, secret: { token } });
    return apiToken ? [issued, KeyShredded({ key: `api-token/${apiToken.life}`, reason: 'rotated' })] : [issued];
  },
};
