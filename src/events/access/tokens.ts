import { z } from 'zod';
import { Count, Time } from '../fields.js';
import { InboundId, TokenId, UserId } from '../ids.js';
import { defineEvent } from '../log/event.js';

const stream = ({ token }: { token: number }) => `token-${token}`;
const key = (data: { token: number }) => `token:${data.token}`;
const Secret = z
  .strictObject({ hash: z.string().meta({ unit: 'hex', description: 'SHA-256 of the secret, which is not stored.' }) })
  .describe('How the panel recognises the secret.');
const hash = { key, erased: () => ({ hash: '' }) };
const prefix = z.string().describe('The first characters of the secret, to recognise it in a list.');

const label = z.strictObject({ name: z.string().min(1).describe('Name of the token.') }).describe('The name.');
const sealedLabel = { key, erased: (data: { token: number }) => ({ name: `erased-${data.token}` }) };
/** What an owner chooses for a token. */
const chosen = {
  role: z.string().min(1).describe('The role whose permissions the token has.'),
  inbounds: z.array(InboundId).describe('Inbounds given to the token, for permissions that do not hold everywhere.'),
  admin: UserId.nullable().describe('The admin to whom it belongs; null = none. It may never do more than that admin.'),
  expiresAt: Time.describe('When it expires; 0 = never.'),
  addresses: z.array(z.string()).describe('Networks and addresses that may use it; empty = all.'),
};

export const TokenCreated = defineEvent('TokenCreated', {
  summary: 'An access token was created. Its secret was shown once.',
  recordedBy: { CreateToken: 'an owner or the command line creates a token' },
  data: z.strictObject({
    token: TokenId,
    label,
    prefix,
    secret: Secret,
    ...chosen,
  }),
  stream,
  seal: { label: sealedLabel, secret: hash },
});

export const TokenChanged = defineEvent('TokenChanged', {
  summary: 'An access token got another name, role, expiry, or other inbounds or addresses. Its secret stays valid.',
  recordedBy: {
    ChangeToken: 'an owner or the command line changes a token',
    RestoreInbound: 'the deletion of an inbound is undone that the token was given',
  },
  data: z.strictObject({ token: TokenId, label, ...chosen }),
  stream,
  seal: { label: sealedLabel },
});

export const TokenRotated = defineEvent('TokenRotated', {
  summary: 'An access token got another secret.',
  recordedBy: { RotateToken: 'an owner or the command line rotates a token' },
  data: z.strictObject({
    token: TokenId,
    prefix,
    secret: Secret,
    previousUntil: Time.describe('Until when the previous secret is valid as well.'),
  }),
  stream,
  seal: { secret: hash },
});

export const TokenRevoked = defineEvent('TokenRevoked', {
  summary: 'An access token was revoked.',
  recordedBy: {
    RevokeToken: 'an owner or the command line revokes a token',
    DeleteAdmin: 'the admin to whom it belongs is deleted',
  },
  data: z.strictObject({ token: TokenId }),
  stream,
});

export const TokenUsed = defineEvent('TokenUsed', {
  summary:
    'An access token was used, from the address in the metadata. At most one event a day for each token; one an hour when the address changes.',
  recordedBy: { RecordTokenUse: 'a request has the token' },
  data: z.strictObject({
    token: TokenId,
    requests: Count.describe('Requests since the event before, as far as the panel was not restarted.'),
  }),
  stream,
});

export const tokenEvents = [TokenCreated, TokenChanged, TokenRotated, TokenRevoked, TokenUsed] as const;
