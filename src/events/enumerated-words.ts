import { z } from 'zod';
import { catalog } from './catalog.js';

/** All strings that the schemas of the event types list: members of enumerations, and literals. */
export function enumeratedWords(): ReadonlySet<string> {
  const words = new Set<string>();
  const add = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { enum: members = [], const: only } = schema as {
      readonly enum?: readonly unknown[];
      readonly const?: unknown;
    };
    for (const word of [...members, only]) if (typeof word === 'string') words.add(word);
    for (const part of Object.values(schema)) add(part);
  };
  for (const { schema } of catalog) add(z.toJSONSchema(schema, { unrepresentable: 'any' }));
  return words;
}
