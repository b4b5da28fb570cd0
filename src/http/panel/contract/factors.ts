import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, plainText } from './schemas/fields.js';

/** Options for the browser, as `PublicKeyCredential.parseCreationOptionsFromJSON` takes them. */
const Options = z.record(z.string(), z.unknown());
const credential = { id: z.string(), rawId: z.string(), type: z.literal('public-key') };
/** What the browser answers: `PublicKeyCredential.toJSON()`. */
const Registration = z.object({
  ...credential,
  response: z.object({
    ...{ clientDataJSON: z.string(), attestationObject: z.string() },
    transports: z.array(z.string()).default([]),
  }),
});
const Assertion = z.object({
  ...credential,
  response: z.object({ clientDataJSON: z.string(), authenticatorData: z.string(), signature: z.string() }),
});
const Codes = z.object({ recoveryCodes: z.array(z.string()) });

/** Login with a passkey instead of name, password and code. */
export const passkeyRoutes = routes('/passkey', {
  isUsed: get('/used', {
    permission: null,
    summary: 'Get whether any admin has a passkey',
    auth: 'none',
    reply: z.boolean(),
  }),
  loginOptions: post('/options', {
    permission: null,
    summary: 'Get the options with which a browser asks for a passkey',
    auth: 'none',
    reply: Options,
  }),
  login: post('/login', {
    permission: null,
    summary: 'Log in with a passkey; sets the session cookie',
    auth: 'none',
    body: body({ response: Assertion }),
  }),
});

const permission = { resource: 'account', action: 'update' } as const;

/** The second factors of the logged-in admin. */
export const factorRoutes = routes('/panel/setting', {
  factors: get('/factors', {
    permission: { resource: 'account', action: 'read' },
    summary: 'Get the second factors and the passkeys of the logged-in admin',
    auth: 'session',
    reply: z.object({
      /** Whether the account has a two-factor token of its own. */
      twoFactor: z.boolean(),
      /** Recovery codes that are left. */
      recoveryCodes: z.int(),
      passkeys: z.array(
        z.object({
          id: z.int(),
          name: z.string(),
          /** Host name of the panel for which it is valid. */
          host: z.string(),
          createdAt: z.int(),
          /** The last login with it; null = none. */
          usedAt: z.int().nullable(),
        }),
      ),
    }),
  }),
  proposeTwoFactor: post('/twoFactor/propose', {
    permission,
    summary: 'Get a new two-factor token for the account of the caller; nothing is stored before a code confirms it',
    auth: 'session',
    reply: z.object({ twoFactorToken: z.string(), otpauthUrl: z.string(), qr: z.string() }),
  }),
  enableTwoFactor: post('/twoFactor/enable', {
    permission,
    summary: 'Switch on two-factor login for the account of the caller; the answer shows the recovery codes, once',
    auth: 'session',
    body: body({ twoFactorToken: plainText, twoFactorCode: plainText }),
    reply: Codes,
  }),
  disableTwoFactor: post('/twoFactor/disable', {
    permission,
    summary: 'Switch off two-factor login for the account of the caller, with a code or a recovery code',
    auth: 'session',
    body: body({ twoFactorCode: plainText }),
  }),
  renewRecoveryCodes: post('/twoFactor/recoveryCodes', {
    permission,
    summary: 'Get other recovery codes, with a code or a recovery code; the earlier ones end',
    auth: 'session',
    body: body({ twoFactorCode: plainText }),
    reply: Codes,
  }),
  passkeyOptions: post('/passkeys/options', {
    permission,
    summary: 'Get the options with which a browser creates a passkey',
    auth: 'session',
    reply: Options,
  }),
  addPasskey: post('/passkeys/add', {
    permission,
    summary: 'Add a passkey to the account of the caller, with a code or, without two-factor login, the password',
    auth: 'session',
    body: body({ name: plainText, password: plainText, twoFactorCode: plainText, response: Registration }),
  }),
  removePasskey: post('/passkeys/remove/:id', {
    permission,
    summary: 'Remove a passkey from the account of the caller',
    auth: 'session',
    params: z.object({ id: z.coerce.number().int().positive() }),
  }),
});
