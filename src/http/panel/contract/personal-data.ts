import { z } from 'zod';
import { issue } from '../../../messages/issue.js';
import { get, post, routes } from './route.js';
import { body, Id, optionalFlag, plainText, whole } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

/** `client`: the number of a client that has or had the email; 0 = all that have it now, or the last deleted one. */
const ofClient = { client: whole({ min: 0 }) };
const FORMATS = ['json', 'text'] as const;
const format = z.enum(['', ...FORMATS], issue('input.notOneOf', { known: [...FORMATS] })).default('');

const Hold = z.object({
  id: z.int(),
  /** Numbers of the clients with their current emails, empty for deleted ones; none = everything in the period. */
  clients: z.array(z.object({ client: z.int(), email: z.string() })),
  /** Milliseconds since 1970, both inclusive; 0 = open. */
  from: z.int(),
  to: z.int(),
  reason: z.string(),
  by: z.string(),
  placedAt: z.int(),
  position: z.int(),
});

const Certificate = z.object({
  position: z.int(),
  at: z.int(),
  id: z.string(),
  /** Chain hash of the event, hex. */
  hash: z.string(),
  generation: z.string(),
  by: z.string(),
  byCode: TextCode,
  clients: z.array(z.int()),
  /** Names of the destroyed data keys. */
  keys: z.array(z.string()),
  reason: z.string(),
  /** The certificate as a document. */
  text: z.string(),
});

const Bytes = z.object({ up: z.int(), down: z.int() });
const Export = z.object({
  ...{ email: z.string(), madeAt: z.int(), position: z.int(), generation: z.string(), masked: z.boolean() },
  accounts: z.array(
    z.object({
      ...{ client: z.int(), inbound: z.int(), keyVersion: z.int() },
      /** Email, subId, comment, tgId and other members of the client. */
      identity: z.record(z.string(), z.unknown()),
      /** Id, password and auth. */
      credential: z.record(z.string(), z.string()),
      /** Cap, expiry and other terms. */
      spec: z.record(z.string(), z.unknown()),
      /** Milliseconds since 1970; 0 = never. */
      ...{ addedAt: z.int(), changedAt: z.int(), deletedAt: z.int(), lastOnlineAt: z.int() },
    }),
  ),
  online: z.boolean(),
  addresses: z.array(z.object({ ip: z.string(), lastSeenAt: z.int() })),
  events: z.array(
    z.object({
      ...{ position: z.int(), at: z.int(), type: z.string(), what: z.string(), whatCode: TextCode },
      /** The kind of the actor: user, token, bot, node or system. */
      by: z.string(),
      data: z.unknown(),
    }),
  ),
  /** The statement since the first event; its days are as in the route of statements. */
  statement: z.object({
    ...{ zone: z.string(), from: z.string(), to: z.string() },
    ...{ opening: Bytes, used: Bytes, changed: Bytes, closing: Bytes },
    ...{ clients: z.array(z.unknown()), days: z.array(z.unknown()) },
  }),
});

/** Requests of people about their data, and legal holds. */
export const personalDataRoutes = routes('/panel/api/personalData', {
  export: post('/export/:email', {
    permission: { resource: 'personalData', action: 'export' },
    summary:
      'Export everything that is known of a client (article 15 GDPR), as JSON or, with format=text, as a readable text; the export is recorded',
    params: z.object({ email: z.string() }),
    body: body({
      ...ofClient,
      /** Whether credentials and the subscription ID are masked. */
      mask: optionalFlag,
      format,
    }),
    reply: Export,
  }),
  erase: post('/erase/:email', {
    permission: { resource: 'personalData', action: 'erase' },
    summary:
      'Erase the personal data of a client now (article 17 GDPR): its accounts are deleted and its data keys destroyed, also those of clients that were deleted with the email before. This cannot be undone',
    params: z.object({ email: z.string() }),
    body: body({ ...ofClient, reason: plainText }),
    reply: Certificate,
  }),
  certificates: get('/certificates', {
    permission: { resource: 'personalData', action: 'read' },
    summary: 'List the certificates of erasure, newest first, at most 100 before a position',
    query: z.object({
      /** 0 = the newest. */
      before: whole({ min: 0 }),
    }),
    reply: z.array(Certificate),
  }),
  certificate: get('/certificate/:position', {
    permission: { resource: 'personalData', action: 'read' },
    summary: 'Get a certificate of erasure; with format=text, as a document',
    params: z.object({ position: Id }),
    query: z.object({ format }),
    reply: Certificate,
  }),
  holds: get('/holds', {
    permission: { resource: 'personalData', action: 'read' },
    summary: 'List the legal holds in force',
    reply: z.array(Hold),
  }),
  hold: post('/hold', {
    permission: { resource: 'personalData', action: 'hold' },
    summary: 'Place a legal hold on a client or on a period: nothing of it is erased or rolled up until it is released',
    body: body({
      /** Empty = everything in the period. */
      email: plainText,
      ...ofClient,
      /** Milliseconds since 1970, both inclusive; 0 = open. */
      from: whole({ min: 0 }),
      to: whole({ min: 0 }),
      reason: plainText,
    }),
    reply: z.object({ id: z.int() }),
  }),
  release: post('/release/:id', {
    permission: { resource: 'personalData', action: 'hold' },
    summary: 'Release a legal hold',
    params: z.object({ id: Id }),
    body: body({ reason: plainText }),
  }),
});
