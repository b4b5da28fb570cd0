/** The first line of a generated page. */
export const GENERATED = '<!-- Made by `npm run docs` from the code. Do not edit: a test compares. -->';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  /** Metadata of src/events/fields.ts. */
  readonly unit?: string;
  readonly meanings?: Readonly<Record<string, string>>;
  readonly typeName?: string;
}

/** A schema in a few words, as TypeScript would write it. `resolve` says what stands for a reference. */
export function shape(schema: JsonSchema, resolve = (ref: string): string => ref): string {
  const inner = (part: JsonSchema): string => shape(part, resolve);
  if (schema.typeName !== undefined) return typeLink(schema.typeName);
  if (schema.$ref !== undefined) return resolve(schema.$ref);
  if (Array.isArray(schema.type)) {
    const types = schema.type as readonly string[];
    return types.map((type) => inner({ ...schema, type })).join(' \\| ');
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' \\| ');
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(inner))].join(' \\| ');
  if (schema.prefixItems) return `[${schema.prefixItems.map((part) => part.title ?? inner(part)).join(', ')}]`;
  if (schema.type === 'array') return listOf(inner(schema.items ?? {}));
  if (schema.properties) {
    const required = new Set(schema.required);
    const members = Object.entries(schema.properties).map(
      ([key, value]) => `${key}${required.has(key) ? '' : '?'}: ${inner(value)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  if (schema.type === 'object') return 'object';
  return String(schema.type ?? 'any');
}

/** `(a | b)[]` */
export const listOf = (item: string): string => (/^[^{]*\|/.test(item) ? `(${item})[]` : `${item}[]`);

export const typeLink = (name: string): string => `[${name}](#${name.toLowerCase()})`;
