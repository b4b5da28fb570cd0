import { z } from 'zod';

/**
 * Field types that events share. Metadata for docs/events.md describes the values: `unit` of a number, `title` of a place in
 * a tuple, `meanings` of the members of an enumeration, `typeName` of an object that several events use.
 */

/** A count of bytes: an integer that JSON carries exactly. */
export const Bytes = z.int().nonnegative().meta({ unit: 'bytes' });
/** Milliseconds since 1970-01-01 UTC. */
export const Time = z.int().nonnegative().meta({ unit: 'ms since 1970 UTC' });
export const Count = z.int().nonnegative().meta({ unit: 'count' });
/** A position of the log. */
export const Position = z.int().nonnegative().meta({ unit: 'position' });

/** Numbers the values of a sealed field: each is encrypted under its own data key. */
export const KeyVersion = z
  .int()
  .positive()
  .meta({ unit: 'version', description: 'Version of the data key of the sealed fields, counted from 1.' });

export const Up = Bytes.describe('Bytes from the client to the internet.');
export const Down = Bytes.describe('Bytes from the internet to the client.');

export const Run = z.string().describe('Id of the run of the core, a UUID. The counters of a run start at 0.');
export const Hash = z.string().meta({ unit: 'hex', description: 'SHA-256 of the file.' });

/** A place in a tuple. */
export function place<S extends z.ZodType>(title: string, schema: S): S {
  return schema.meta({ title });
}

/** An enumeration, each member with its meaning. */
export function oneOf<const M extends Readonly<Record<string, string>>>(meanings: M) {
  return z.enum(Object.keys(meanings) as (keyof M & string)[]).meta({ meanings });
}
