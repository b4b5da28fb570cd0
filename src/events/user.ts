import { z } from 'zod';
import { Time, UserId } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = (data: { user: number }) => `user-${data.user}`;
/** The name and the password hash of one credential life. */
const Credentials = z.strictObject({ username: z.string().min(1), passwordHash: z.string() });
interface CredentialLife {
  readonly user: number;
  readonly epoch: number;
}
/** The name of the data key under which credentials of an epoch are sealed. */
export const credentialsKey = ({ user, epoch }: CredentialLife): string => `user:${user}/credentials/${epoch}`;
/** The same once the hash of that epoch was replaced by one of ours. */
export const upgradedCredentialsKey = (keyVersion: CredentialLife): string => `${credentialsKey(keyVersion)}/upgraded`;
const credentials = {
  key: credentialsKey,
  erased: (data: { user: number }) => ({ username: `erased-${data.user}`, passwordHash: '' }),
};

export const UserCreated = defineEvent('UserCreated', {
  summary: 'An admin account was created.',
  data: z.strictObject({ user: UserId, epoch: z.int().nonnegative(), credentials: Credentials }),
  stream,
  seal: { credentials },
});

export const UserCredentialsChanged = defineEvent('UserCredentialsChanged', {
  summary: 'The name or the password of an admin changed: the login epoch rises and earlier sessions end.',
  data: z.strictObject({ user: UserId, epoch: z.int().nonnegative(), credentials: Credentials }),
  stream,
  seal: { credentials },
});

export const PasswordHashUpgraded = defineEvent('PasswordHashUpgraded', {
  summary: 'A login replaced an imported password hash with one in the format of this panel. Sessions stay valid.',
  data: z.strictObject({ user: UserId, epoch: z.int().nonnegative(), credentials: Credentials }),
  stream,
  seal: { credentials: { ...credentials, key: upgradedCredentialsKey } },
});

/** What a session is, beside the cookie that only the browser holds. */
export const SessionSecret = z.strictObject({
  /** SHA-256 of the id in the cookie, hex. */
  idHash: z.string(),
  csrfToken: z.string(),
});

export const LoggedIn = defineEvent('LoggedIn', {
  summary: 'A login succeeded and began a session.',
  class: 'measured',
  data: z.strictObject({
    user: UserId,
    epoch: z.int().nonnegative(),
    session: SessionSecret,
    expiresAt: Time,
  }),
  stream,
  seal: {
    session: { key: (data) => `user:${data.user}/sessions`, erased: () => ({ idHash: '', csrfToken: '' }) },
  },
});

export const LoggedOut = defineEvent('LoggedOut', {
  summary: 'A session was ended by its user.',
  class: 'measured',
  data: z.strictObject({ user: UserId, session: z.strictObject({ idHash: z.string() }) }),
  stream,
  seal: { session: { key: (data) => `user:${data.user}/sessions`, erased: () => ({ idHash: '' }) } },
});

export const LoginFailed = defineEvent('LoginFailed', {
  summary: 'A login failed. During an attack one event stands for several failures and counts them.',
  class: 'measured',
  data: z.strictObject({
    /** The name that was tried, cut to 64 characters. Never the password. */
    attempt: z.strictObject({ username: z.string(), ip: z.string() }),
    reason: z.enum(['credentials', 'two-factor', 'locked']),
    count: z.int().positive(),
  }),
  stream: () => 'logins',
  seal: { attempt: { key: () => 'logins', erased: () => ({ username: '', ip: '' }) } },
});

export const ApiTokenIssued = defineEvent('ApiTokenIssued', {
  summary: 'The API token was made or replaced; the one before stopped working and is destroyed.',
  data: z.strictObject({ keyVersion: z.int().positive(), secret: z.strictObject({ token: z.string() }) }),
  stream: () => 'api-token',
  seal: { secret: { key: (data) => `api-token/${data.keyVersion}`, erased: () => ({ token: '' }) } },
});

export const SessionsRevoked = defineEvent('SessionsRevoked', {
  summary: 'The login epoch of an admin rose without new credentials: all earlier sessions ended.',
  data: z.strictObject({ user: UserId, epoch: z.int().positive(), reason: z.enum(['two-factor']) }),
  stream,
});

export const TwoFactorCodeUsed = defineEvent('TwoFactorCodeUsed', {
  summary: 'A two-factor code was used. It cannot be used again. The code itself is not stored.',
  class: 'measured',
  data: z.strictObject({
    user: UserId,
    /** Which token it was, as the life of that secret setting. */
    keyVersion: z.int().positive(),
    /** The 30 s of the code, counted from 1970. */
    timeStep: z.int().nonnegative(),
  }),
  stream,
});

export const userEvents = [
  UserCreated,
  UserCredentialsChanged,
  PasswordHashUpgraded,
  LoggedIn,
  LoggedOut,
  LoginFailed,
  ApiTokenIssued,
  SessionsRevoked,
  TwoFactorCodeUsed,
] as const;
