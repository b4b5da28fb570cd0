import { assert as check, integer, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEvent, type EventType, upcast } from '../../src/events/log/event.js';

/** A type that was changed twice: a name was split, then a limit was added. */
const Moved: EventType = defineEvent('Moved', {
  summary: 'A person moved.',
  recordedBy: { Move: 'a person moves' },
  data: z.strictObject({ first: z.string(), last: z.string(), street: z.string(), limit: z.int() }),
  stream: () => 'people',
  upcast: {
    1: ({ name, street }: { name: string; street: string }) => {
      const [first = '', ...rest] = name.split(' ');
      return { first, last: rest.join(' '), street };
    },
    2: (older: object) => ({ ...older, limit: 0 }),
  },
});

describe('upcasting', () => {
  it('derives the schema version from the upcasters', () => {
    expect(Moved.schemaVersion).toBe(3);
    expect(
      defineEvent('New', { summary: 'x', recordedBy: {}, data: z.strictObject({}), stream: () => 'x' }).schemaVersion,
    ).toBe(1);
  });

  it('converts the first version through the second to the third', () => {
    expect(upcast(Moved, { name: 'Ada King Lovelace', street: 'a' }, 1)).toStrictEqual({
      first: 'Ada',
      last: 'King Lovelace',
      street: 'a',
      limit: 0,
    });
  });

  it('converts the second version to the third', () => {
    expect(upcast(Moved, { first: 'Ada', last: 'K', street: 'a' }, 2)).toStrictEqual({
      first: 'Ada',
      last: 'K',
      street: 'a',
      limit: 0,
    });
  });

  it('keeps the current version', () => {
    const data = { first: 'Ada', last: 'K', street: 'a', limit: 7 };
    expect(upcast(Moved, data, 3)).toBe(data);
  });

  it('reports a missing step', () => {
    const upcasters = { 1: (older: object) => older };
    const torn: EventType = Object.assign(Moved.bind(null), { ...Moved, type: 'Torn', schemaVersion: 3, upcasters });
    expect(() => upcast(torn, {}, 1)).toThrow('Torn has no upcaster from schema version 2');
  });

  it('reads all data that an older version stored', () => {
    const v1 = record({ name: string(), street: string() });
    const v2 = record({ first: string(), last: string(), street: string() });
    const v3 = record({ first: string(), last: string(), street: string(), limit: integer() });
    for (const [i, stored] of [v1, v2, v3].entries()) {
      check(property(stored, (data) => void Moved.schema.parse(upcast(Moved, data, i + 1))));
    }
  });

  it('does not change its input', () => {
    const stored = Object.freeze({ name: 'Ada King', street: 'a' });
    expect(upcast(Moved, stored, 1)).not.toBe(stored);
    expect(stored).toStrictEqual({ name: 'Ada King', street: 'a' });
  });
});
