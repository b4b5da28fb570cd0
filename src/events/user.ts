import { z } from 'zod';
import { Count, KeyVersion, oneOf, Time } from './fields.js';
import { UserId } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = (data: { user: number }) => `user-${data.user}`;
const Credentials = z
  .strictObject({
    username: z.string().min(1).describe('Name of the admin.'),
    passwordHash: z.string().describe('Salted hash of the password.'),
  })
  .describe('Name and password hash.');
const epoch = Count.meta({ unit: 'version', description: 'Login epoch. Sessions of a lower epoch have ended.' });
const idHash = z.string().meta({ unit: 'hex', description: 'SHA-256 of the session id in the cookie.' });

interface CredentialVersion {
  readonly user: number;
  readonly epoch: number;
}
/** The name of the data key for the credentials of an epoch. */
export const credentialsKey = ({ user, epoch }: CredentialVersion): string => `user:${user}/credentials/${epoch}`;
/** The same after the hash of that epoch was replaced by one in the format of this panel. */
export const upgradedCredentialsKey = (version: CredentialVersion): string => `${credentialsKey(version)}/upgraded`;
const credentials = {
  key: credentialsKey,
  erased: (data: { user: number }) => ({ username: `erased-${data.user}`, passwordHash: '' }),
};

export const UserCreated = defineEvent('UserCreated', {
  summary: 'An admin account was created.',
  recordedBy: {
    CreateUser: 'the first start, an owner or the command line creates the account',
    ImportPanel: 'the imported database has the account',
  },
  data: z.strictObject({ user: UserId, epoch, credentials: Credentials }),
  stream,
  seal: { credentials },
});

export const UserCredentialsChanged = defineEvent('UserCredentialsChanged', {
  summary: 'The name or password of an admin changed. The login epoch is incremented, which ends earlier sessions.',
  recordedBy: { ChangeCredentials: 'an admin or an operator changes the name or password' },
  data: z.strictObject({ user: UserId, epoch, credentials: Credentials }),
  stream,
  seal: { credentials },
});

export const PasswordHashUpgraded = defineEvent('PasswordHashUpgraded', {
  summary: 'A login replaced an imported password hash with one in the format of this panel. Sessions stay valid.',
  recordedBy: { UpgradePasswordHash: 'an admin logs in whose password hash has an older format' },
  data: z.strictObject({ user: UserId, epoch, credentials: Credentials }),
  stream,
  seal: { credentials: { ...credentials, key: upgradedCredentialsKey } },
});

/** What the panel keeps of a session; the id itself is only in the cookie. */
const SessionSecret = z.strictObject({
  idHash,
  csrfToken: z.string().describe('CSRF token of the session.'),
  device: z.string().describe('User agent of the browser, cut to 200 characters; empty = not known.'),
});
type SessionSecret = z.output<typeof SessionSecret>;

export const LoggedIn = defineEvent('LoggedIn', {
  summary: 'An admin logged in, or continued the session under a new id.',
  recordedBy: {
    RecordLogin: 'a login succeeds',
    RenewSession:
      'an admin changed the credentials or two-factor login, or ended the other sessions; the one in use continues under a new id',
  },
  class: 'measured',
  // Version 1 did not have the device.
  upcast: {
    1: (older: { session: Omit<SessionSecret, 'device'> }) => ({ ...older, session: { ...older.session, device: '' } }),
  },
  data: z.strictObject({
    user: UserId,
    epoch,
    session: SessionSecret.describe('The session.'),
    expiresAt: Time.describe('When the session expires.'),
  }),
  stream,
  seal: {
    session: { key: (data) => `user:${data.user}/sessions`, erased: () => ({ idHash: '', csrfToken: '', device: '' }) },
  },
});

export const LoggedOut = defineEvent('LoggedOut', {
  summary: 'An admin ended a session.',
  recordedBy: {
    RecordLogout: 'an admin logs out, logs in again in the same session, or ends another session of the account',
  },
  class: 'measured',
  data: z.strictObject({ user: UserId, session: z.strictObject({ idHash }).describe('The session.') }),
  stream,
  seal: { session: { key: (data) => `user:${data.user}/sessions`, erased: () => ({ idHash: '' }) } },
});

export const LoginFailed = defineEvent('LoginFailed', {
  summary: 'Logins failed. One event may count many failures, so that an attack does not fill the log.',
  recordedBy: { RecordLoginFailures: 'a login fails' },
  class: 'measured',
  data: z.strictObject({
    attempt: z
      .strictObject({
        username: z.string().describe('The name that was sent, cut to 64 characters.'),
        ip: z.string().describe('IP address of the caller.'),
      })
      .describe('Name and address. The password is never recorded.'),
    reason: oneOf({
      credentials: 'wrong name or password',
      'two-factor': 'wrong or missing two-factor code',
      locked: 'too many failures before; the password was not checked',
    }).describe('Why the login failed.'),
    count: z.int().positive().meta({ unit: 'count', description: 'Number of failures.' }),
  }),
  stream: () => 'logins',
  seal: { attempt: { key: () => 'logins', erased: () => ({ username: '', ip: '' }) } },
});

export const ApiTokenIssued = defineEvent('ApiTokenIssued', {
  summary: 'The API token was created or replaced. The previous token is no longer valid and was destroyed.',
  recordedBy: {
    IssueApiToken: 'the token is read for the first time or replaced',
    ImportPanel: 'the imported database has a token',
  },
  data: z.strictObject({
    keyVersion: KeyVersion,
    secret: z.strictObject({ token: z.string().describe('The API token.') }).describe('The token.'),
  }),
  stream: () => 'api-token',
  seal: { secret: { key: (data) => `api-token/${data.keyVersion}`, erased: () => ({ token: '' }) } },
});

export const SessionsRevoked = defineEvent('SessionsRevoked', {
  summary: 'The login epoch of an admin was incremented without new credentials, which ends earlier sessions.',
  recordedBy: {
    ChangeSettings: 'two-factor login was changed',
    SwitchOffTwoFactor: 'an operator disabled two-factor login',
    SetSecondFactor: 'an admin set up two-factor login for their account',
    RemoveSecondFactor: 'an admin switched off two-factor login of their account',
    RemoveFactors: 'an operator removed the second factors of an admin',
    EndSessions: 'an admin ended the other sessions of the account; the one in use continues under a new id',
  },
  data: z.strictObject({
    user: UserId,
    epoch: z.int().positive().meta({ unit: 'version', description: 'The new login epoch.' }),
    reason: oneOf({
      'two-factor': 'two-factor login was enabled, disabled or got another secret',
      requested: 'the admin ended all other sessions of the account',
    }).describe('Why.'),
  }),
  stream,
});

export const TwoFactorCodeUsed = defineEvent('TwoFactorCodeUsed', {
  summary: 'A two-factor code was used. It cannot be used again. The code itself is not stored.',
  recordedBy: {
    RecordLogin: 'a login with a code succeeds',
    ChangeSettings: 'two-factor login was changed with a code',
  },
  class: 'measured',
  data: z.strictObject({
    user: UserId,
    keyVersion: KeyVersion.describe('Version of the secret setting `twoFactorToken` that the code belongs to.'),
    timeStep: Count.meta({ unit: '30 s since 1970 UTC', description: 'Time step of the code (RFC 6238).' }),
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
