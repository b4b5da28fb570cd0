import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { Rejection, type RejectionCode, rejectionCodes } from '../src/commands/rejection.js';
import { catalog } from '../src/events/catalog.js';
import type { EventType } from '../src/events/event.js';
import { secretKeys, secretsTable, settingKeys, settingsTable } from '../src/events/settings.js';
import { tables } from '../src/http/contract/index.js';
import type { Route } from '../src/http/contract/route.js';

const made = '<!-- Made by `npm run docs` from the code. Do not edit: a test compares. -->';

interface JsonSchema {
  readonly type?: string;
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

/** A schema in a few words, as TypeScript would write it. */
function shape(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' \\| ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(shape))].join(' \\| ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(shape).join(', ')}]`;
  if (schema.type === 'array') return `${shape(schema.items ?? {})}[]`;
  if (schema.properties) {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties).map(
      ([key, value]) => `${key}${required.has(key) ? '' : '?'}: ${shape(value)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  if (schema.type === 'object') return 'object';
  return schema.type ?? 'any';
}

function schemaText(schema: z.ZodType): string {
  return shape(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
}

export function eventsPage(): string {
  const rows = (catalog as unknown as readonly EventType[]).map((type) => {
    const sealed = Object.keys(type.seals).join(', ') || '–';
    return `| \`${type.type}\` | ${type.class} | ${type.schemaVersion} | ${sealed} | ${type.summary} | ${schemaText(type.schema)} |`;
  });
  return [
    '# Events',
    made,
    '',
    'Every fact that the log can hold. `kept` events stay for ever; of `measured` ones the payload is rolled up after the retention window.',
    'Sealed fields are ciphertext in the log.',
    '',
    '| Type | Class | Schema | Sealed | What it says | Data |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Stands for every detail of a rejection, so that the sentence shows where details go. */
const placeholder = new Proxy(
  { flaws: [{ key: '‹key›', why: '‹why›' }] as unknown },
  { get: (known, name) => (name in known ? known[name as 'flaws'] : `‹${String(name)}›`) },
);

export function errorsPage(): string {
  const rows = rejectionCodes.map(
    (code: RejectionCode) => `| \`${code}\` | ${new Rejection(code, placeholder).message} |`,
  );
  return [
    '# Errors',
    made,
    '',
    'Every reason to say no. The answer is the envelope with `success: false` and the sentence in `msg`; nothing was changed.',
    '',
    '| Code | Sentence |',
    '|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function routeRow({ method, path, aliases, auth, summary, body }: Route): string {
  const asked = schemaText(body);
  const also = aliases.map((alias) => `\`${alias}\``).join(' ') || '–';
  return `| ${method} | \`${path}\` | ${auth} | ${summary} | ${asked === 'any' ? '–' : asked} | ${also} |`;
}

export function apiPage(): string {
  const sections = Object.entries(tables).map(([name, table]) => [
    `## ${name}`,
    '',
    '| Method | Path | Auth | Does | Body | Also at |',
    '|---|---|---|---|---|---|',
    ...Object.values(table).map((route) => routeRow(route as Route)),
    '',
  ]);
  const settings = settingKeys.map((key) => {
    const fallback = JSON.stringify(settingsTable[key].parse(undefined));
    return `| \`${key}\` | ${schemaText(settingsTable[key])} | \`${fallback}\` |`;
  });
  const secrets = secretKeys.map((key) => `| \`${key}\` | ${schemaText(secretsTable[key])} | *secret* |`);
  return [
    '# API',
    made,
    '',
    'All paths lie under the base path. `session` = a logged-in browser with its CSRF token; `panel` = that or the Bearer token.',
    'Bodies are JSON or form-encoded. Answers are `{success, msg, obj}` with HTTP 200 unless stated.',
    'An `Idempotency-Key` header makes a repeated request have one effect and the same answer.',
    '',
    ...sections.flat(),
    '## Settings',
    '',
    '| Key | Type | Default |',
    '|---|---|---|',
    ...settings,
    ...secrets,
    '',
    'A secret is never answered: a flag `has…` says whether it is set. Left blank in an update it stays as it is.',
    '',
  ].join('\n');
}

export const pages: Readonly<Record<string, () => string>> = {
  'docs/events.md': eventsPage,
  'docs/errors.md': errorsPage,
  'docs/api.md': apiPage,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [file, page] of Object.entries(pages)) {
    const text = page();
    let before = '';
    try {
      before = readFileSync(file, 'utf8');
    } catch {
      // The first time there is none.
    }
    if (before !== text) writeFileSync(file, text);
    process.stdout.write(`${before === text ? 'same   ' : 'written'} ${file}\n`);
  }
}
