import { z } from 'zod';
import { Count, KeyVersion } from './fields.js';
import { UserId } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = (data: { user: number }) => `user-${data.user}`;
const passkey = z
  .int()
  .positive()
  .meta({ unit: 'id', description: 'Number of the passkey of this admin. It is never reused.' });

interface Version {
  readonly user: number;
  readonly keyVersion: number;
}
/** The name of the data key of the two-factor token of an admin. */
export const secondFactorKey = ({ user, keyVersion }: Version): string => `user:${user}/second-factor/${keyVersion}`;
/** The same for the recovery codes. */
export const recoveryCodesKey = ({ user, keyVersion }: Version): string => `user:${user}/recovery-codes/${keyVersion}`;
/** The same for a passkey. */
export const passkeyKey = (data: { user: number; passkey: number }): string =>
  `user:${data.user}/passkeys/${data.passkey}`;

export const SecondFactorSet = defineEvent('SecondFactorSet', {
  summary: 'An admin set up two-factor login for their account.',
  recordedBy: { SetSecondFactor: 'an admin confirms a two-factor token with a code' },
  data: z.strictObject({
    user: UserId,
    keyVersion: KeyVersion,
    secret: z.strictObject({ token: z.string().describe('The two-factor token, base32.') }).describe('The token.'),
  }),
  stream,
  seal: { secret: { key: secondFactorKey, erased: () => ({ token: '' }) } },
});

export const SecondFactorRemoved = defineEvent('SecondFactorRemoved', {
  summary: 'Two-factor login of one admin was switched off. The token and the recovery codes were destroyed.',
  recordedBy: {
    RemoveSecondFactor: 'an admin switches it off with a code',
    RemoveFactors: 'an operator switches it off for an admin who is locked out',
  },
  data: z.strictObject({ user: UserId }),
  stream,
});

export const OwnCodeUsed = defineEvent('OwnCodeUsed', {
  summary: 'A two-factor code of an admin was used. It cannot be used again. The code itself is not stored.',
  recordedBy: {
    RecordLogin: 'a login with a code succeeds',
    SetSecondFactor: 'a code confirms the token',
    RemoveSecondFactor: 'two-factor login was switched off with a code',
    IssueRecoveryCodes: 'other recovery codes were requested with a code',
    AddPasskey: 'a passkey was added with a code',
  },
  class: 'measured',
  data: z.strictObject({
    user: UserId,
    keyVersion: KeyVersion.describe('Version of the token that the code belongs to.'),
    timeStep: Count.meta({ unit: '30 s since 1970 UTC', description: 'Time step of the code (RFC 6238).' }),
  }),
  stream,
});

export const RecoveryCodesIssued = defineEvent('RecoveryCodesIssued', {
  summary: 'An admin got recovery codes, which were shown once. Earlier ones are no longer valid.',
  recordedBy: {
    SetSecondFactor: 'two-factor login is set up',
    IssueRecoveryCodes: 'an admin requests other recovery codes',
  },
  data: z.strictObject({
    user: UserId,
    keyVersion: KeyVersion,
    codes: z
      .strictObject({ hashes: z.array(z.string()).describe('SHA-256 of each code, hex.') })
      .describe('The codes.'),
  }),
  stream,
  seal: { codes: { key: recoveryCodesKey, erased: () => ({ hashes: [] }) } },
});

export const RecoveryCodeUsed = defineEvent('RecoveryCodeUsed', {
  summary: 'An admin used a recovery code instead of a two-factor code. It cannot be used again.',
  recordedBy: {
    RecordLogin: 'a login with a recovery code succeeds',
    RemoveSecondFactor: 'two-factor login was switched off with a recovery code',
    IssueRecoveryCodes: 'other recovery codes were requested with one',
    AddPasskey: 'a passkey was added with a recovery code',
  },
  data: z.strictObject({
    user: UserId,
    keyVersion: KeyVersion,
    codes: z.strictObject({ hashes: z.array(z.string()).describe('SHA-256 of the code, hex.') }).describe('The code.'),
    left: Count.describe('Recovery codes that are left.'),
  }),
  stream,
  seal: { codes: { key: recoveryCodesKey, erased: () => ({ hashes: [] }) } },
});

export const PasskeyAdded = defineEvent('PasskeyAdded', {
  summary: 'An admin added a passkey.',
  recordedBy: { AddPasskey: 'an admin registers a passkey' },
  data: z.strictObject({
    user: UserId,
    passkey,
    credential: z
      .strictObject({
        name: z.string().describe('Name that the admin gave it.'),
        host: z.string().describe('Host name of the panel for which it is valid.'),
        id: z.string().meta({ unit: 'base64url', description: 'Id of the credential.' }),
        publicKey: z.string().meta({ unit: 'base64url', description: 'Public key (COSE).' }),
        transports: z.array(z.string()).describe('How browsers reach the authenticator.'),
      })
      .describe('The credential, without its private key.'),
    signCount: Count.describe('Counter of the authenticator; 0 = it has none.'),
  }),
  stream,
  seal: {
    credential: { key: passkeyKey, erased: () => ({ name: '', host: '', id: '', publicKey: '', transports: [] }) },
  },
});

export const PasskeyUsed = defineEvent('PasskeyUsed', {
  summary: 'An admin logged in with a passkey.',
  recordedBy: { RecordLogin: 'a login with a passkey succeeds' },
  data: z.strictObject({ user: UserId, passkey, signCount: Count.describe('Counter of the authenticator.') }),
  stream,
});

export const PasskeyRemoved = defineEvent('PasskeyRemoved', {
  summary: 'A passkey of an admin was removed.',
  recordedBy: {
    RemovePasskey: 'an admin removes a passkey',
    RemoveFactors: 'an operator removes the second factors of an admin who is locked out',
  },
  data: z.strictObject({ user: UserId, passkey }),
  stream,
});

export const secondFactorEvents = [
  SecondFactorSet,
  SecondFactorRemoved,
  OwnCodeUsed,
  RecoveryCodesIssued,
  RecoveryCodeUsed,
  PasskeyAdded,
  PasskeyUsed,
  PasskeyRemoved,
] as const;
