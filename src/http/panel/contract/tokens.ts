import { z } from 'zod';
import { get, post, routes } from './route.js';
import { body, Id, optionalText, optionalWhole, plainText, whole } from './schemas/fields.js';

const Token = z
  .object({
    id: z.int(),
    name: z.string(),
    /** The first characters of the secret. */
    prefix: z.string(),
    role: z.string(),
    /** Numbers of the inbounds given to the token, for permissions that do not hold everywhere. */
    inbounds: z.array(z.int()),
    /** Number of the admin to whom the token belongs; 0 = none. */
    admin: z.int(),
    /** In ms since 1970; 0 = never. */
    expiresAt: z.int(),
    /** Networks and addresses that may use it; empty = all. */
    addresses: z.array(z.string()),
    createdAt: z.int(),
    /** The last rotation; null = none. */
    rotatedAt: z.int().nullable(),
    /** Until when the secret before the last rotation is valid; null = it is not. */
    previousUntil: z.int().nullable(),
    /** The last request; null = none. */
    usedAt: z.int().nullable(),
    /** Its IP address; null = not known. */
    usedFrom: z.string().nullable(),
  })
  .meta({ id: 'AccessToken' });

const params = z.object({ id: Id });
/** What an owner chooses for a token. */
const chosen = {
  name: plainText,
  role: plainText,
  inbounds: z.array(z.int()).default([]),
  /** Number of the admin to whom it belongs; 0 = none. It may never do more than that admin. */
  admin: whole({ min: 0 }),
  /** In ms since 1970; 0 = never. */
  expiresAt: whole({ min: 0 }),
  addresses: z.array(z.string()).default([]),
};
/** What is absent stays as it is. */
const changed = {
  name: optionalText,
  role: optionalText,
  inbounds: z.array(z.int()).optional(),
  admin: optionalWhole({ min: 0 }),
  expiresAt: optionalWhole({ min: 0 }),
  addresses: z.array(z.string()).optional(),
};
/** The secret is shown only here. */
const Created = z.object({ id: z.int(), secret: z.string() });

/** Access tokens: for programs, each with a role of its own. */
export const tokenRoutes = routes('/panel/api/tokens', {
  list: get('/list', {
    permission: { resource: 'tokens', action: 'read' },
    summary: 'List the access tokens, without their secrets',
    reply: z.array(Token),
  }),
  add: post('/add', {
    permission: { resource: 'tokens', action: 'create' },
    summary: 'Create an access token; the answer shows its secret, once',
    body: body(chosen),
    reply: Created,
  }),
  update: post('/update/:id', {
    permission: { resource: 'tokens', action: 'update' },
    summary:
      'Change the name, the role, the inbounds, the admin, the expiry and the addresses of an access token; what is absent stays as it is',
    params,
    body: body(changed),
  }),
  rotate: post('/rotate/:id', {
    permission: { resource: 'tokens', action: 'update' },
    summary: 'Give an access token another secret; the answer shows it, once. The previous one stays valid for a while',
    params,
    body: body({
      /** For how long both are valid; 0 = the previous one ends now. */
      overlapHours: whole({ min: 0 }),
    }),
    reply: Created,
  }),
  revoke: post('/revoke/:id', {
    permission: { resource: 'tokens', action: 'delete' },
    summary: 'Revoke an access token',
    params,
  }),
});

/** Figures for monitoring. */
export const metricRoutes = routes('/panel/api', {
  metrics: get('/metrics', {
    permission: { resource: 'metrics', action: 'read' },
    summary: 'Get the figures of the panel in the text format of Prometheus, as at the health port',
    media: 'text/plain',
  }),
});
