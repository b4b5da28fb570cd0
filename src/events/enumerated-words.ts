import { z } from 'zod';
import { catalog } from './catalog.js';
import { defaultSettings, secretKeys } from './settings/settings.js';

/** A schema of an event type or a part of it, as JSON schema. */
interface Part {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: object;
}

function* partsOf(schema: unknown): Generator<Part> {
  if (typeof schema !== 'object' || schema === null) return;
  yield schema;
  for (const part of Object.values(schema)) yield* partsOf(part);
}

function* allParts(): Generator<Part> {
  for (const { schema } of catalog) yield* partsOf(z.toJSONSchema(schema, { unrepresentable: 'any' }));
}

/** All strings that the schemas of the event types list: members of enumerations, and literals. */
export function enumeratedWords(): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { enum: members = [], const: only } of allParts())
    for (const word of [...members, only]) if (typeof word === 'string') words.add(word);
  return words;
}

/** The names of all members that the schemas of the event types define, and the keys of the settings. */
export function memberNames(): ReadonlySet<string> {
  const names = new Set<string>([...Object.keys(defaultSettings), ...secretKeys]);
  for (const { properties = {} } of allParts()) for (const name of Object.keys(properties)) names.add(name);
  return names;
}
