import { z } from 'zod';
import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { SESSION_COOKIE } from '../auth/cookie.js';
import { StaleVersion } from '../contract/documents.js';
import { InboundSettings } from '../contract/schemas/core/inbound-settings.js';
import { Sniffing } from '../contract/schemas/core/option.js';
import { InboundStream } from '../contract/schemas/core/stream.js';
import { CoreTemplate } from '../contract/schemas/core/template.js';
import { Preview } from '../contract/schemas/preview.js';

/** Schemas that no route uses in its types. Those of the core are what JSON texts contain. */
const schemas: Record<string, z.ZodType> = {
  ...{ Preview, StaleVersion },
  ...{ InboundSettings, InboundStream, Sniffing, CoreTemplate },
};
const names = new Set<z.ZodType>();

/** Returns the schema. An object gets its own name in the document, so it appears only once. */
export function named<S extends z.ZodType>(name: string, schema: S): S {
  const isObject = schema instanceof z.ZodObject || schema instanceof z.ZodPipe;
  if (names.has(schema) || !isObject || schema.meta()?.id !== undefined) return schema;
  names.add(schema);
  schemas[name] = schema;
  return schema;
}

/** The code of the text in `msg`: it stays the same when the wording changes. Missing if `msg` is empty. */
export const messageCode = z
  .string()
  .optional()
  .describe('The stable code of the text in `msg`; it is missing if there is no text.');

const Envelope = z.object({ success: z.boolean(), msg: z.string(), obj: z.null(), code: messageCode });
const refusal = (description: string) => ({ description, content: { 'application/json': { schema: Envelope } } });

export const components = {
  schemas,
  parameters: {
    IdempotencyKey: {
      in: 'header',
      name: 'Idempotency-Key',
      description:
        'A request that the same caller repeats with the same key takes effect only once and gets the same response. A refused request can be retried with its key. A key that was used for another request is refused. Responses are kept for a day or until the panel restarts. After that, a repeated request still has no second effect, and its response is created again.',
      schema: { type: 'string', minLength: 1, maxLength: 200 },
    },
    IfMatch: {
      in: 'header',
      name: 'If-Match',
      description:
        'The `ETag` of the document that the request changes, as the route answered it that shows the document or its list; several are separated by commas. Several of one document mean any of them, and those of several documents must all be current; `*` means any version. If a document has changed since, nothing is done, and the answer is 412. Without it, the request is carried out in any case.',
      schema: { type: 'string' },
    },
    ExpectedVersion: {
      in: 'query',
      name: 'expectedVersion',
      description:
        'The same as `If-Match`, for one document and without quotes. It can be a member of a JSON body too.',
      schema: { type: 'string' },
    },
    At: {
      in: 'query',
      name: 'at',
      description:
        'Answers as it would have after this event of the log, or at this time: a position or an ISO 8601 time. Data that was erased since stays erased: `X-Portolan-Erased` names the first hundred documents with placeholders by their streams, `X-Portolan-Erased-Count` says how many there are, and `X-Portolan-Erased-Fields` which fields of each noun have placeholders, such as `client=comment credential email, node=token`. `X-Portolan-Position` names the position, `X-Portolan-Time` the time. At a time, the last event at or before it counts.',
      schema: { type: 'string' },
    },
    DryRun: {
      in: 'query',
      name: 'dryRun',
      description:
        'With `true`, the request is checked and decided, and nothing is changed: `obj` is a `Preview` with the events that would be appended and the clients that would lose or get access. A refusal is that of the request itself.',
      schema: { type: 'boolean' },
    },
  },
  responses: {
    Unreadable: refusal('The body cannot be read'),
    NotLoggedIn: refusal('Not logged in, for a request with `X-Requested-With: XMLHttpRequest`'),
    Forbidden: refusal(
      'The role of the caller lacks the permission, the CSRF token is missing or wrong, or the request comes from another site',
    ),
    Hidden: { description: 'Not found, or not logged in. No body.' },
    Stale: {
      description: 'A document has another version than `If-Match` or `expectedVersion` says',
      content: { 'application/json': { schema: Envelope.extend({ obj: StaleVersion }) } },
    },
    FileNotFound: refusal('Not found; the envelope contains the reason. Without a login there is no body'),
    TooLarge: refusal('The body is too large'),
    NotNow: refusal('The file is not available; the envelope contains the reason'),
  },
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'Set by `POST /login`.' },
    csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: 'From `GET /csrf-token`.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'From `GET /panel/setting/getApiToken`.' },
  },
} satisfies ZodOpenApiComponentsObject;
