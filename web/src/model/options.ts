/** The part of JSON Schema that the generated schemas of forms use. */
export interface OptionSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly required?: readonly string[];
  readonly items?: OptionSchema;
  readonly anyOf?: readonly OptionSchema[];
  readonly enum?: readonly string[];
  /** Usual values; others are accepted too. */
  readonly examples?: readonly string[];
  readonly default?: unknown;
  /** For an object with any names. */
  readonly additionalProperties?: OptionSchema;
}

/** What a form edits. The members of `settings` differ by protocol. */
export interface OptionSchemas {
  readonly root: OptionSchema;
  readonly settings: Readonly<Record<string, OptionSchema>>;
}

/** `map`: names with a text each. `items`: a list of objects. */
export type OptionKind = 'text' | 'number' | 'switch' | 'select' | 'list' | 'map' | 'items';

/** What an input of an option is, as its schema says. */
export interface OptionInput {
  readonly kind: OptionKind;
  readonly options?: readonly string[];
  readonly fallback?: string | number | boolean;
  readonly isRequired?: boolean;
}

/** The schema at a path such as `wsSettings.path` or `certificates.0.key`; undefined if the contract has none. */
export function schemaAt(schema: OptionSchema | undefined, path: string): OptionSchema | undefined {
  return path === '' ? schema : path.split('.').reduce(memberOf, schema);
}

function memberOf(schema: OptionSchema | undefined, name: string): OptionSchema | undefined {
  return /^\d+$/.test(name) ? schema?.items : schema?.properties?.[name];
}

/** The input for the option at a path. Throws for a path that the contract does not have: a test opens every form. */
export function inputAt(schema: OptionSchema | undefined, path: string): OptionInput {
  const found = schemaAt(schema, path);
  if (!found) throw new Error(`no schema of the contract has ${path}`);
  const end = path.lastIndexOf('.');
  const parent = schemaAt(schema, path.slice(0, Math.max(end, 0)));
  const isRequired = parent?.required?.includes(path.slice(end + 1)) ?? false;
  return { ...inputOf(found, isRequired), ...(isRequired ? { isRequired } : {}) };
}

function inputOf(schema: OptionSchema, isRequired: boolean): OptionInput {
  const fallback = typeof schema.default === 'object' ? undefined : (schema.default as OptionInput['fallback']);
  const known = fallback === undefined ? {} : { fallback };
  const values = schema.enum ?? schema.examples;
  if (values) {
    const isOpen = fallback === undefined && !isRequired && !values.includes('');
    return { kind: 'select', options: isOpen ? ['', ...values] : values, ...known };
  }
  const list = [schema, ...(schema.anyOf ?? [])].find(({ items }) => items);
  if (list?.items?.properties) return { kind: 'items' };
  if (list) return { kind: 'list', ...(list.items?.examples ? { options: list.items.examples } : {}) };
  if (schema.additionalProperties) return { kind: 'map' };
  const type = schema.type ?? schema.anyOf?.[0]?.type;
  if (type === 'boolean') return { kind: 'switch', ...known };
  return { kind: type === 'integer' ? 'number' : 'text', ...known };
}

/** All paths of a schema that an input could edit. The members of the items of a list have the index 0. */
export function leavesOf(schema: OptionSchema, path = ''): readonly string[] {
  const inside = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (schema.items?.properties) return leavesOf(schema.items, inside('0'));
  const members = Object.entries(schema.properties ?? {});
  return members.length === 0 ? [path] : members.flatMap(([name, member]) => leavesOf(member, inside(name)));
}
