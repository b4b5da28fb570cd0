import { z } from 'zod';
import { answersAt } from '../src/http/panel/contract/moments.js';
import type { Route } from '../src/http/panel/contract/route.js';
import { operations } from '../src/http/panel/openapi/document.js';
import { SocketMessage } from '../src/http/panel/openapi/socket.js';
import { PERMISSION_NAMES, permissionName } from '../src/lib/permissions.js';

/** Where the types of the web client are written. A test compares them with the route tables. */
export const CONTRACT_FILE = 'web/src/api/contract.generated.ts';

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Named resources, which are written once. */
type Resources = Map<string, string>;

/** A schema as a TypeScript type. */
function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  if (schema.prefixItems) return `readonly [${schema.prefixItems.map(typeOf).join(', ')}]`;
  if (schema.type === 'array') return `readonly (${typeOf(schema.items ?? {})})[]`;
  if (schema.properties) return objectType(schema);
  if (schema.type === 'object') {
    const { additionalProperties } = schema;
    return `Readonly<Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'}>>`;
  }
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[String(schema.type)] ??
    'unknown'
  );
}

function objectType({ properties = {}, required = [] }: JsonSchema): string {
  const members = Object.entries(properties).map(([key, value]) => {
    const name = /^\w+$/.test(key) ? key : JSON.stringify(key);
    return `readonly ${name}${required.includes(key) ? '' : '?'}: ${typeOf(value)}`;
  });
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
}

/** The type of one schema of a route. Resources with a name are collected in `resources`. */
function print(schema: z.ZodType, io: 'input' | 'output', resources: Resources): string {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
  for (const [name, definition] of Object.entries($defs)) resources.set(name, typeOf(definition));
  return typeOf(own);
}

function bodyOf({ upload, body }: Route, resources: Resources): string {
  if (upload !== null) return 'FormData';
  return body instanceof z.ZodUnknown ? 'undefined' : print(body, 'input', resources);
}

function paramsOf({ path, params }: Route, resources: Resources): string {
  if (!path.includes(':')) return 'undefined';
  // A number in a path is written as it is.
  return print(params, 'input', resources).replaceAll(': string', ': string | number');
}

/** The paths by the permission that they need. A path with two methods has one permission for both. */
function pathsByPermission(): ReadonlyMap<string, ReadonlySet<string>> {
  const ofPath = new Map<string, string>();
  const paths = new Map<string, Set<string>>();
  for (const { route } of operations()) {
    if (route.permission === null) continue;
    const name = permissionName(route.permission);
    const known = ofPath.get(route.path) ?? name;
    if (known !== name)
      throw new Error(`${route.path} needs ${known} and ${name}: the web client takes one for a path`);
    ofPath.set(route.path, name);
    paths.set(name, (paths.get(name) ?? new Set()).add(route.path));
  }
  return paths;
}

/** The module that `web/src/api/client.ts` is built on: the types of each path by method, and the permissions. */
export function contractModule(): string {
  const resources: Resources = new Map();
  const rows: Record<Route['method'], string[]> = { GET: [], POST: [] };
  for (const { route } of operations()) {
    const { method, path, query, reply, media } = route;
    rows[method].push(
      `  '${path}': {`,
      `    params: ${paramsOf(route, resources)};`,
      `    query: ${query instanceof z.ZodUnknown ? 'undefined' : print(query, 'input', resources)};`,
      `    body: ${bodyOf(route, resources)};`,
      `    reply: ${media === null ? print(reply, 'output', resources) : 'File'};`,
      '  };',
    );
  }
  const message = print(SocketMessage, 'output', resources);
  const types = [...resources].toSorted(([one], [other]) => one.localeCompare(other));
  return [
    '// Written by `npm run docs` from the route tables in src/http/panel/contract. Do not edit: a test compares.',
    '',
    '/** The answer is a file, not the envelope: link to it instead of fetching it. */',
    'export interface File { readonly file: true }',
    '',
    '/** What a role may include. */',
    `export type Permission = ${PERMISSION_NAMES.map((name) => JSON.stringify(name)).join(' | ')};`,
    '',
    ...types.flatMap(([name, type]) => [`export type ${name} = ${type};`, '']),
    ...(resources.has('SocketMessage') ? [] : [`export type SocketMessage = ${message};`, '']),
    '/** The paths of the API by the permission that they need. */',
    'export const PATHS = {',
    ...[...pathsByPermission()].flatMap(([name, paths]) => [
      `  '${name}': [`,
      ...[...paths].map((path) => `    '${path}',`),
      '  ],',
    ]),
    '} as const satisfies Partial<Record<Permission, readonly (keyof Gets | keyof Posts)[]>>;',
    '',
    '/** The paths that answer `?at=` for an earlier moment. */',
    'export const AT_PATHS: readonly (keyof Gets | keyof Posts)[] = [',
    ...[...new Set(operations().map(({ route }) => route))].filter(answersAt).map(({ path }) => `  '${path}',`),
    '];',
    '',
    'export interface Gets {',
    ...rows.GET,
    '}',
    '',
    'export interface Posts {',
    ...rows.POST,
    '}',
    '',
  ].join('\n');
}
