import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { catalog } from '../src/events/catalog.js';
import type { EventType } from '../src/events/log/event.js';
import { GENERATED, type JsonSchema, listOf, shape, typeLink } from './docs-shape.js';

/** One field of an event, with its path: `ips[].seenAt`. */
export interface Field {
  readonly path: string;
  readonly schema: JsonSchema;
  /** Some events of the type do not have it. */
  readonly optional: boolean;
}

export const eventSchema = (type: Pick<EventType, 'schema'>): JsonSchema =>
  z.toJSONSchema(type.schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

const isNull = ({ type }: JsonSchema): boolean => type === 'null';

/** The alternatives of a schema, without null. */
function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const either = schema.anyOf ?? schema.oneOf;
  return either ? either.filter((part) => !isNull(part)).flatMap(alternatives) : [schema];
}

/** The fields of an object, including nested ones, except those of types with a separate section. */
export function fieldsOf(schema: JsonSchema, prefix = ''): readonly Field[] {
  const fields = alternatives(schema).flatMap((part) => {
    const required = new Set(part.required);
    return Object.entries(part.properties ?? {}).flatMap(([name, field]) => [
      { path: prefix + name, schema: field, optional: !required.has(name) },
      ...insideOf(field, prefix + name),
    ]);
  });
  return fields.filter(({ path }, i) => fields.findIndex((other) => other.path === path) === i);
}

function insideOf(field: JsonSchema, path: string): readonly Field[] {
  return alternatives(field).flatMap((part) => {
    if (part.typeName !== undefined || field.typeName !== undefined) return [];
    if (part.properties) return fieldsOf(part, `${path}.`);
    if (part.prefixItems)
      return part.prefixItems.flatMap((place, i) => {
        const own = `${path}.${place.title ?? i}`;
        return [{ path: own, schema: place, optional: false }, ...insideOf(place, own)];
      });
    return part.items ? insideOf(part.items, `${path}[]`) : [];
  });
}

/** The types with a separate section that a schema refers to, by name. */
export function typesIn(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const inside = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.prefixItems ?? []),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? schema.oneOf ?? []),
  ];
  const own = schema.typeName === undefined ? [] : [[schema.typeName, schema] as const];
  return [...own, ...inside.flatMap(typesIn)];
}

/** The stream of an event, with the fields in its name: `client-{client}`. A name that is computed from a number has `{n}`. */
function streamOf(type: EventType): string {
  const names = new Proxy({}, { get: (_, field) => `{${String(field)}}` });
  return type.stream(names).replace('NaN', '{n}');
}

/** The unit of a number, also of the numbers in an array. */
export function unitOf(schema: JsonSchema): string | undefined {
  const [part] = alternatives(schema);
  return schema.unit ?? part?.unit ?? (part?.items ? unitOf(part.items) : undefined);
}

/** The meanings of the members of an enumeration, if described. */
function meaningsOf(schema: JsonSchema): string {
  const [part] = alternatives(schema);
  const meanings = schema.meanings ?? part?.meanings ?? part?.items?.meanings;
  return Object.entries(meanings ?? {})
    .map(([member, meaning]) => `<br>\`${member}\`: ${meaning}`)
    .join('');
}

/** A short form of the type of a field; types with rows or a section of their own are only named. */
function typeText(schema: JsonSchema): string {
  if (schema.typeName !== undefined) return typeLink(schema.typeName);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map(typeText))].join(' \\| ');
  if (schema.properties) return 'object';
  return schema.type === 'array' && schema.items ? listOf(typeText(schema.items)) : shape(schema);
}

function fieldRow({ path, schema, optional }: Field, seals: EventType['seals']): string {
  const sealed = path in seals ? '*Sealed.* ' : '';
  const meaning = `${sealed}${schema.description ?? ''}${meaningsOf(schema)}`;
  return `| \`${path}\`${optional ? ' (optional)' : ''} | ${typeText(schema)} | ${unitOf(schema) ?? '–'} | ${meaning} |`;
}

const fieldTable = (rows: readonly string[]): readonly string[] => [
  '| Field | Type | Unit | Meaning |',
  '|---|---|---|---|',
  ...rows,
  '',
];

function eventSection(type: EventType): readonly string[] {
  const rows = fieldsOf(eventSchema(type)).map((field) => fieldRow(field, type.seals));
  const sample = new URL(`../test/events/samples/${type.type}.v${type.schemaVersion}.json`, import.meta.url);
  const example = JSON.stringify(JSON.parse(readFileSync(sample, 'utf8')));
  const recorders = Object.entries(type.recordedBy).map(([command, when]) => `- \`${command}\`: ${when}`);
  return [
    `### ${type.type}`,
    '',
    type.summary,
    '',
    `Stream \`${streamOf(type)}\`, version ${type.schemaVersion}, ${type.class}. Recorded by:`,
    '',
    ...recorders,
    '',
    ...(rows.length > 0 ? fieldTable(rows) : ['It has no fields.', '']),
    '```json',
    example,
    '```',
    '',
  ];
}

function typeSections(types: readonly EventType[]): readonly string[] {
  const found = types.flatMap((type) => typesIn(eventSchema(type)));
  // In `changes`, the type with all fields required is meant.
  const isWhole = (schema: JsonSchema): boolean => schema.required !== undefined || schema.properties === undefined;
  const names = [...new Set(found.map(([name]) => name))].toSorted();
  return names.flatMap((name) => {
    const schema = found.find(([other, candidate]) => other === name && isWhole(candidate))?.[1] ?? {};
    return [`### ${name}`, '', ...fieldTable(fieldsOf(schema).map((field) => fieldRow(field, {})))];
  });
}

export function eventsPage(): string {
  const types: readonly EventType[] = catalog;
  const nouns = new Map<string, EventType[]>();
  for (const type of types) {
    const noun = streamOf(type).replace(/-\{.*$/, '');
    nouns.set(noun, [...(nouns.get(noun) ?? []), type]);
  }
  const contents = [...nouns].map(([noun, own]) => {
    const links = own.map(({ type }) => typeLink(type)).join(', ');
    return `- **${noun}**: ${links}`;
  });
  const sections = [...nouns].flatMap(([noun, own]) => [`## ${noun}`, '', ...own.flatMap(eventSection)]);
  return [
    '# Events',
    GENERATED,
    '',
    'This page is the reference of all event types in the log, grouped by the first part of their stream. For each type it says what the event',
    'records, which [commands](glossary.md#event-sourcing) record it and when, and what its fields mean.',
    '',
    '- `kept` events stay in the log forever. The payloads of `measured` events are rolled up after the retention window, see',
    '  [MeasurementsRolledUp](#measurementsrolledup).',
    '- *Sealed* fields are encrypted in the log. The [event feed](event-feed.md) does not contain them. After their data key is destroyed, they are read as',
    '  empty values.',
    '- Fields marked with *optional* may be absent. All other fields are always present.',
    '- Bytes up are those that a client sends, bytes down are those that it receives.',
    '- Types that several events use are described at the [end](#types).',
    '',
    ...contents,
    '',
    ...sections,
    '## Types',
    '',
    ...typeSections(types),
  ].join('\n');
}
