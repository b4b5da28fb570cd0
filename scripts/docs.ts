import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { secretKeys, secretsTable, settingKeys, settingsTable } from '../src/events/settings/settings.js';
import { openApi } from '../src/http/panel/openapi/document.js';
import { SOCKET_TAG, socketMessages } from '../src/http/panel/openapi/socket.js';
import { eventsPage } from './docs-events.js';
import { GENERATED, type JsonSchema, shape } from './docs-shape.js';
import { CONTRACT_FILE, contractModule } from './web-contract.js';
import { optionModules } from './web-options.js';

function schemaText(schema: z.ZodType): string {
  return shape(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
}

/** The English text of a message, with its parameters as `‹name›`. */
const shownPlaces = (text: string): string =>
  text.replaceAll(/\{\{(\w+)(?:, \w+)?\}\}/g, '‹$1›').replaceAll('|', '\\|');

export function errorsPage(): string {
  const texts = JSON.parse(readFileSync('locales/en/rejections.json', 'utf8')) as Readonly<Record<string, string>>;
  const rows = Object.entries(texts).map(([code, text]) => `| \`${code}\` | ${shownPlaces(text)} |`);
  return [
    '# Errors',
    GENERATED,
    '',
    'This page lists all errors of the API. The response has `success: false`, the code in `code` and the text in',
    '`msg`, in the language of the caller; nothing was changed. Codes are stable, texts are not. The texts are in `locales/`.',
    '',
    '| Code | Text |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly in?: string; readonly name?: string; readonly schema?: JsonSchema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }>
  >;
  readonly 'x-aliases'?: readonly string[];
  readonly 'x-permission'?: string;
  readonly 'x-filtered'?: boolean;
}
interface Contract {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** Schemas that repeat the settings table. */
const SETTINGS: Readonly<Record<string, string>> = {
  Settings: '[settings](#setting-keys)',
  settingsUpdateBody: 'some of the [settings](#setting-keys)',
};

/** Resources that the tables name and that are described below them. */
const named = (schemas: Contract['components']['schemas']): readonly string[] =>
  Object.keys(schemas).filter((name) => !/(Body|Reply|Message)$|^Sentence$/.test(name) && !(name in SETTINGS));

function contractSections({ tags, paths, components: { schemas } }: Contract): readonly string[] {
  const resources = named(schemas);
  const resolve = (ref: string): string => {
    const name = ref.slice(ref.lastIndexOf('/') + 1);
    const setting = SETTINGS[name];
    if (setting !== undefined) return setting;
    return resources.includes(name) ? `[${name}](#${name.toLowerCase()})` : shape(schemas[name] ?? {}, resolve);
  };
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      tag: operation.tags[0],
      row: `| ${method.toUpperCase()} | \`${path.replaceAll(/\{(\w+)\}/g, ':$1')}\` | ${authOf(operation)} | ${permissionOf(operation)} | ${operation.summary}${choices(operation)} | ${bodyText(operation, resolve)} | ${replyText(operation, resolve)} | ${alsoAt(operation)} |`,
    })),
  );
  const tables = tags.flatMap(({ name, description }) => [
    `## ${name}`,
    '',
    description,
    '',
    '| Method | Path | Auth | Permission | Summary | Body | `obj` of the response | Also at |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.filter(({ tag }) => tag === name).map(({ row }) => row),
    '',
    ...(name === SOCKET_TAG.name ? socketSection(schemas, resolve) : []),
  ]);
  return [...tables, ...resources.flatMap((name) => resourceSection(name, schemas[name] ?? {}, resolve))];
}

function resourceSection(name: string, schema: JsonSchema, resolve: (ref: string) => string): readonly string[] {
  if (schema.anyOf) return [`## ${name}`, '', `${schema.description ?? ''} ${shape(schema, resolve)}`.trim(), ''];
  const members = Object.entries(schema.properties ?? {});
  const isDescribed = members.some(([, { description, examples }]) => description !== undefined || examples);
  const rows = members.map(([key, value]) => {
    const note = isDescribed ? ` ${fallbackOf(value)} | ${descriptionOf(value)} |` : '';
    return `| \`${key}\` | ${shape(value, resolve)} |${note}`;
  });
  const head = isDescribed
    ? ['| Member | Type | Default | Description |', '|---|---|---|---|']
    : ['| Member | Type |', '|---|---|'];
  return [
    `## ${name}`,
    '',
    ...(schema.description === undefined ? [] : [schema.description, '']),
    ...head,
    ...rows,
    '',
  ];
}

const fallbackOf = ({ default: fallback }: JsonSchema): string =>
  fallback === undefined || fallback === '' ? '' : `\`${JSON.stringify(fallback)}\``;

function descriptionOf({ description = '', examples, anyOf = [] }: JsonSchema): string {
  const usual = examples ?? anyOf.find(({ items }) => items?.examples)?.items?.examples ?? [];
  const named = usual.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  return [description, named === '' ? '' : `Usual: ${named}.`].join(' ').trim();
}

/** The valid words for a path parameter. */
function choices({ parameters = [] }: Operation): string {
  const limited = parameters.filter((parameter) => parameter.in === 'path' && parameter.schema?.enum !== undefined);
  return limited.map(({ name, schema }) => `; \`:${name}\` = ${schema?.enum?.join(', ')}`).join('');
}

/** The messages of the WebSocket, below its table. */
function socketSection(
  schemas: Contract['components']['schemas'],
  resolve: (ref: string) => string,
): readonly string[] {
  const messages = schemas['SocketMessage']?.anyOf ?? [];
  const rows = messages.map((message) => {
    const { type, ...others } = message.properties ?? {};
    const said = String(type?.const);
    const when = socketMessages.find(({ schema }) => schema.shape.type.value === said)?.when ?? '';
    return `| \`${said}\` | ${when} | ${shape({ properties: others, required: Object.keys(others) }, resolve)} |`;
  });
  return ['| `type` | When | Other members |', '|---|---|---|', ...rows, ''];
}

function authOf({ security }: Operation): string {
  if (security.some((one) => 'bearer' in one)) return 'panel';
  return security.some((one) => 'session' in one) ? 'session' : 'none';
}

/** With an asterisk if the route also serves roles that see only a part of the clients. */
function permissionOf(operation: Operation): string {
  const permission = operation['x-permission'];
  if (permission === undefined) return '–';
  return operation['x-filtered'] === true ? `\`${permission}\` *` : `\`${permission}\``;
}

function bodyText({ requestBody }: Operation, resolve: (ref: string) => string): string {
  const schema = requestBody?.content['application/json']?.schema;
  return schema ? shape(schema, resolve) : '–';
}

/** The content of the envelope; for a file, its media type. */
function replyText({ responses }: Operation, resolve: (ref: string) => string): string {
  const [answer] = Object.entries(responses['200']?.content ?? {});
  if (!answer) return '–';
  const [media, { schema }] = answer;
  if (schema.$ref?.endsWith('/Sentence')) return '–';
  const obj = schema.properties?.['obj'];
  if (!obj) return `\`${media}\``;
  return shape(obj, resolve).replace(/ \\\| null$/, '');
}

function alsoAt(operation: Operation): string {
  return operation['x-aliases']?.map((alias) => `\`${alias}\``).join(' ') ?? '–';
}

export function apiPage(): string {
  // The version is omitted: it would be outdated after every release.
  const contract = JSON.parse(JSON.stringify(openApi(''))) as Contract;
  const settings = settingKeys.map((key) => {
    const fallback = JSON.stringify(settingsTable[key].parse(undefined));
    return `| \`${key}\` | ${schemaText(settingsTable[key])} | \`${fallback}\` |`;
  });
  const secrets = secretKeys.map((key) => `| \`${key}\` | ${schemaText(secretsTable[key])} | *secret* |`);
  return [
    '# API',
    GENERATED,
    '',
    'This page lists all endpoints of the panel. `GET /panel/api/openapi.json` returns the same in OpenAPI 3.1, and `/panel/api-docs` is an interactive page of them.',
    '',
    'All paths are below the base path. `session` means a logged-in session with its CSRF token; `panel` means a session or the Bearer token.',
    'The permission is what the route does, as a resource and an action; * marks routes that work on a part of the clients.',
    'Bodies are JSON or form-encoded. Responses are `{success, msg, obj}` with HTTP 200 unless stated. If `msg` is not empty, `code` is the stable code of its text; those of [errors](errors.md) are upper case.',
    '',
    'Texts are in the language of the caller. Beside a text in `obj` is its stable code, such as `errorCode` beside `error`. It is',
    '`null` where there is no text, and for texts of other programs. The list `remedies` has `remedyCodes`. If settings are rejected,',
    '`obj.errors` has `key`, `why` and `code` for each. `errorMsg` of the status is in English for all callers.',
    '',
    'With an `Idempotency-Key` header, a repeated request takes effect only once and gets the same response.',
    '',
    ...contractSections(contract),
    '## Setting keys',
    '',
    '| Key | Type | Default |',
    '|---|---|---|',
    ...settings,
    ...secrets,
    '',
    'Secrets are never returned: for each one, a flag `has…` says whether it is set. An empty secret in an update is unchanged.',
    '',
  ].join('\n');
}

export const pages: Readonly<Record<string, () => string>> = {
  'docs/events.md': eventsPage,
  'docs/errors.md': errorsPage,
  'docs/api.md': apiPage,
  [CONTRACT_FILE]: contractModule,
  ...optionModules,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [file, page] of Object.entries(pages)) {
    const text = page();
    let before = '';
    try {
      before = readFileSync(file, 'utf8');
    } catch {
      // The page does not exist yet.
    }
    if (before !== text) writeFileSync(file, text);
    process.stdout.write(`${before === text ? 'same   ' : 'written'} ${file}\n`);
  }
}
