import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { permissionName } from '../../../lib/permissions.js';
import { dryRunOf, noDryRunOf } from '../contract/dry-run.js';
import { tables } from '../contract/index.js';
import { answersAt } from '../contract/moments.js';
import type { Route } from '../contract/route.js';
import { nouns } from './nouns.js';
import { components, messageCode, named } from './schemas.js';
import { settingSchemas } from './settings.js';
import { SOCKET_PATH, SOCKET_TAG, socketOperation } from './socket.js';

/** One row of a table, with its operation id. */
interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly route: Route;
}

/** Every route, in table order. */
export function operations(): readonly Operation[] {
  return Object.entries(tables).flatMap(([table, rows]) =>
    Object.entries(rows).map(([name, route]) => ({
      id: table + name.charAt(0).toUpperCase() + name.slice(1),
      tag: nouns[table as keyof typeof tables].tag,
      // `Object.entries` loses the type of a table's rows.
      route: spelledOut(route as Route),
    })),
  );
}

const { all, update } = tables.settings;
const { sources } = tables.settingDetails;

function spelledOut(route: Route): Route {
  if (route.reply === all.reply && route.path.endsWith('/all')) return { ...route, reply: settingSchemas().reply };
  if (route.reply === sources.reply) return { ...route, reply: settingSchemas().sources };
  return route.body === update.body ? { ...route, body: settingSchemas().body } : route;
}

/**
 * The contract as OpenAPI 3.1, generated from the route tables, and the WebSocket. `version` is the panel's; `base` is the
 * base path, without a trailing slash.
 */
export function openApi(version: string, base = ''): oas31.OpenAPIObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const { id, tag, route } of operations()) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const described = operation(id, tag, route);
    const shared = { parameters: parametersOf(route), ...dryRun(route) };
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: { ...described, ...shared } };
  }
  paths[SOCKET_PATH] = { get: socketOperation };
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Portolan',
        version,
        description:
          'Every answer is the envelope `{success, msg, obj}` with HTTP 200, unless stated. `msg` is in the language of the cookie `lang`, else of `Accept-Language`. A refusal (`success: false`) also has `code`, which stays the same in every language and when the wording changes. Each text in `obj` has its code in a member beside it: `errorCode` for `error`, `code` in an entry of `errors`, `remedyCodes` for the list `remedies`. A refused configuration (`CONFIG_INVALID`, `CORE_REFUSED`) has the codes of its reason in `obj.reasons`. The code is null for texts of other programs.',
      },
      servers: [{ url: base === '' ? '/' : base }],
      tags: [
        ...new Map(Object.values(nouns).map(({ tag, description }) => [tag, { name: tag, description }])).values(),
        SOCKET_TAG,
      ],
      paths,
      components,
    },
    { allowEmptySchema: { custom: true }, override: ({ jsonSchema }) => withoutLimitsOfJson(jsonSchema) },
  );
}

/** Omits the limits of safe integers, which hold for every integer in JSON. */
function withoutLimitsOfJson(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function operation(id: string, tag: string, route: Route): ZodOpenApiOperationObject {
  const { method, summary, aliases, params, query, body, permission, filtered } = route;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(aliases.length > 0 ? { description: `Also at ${aliases.map((alias) => `\`${alias}\``).join(', ')}.` } : {}),
    ...(aliases.length > 0 ? { 'x-aliases': aliases } : {}),
    ...(permission === null ? {} : { 'x-permission': permissionName(permission) }),
    ...(filtered ? { 'x-filtered': true } : {}),
    security: securityOf(route),
    requestParams: {
      ...(params instanceof z.ZodObject ? { path: params } : {}),
      ...(query instanceof z.ZodObject ? { query } : {}),
    },
    ...(method === 'POST' && !(body instanceof z.ZodUnknown) ? { requestBody: requestBody(id, route) } : {}),
    responses: responses(id, route),
  };
}

/** `obj` of a dry run. */
const PREVIEW = { $ref: '#/components/schemas/Preview' };

/** The schema of its dry run, or why a changing route has none. */
function dryRun(route: Route): object {
  const reason = noDryRunOf(route);
  return {
    ...(dryRunOf(route) === null ? {} : { 'x-dry-run': PREVIEW }),
    ...(reason === null ? {} : { 'x-no-dry-run': reason }),
  };
}

/** The parameters that are not of one route alone. */
function parametersOf(route: Route): { $ref: `#/components/parameters/${string}` }[] {
  const names = [
    ...(route.method === 'POST'
      ? ['IdempotencyKey', ...(route.auth === 'none' ? [] : ['IfMatch', 'ExpectedVersion'])]
      : []),
    ...(dryRunOf(route) === null ? [] : ['DryRun']),
    ...(answersAt(route) ? ['At'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** A body may be JSON or a form. */
function requestBody(id: string, { body, upload }: Route): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  const schema = named(`${id}Body`, body);
  if (upload !== null) return { required: true, content: { 'multipart/form-data': { schema } } };
  return {
    required: true,
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  };
}

function responses(id: string, { auth, method, media, reply }: Route): ZodOpenApiResponsesObject {
  const schema = media === null ? envelopeOf(id, reply) : reply;
  const special = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    200: {
      description: media === null ? 'The envelope; `success` says whether it was done' : 'The file',
      content: { [media ?? 'application/json']: { schema } },
    },
    ...(method === 'POST' ? { 400: special('Unreadable'), 413: special('TooLarge') } : {}),
    ...(method === 'POST' && auth !== 'none' ? { 412: special('Stale') } : {}),
    ...(media === 'application/octet-stream' ? { 503: special('NotNow') } : {}),
    ...(auth === 'none' && method === 'GET' ? {} : { 403: special('Forbidden') }),
    ...(auth === 'none'
      ? {}
      : { 401: special('NotLoggedIn'), 404: special(media === null ? 'Hidden' : 'FileNotFound') }),
  };
}

const envelopes = new Map<z.ZodType, z.ZodType>();

/** The envelope of a reply: one for each reply schema, and one for all replies that are only a message. */
function envelopeOf(id: string, reply: z.ZodType): z.ZodType {
  const key = reply instanceof z.ZodNull ? messageOnly : reply;
  const known = envelopes.get(key);
  if (known) return known;
  const made = z.object({
    success: z.boolean(),
    msg: z.string(),
    obj: key === messageOnly ? z.null() : named(`${id}Reply`, reply).nullable(),
    code: messageCode,
  });
  envelopes.set(key, made);
  return key === messageOnly ? named('Sentence', made) : made;
}
const messageOnly = z.null();

function securityOf({ auth, method }: Route): oas31.SecurityRequirementObject[] {
  if (auth === 'none') return [{}];
  const session = method === 'POST' ? { session: [], csrf: [] } : { session: [] };
  return auth === 'panel' ? [session, { bearer: [] }] : [session];
}
