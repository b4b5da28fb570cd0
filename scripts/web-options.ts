import { z } from 'zod';
import { inboundSettings } from '../src/http/panel/contract/schemas/core/inbound-settings.js';
import { Sniffing } from '../src/http/panel/contract/schemas/core/option.js';
import { Outbound, outboundSettings } from '../src/http/panel/contract/schemas/core/outbound-settings.js';
import { InboundStream } from '../src/http/panel/contract/schemas/core/stream.js';
import { CoreTemplate } from '../src/http/panel/contract/schemas/core/template.js';
import { inboundShape } from '../src/http/panel/contract/schemas/inbound.js';

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly examples?: readonly string[];
  readonly default?: unknown;
  readonly additionalProperties?: JsonSchema;
}

const plain = (schema: z.ZodType): JsonSchema => {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return inlined(own, $defs);
};

/** What a form needs of a schema: no references, descriptions or limits. */
function inlined(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const inner = (part: JsonSchema): JsonSchema => inlined(part, definitions);
  if (schema.$ref !== undefined) return inner(definitions[schema.$ref.slice('#/$defs/'.length)] ?? {});
  const { type, properties, required, items, anyOf, additionalProperties, enum: values, examples } = schema;
  const isMap = additionalProperties?.type !== undefined;
  return {
    ...(type === undefined ? {} : { type }),
    ...(values ? { enum: values } : {}),
    ...(examples ? { examples } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(required && required.length > 0 ? { required } : {}),
    ...(isMap ? { additionalProperties: inner(additionalProperties) } : {}),
    ...(items ? { items: inner(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(inner) } : {}),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])) }
      : {}),
  };
}

const HEADER = '// Written by `npm run docs` from src/http/panel/contract/schemas/core. Do not edit: a test compares.';

/** A module with the schema of a form. The settings differ by protocol. */
function module(name: string, root: z.ZodType, parts: Readonly<Record<string, z.ZodType>>, settings: object): string {
  const own = plain(root);
  const inner = Object.entries(parts).map(([member, schema]) => [member, plain(schema)] as const);
  const { settings: _settings, ...properties } = { ...own.properties, ...Object.fromEntries(inner) };
  const byProtocol = Object.entries(settings).map(([protocol, schema]) => [protocol, plain(schema as z.ZodType)]);
  return [
    HEADER,
    "import type { OptionSchemas } from '../model/options';",
    '',
    `export const ${name}: OptionSchemas = {`,
    `  root: ${JSON.stringify({ ...own, properties })},`,
    '  settings: {',
    ...byProtocol.map(([protocol, schema]) => `    ${protocol as string}: ${JSON.stringify(schema)},`),
    '  },',
    '};',
    '',
  ].join('\n');
}

/** What completion needs of a schema: names and values. */
function bare({ properties, items, anyOf, additionalProperties, enum: values, examples }: JsonSchema): JsonSchema {
  const inner = (parts: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, one]) => [name, bare(one)]));
  const either = anyOf?.map(bare).filter((one) => Object.keys(one).length > 0) ?? [];
  const known = values ?? examples;
  return {
    ...(known ? { examples: known } : {}),
    ...(properties ? { properties: inner(properties) } : {}),
    ...(items ? { items: bare(items) } : {}),
    ...(additionalProperties ? { additionalProperties: bare(additionalProperties) } : {}),
    ...(either.length > 0 ? { anyOf: either } : {}),
  };
}

const templateModule = (): string =>
  [
    HEADER,
    "import type { OptionSchema } from '../model/options';",
    '',
    `export const templateOptions: OptionSchema = ${JSON.stringify(bare(plain(CoreTemplate)))};`,
    '',
  ].join('\n');

/** The schemas that the forms of the web panel are made of, by the file that they are written to. */
export const optionModules: Readonly<Record<string, () => string>> = {
  'web/src/api/inbound-options.generated.ts': () =>
    module(
      'inboundOptions',
      z.object(inboundShape),
      { streamSettings: InboundStream, sniffing: Sniffing },
      inboundSettings,
    ),
  'web/src/api/outbound-options.generated.ts': () => module('outboundOptions', Outbound, {}, outboundSettings),
  'web/src/api/template-options.generated.ts': templateModule,
};
