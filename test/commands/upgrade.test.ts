import { describe, it } from 'vitest';
import { DataKeyDestroyed } from '../../src/events/panel.js';
import { PasswordHashUpgraded, UserCreated, UserCredentialsChanged } from '../../src/events/user.js';
import { userId } from '../kit/builders.js';
import { given } from '../kit/spec.js';

const root = (passwordHash: string, epoch = 0) => ({
  user: userId(1),
  epoch,
  credentials: { username: 'root', passwordHash },
});
const upgrade = (from: string) =>
  ({ type: 'UpgradePasswordHash', data: { user: userId(1), from, passwordHash: 'ours' } }) as const;

describe('UpgradePasswordHash', () => {
  it('keeps the epoch, so that sessions stay valid, and destroys the key of the former hash', () => {
    given(UserCreated(root('theirs')))
      .when(upgrade('theirs'))
      .then(PasswordHashUpgraded(root('ours')), DataKeyDestroyed({ key: 'user:1/credentials/0', reason: 'rotated' }));
  });

  it('does nothing if the hash was already upgraded, the password was changed, or the account is unknown', () => {
    given(UserCreated(root('theirs')), PasswordHashUpgraded(root('ours')))
      .when(upgrade('theirs'))
      .thenNothing();
    given(UserCreated(root('theirs')), UserCredentialsChanged(root('new', 1)))
      .when(upgrade('theirs'))
      .thenNothing();
    given().when(upgrade('theirs')).thenNothing();
  });

  it('leaves no readable hash after a new password: the key of the upgraded hash is destroyed', () => {
    const change = {
      type: 'ChangeCredentials',
      data: { user: userId(1), username: 'root', passwordHash: 'new' },
    } as const;
    given(UserCreated(root('theirs')), PasswordHashUpgraded(root('ours')))
      .when(change)
      .then(
        UserCredentialsChanged(root('new', 1)),
        DataKeyDestroyed({ key: 'user:1/credentials/0/upgraded', reason: 'rotated' }),
      );
  });
});
