import { describe, expect, it } from 'vitest';
import { AdminDeleted } from '../../../src/events/access/access.js';
import {
  ApiTokenIssued,
  LoggedIn,
  LoggedOut,
  SessionsRevoked,
  UserCreated,
  UserCredentialsChanged,
} from '../../../src/events/user.js';
import { users } from '../../../src/projections/models/users.js';
import { HOUR, rolledUp, T0, userId } from '../../kit/builders.js';
import { at, folded } from '../../kit/spec.js';

const account = (epoch: number, user = 1) => ({
  user: userId(user),
  epoch,
  credentials: { username: `user-${user}`, passwordHash: `hash-${epoch}` },
});
const login = (idHash: string, over: { epoch?: number; expiresAt?: number; user?: number } = {}) =>
  LoggedIn({
    user: userId(over.user ?? 1),
    epoch: over.epoch ?? 0,
    session: { idHash, csrfToken: `csrf-${idHash}`, device: 'Firefox' },
    expiresAt: over.expiresAt ?? T0 + HOUR,
  });
const ids = (...events: Parameters<typeof folded>[1][]) => [
  ...folded(users, UserCreated(account(0)), ...events).sessions.keys(),
];

describe('users', () => {
  it('have their last credentials', () => {
    const state = folded(
      users,
      UserCreated(account(0)),
      UserCreated(account(0, 2)),
      UserCredentialsChanged(account(1)),
    );
    expect([...state.users.values()]).toStrictEqual([
      { id: 1, epoch: 1, username: 'user-1', passwordHash: 'hash-1' },
      { id: 2, epoch: 0, username: 'user-2', passwordHash: 'hash-0' },
    ]);
  });

  it('share one API token, the last', () => {
    const issued = (token: string, keyVersion: number) => ApiTokenIssued({ keyVersion, secret: { token } });
    expect(folded(users).apiToken).toBeNull();
    expect(folded(users, issued('a', 1), issued('b', 2)).apiToken).toBe('b');
  });
});

describe('sessions', () => {
  it('start with a login', () => {
    const { sessions } = folded(users, UserCreated(account(0)), login('a'));
    expect(sessions.get('a')).toStrictEqual({
      user: 1,
      epoch: 0,
      csrfToken: 'csrf-a',
      device: 'Firefox',
      ip: null,
      startedAt: T0,
      expiresAt: T0 + HOUR,
    });
  });

  it('end with a logout', () => {
    expect(ids(login('a'), login('b'), LoggedOut({ user: userId(1), session: { idHash: 'a' } }))).toStrictEqual(['b']);
  });

  it('of an earlier epoch end when the name or the password changes, those of other users continue', () => {
    expect(
      ids(login('a'), login('b', { user: 2 }), UserCredentialsChanged(account(1)), login('c', { epoch: 1 })),
    ).toStrictEqual(['b', 'c']);
  });

  it('of an earlier epoch end also when the epoch rises without new credentials', () => {
    const ended = SessionsRevoked({ user: userId(1), epoch: 1, reason: 'two-factor' });
    const past = [
      UserCreated(account(0)),
      login('a'),
      login('b', { user: 2 }),
      ended,
      login('c', { epoch: 1 }),
    ] as const;
    const state = folded(users, ...past);
    expect([...state.sessions.keys()]).toStrictEqual(['b', 'c']);
    expect(state.users.get(1)).toStrictEqual({ id: 1, epoch: 1, username: 'user-1', passwordHash: 'hash-0' });
  });

  it('that have expired are removed at the next login', () => {
    expect(ids(login('a', { expiresAt: T0 + 1 }), at(T0 + 2, login('b')))).toStrictEqual(['b']);
  });

  it('end when their login is rolled up', () => {
    expect(ids(login('a'), at(T0 + 5, login('b')), rolledUp(T0 + 4))).toStrictEqual(['b']);
  });

  it('leave the time of the last login, until that login is rolled up or the account is deleted', () => {
    const last = (...events: Parameters<typeof folded>[1][]) => [
      ...folded(users, UserCreated(account(0)), login('a'), at(T0 + 5, login('b', { user: 2 })), ...events).lastLogins,
    ];
    const out = LoggedOut({ user: userId(1), session: { idHash: 'a' } });
    expect(last(out)).toStrictEqual([
      [1, T0],
      [2, T0 + 5],
    ]);
    expect(last(rolledUp(T0 + 4))).toStrictEqual([[2, T0 + 5]]);
    expect(last(AdminDeleted({ user: userId(2) }))).toStrictEqual([[1, T0]]);
  });
});
