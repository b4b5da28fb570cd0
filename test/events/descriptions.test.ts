import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventSchema, fieldsOf, typesIn, unitOf } from '../../scripts/docs-events.js';
import { deciders } from '../../src/commands/catalog.js';
import { catalog } from '../../src/events/catalog.js';
import { Bytes, oneOf } from '../../src/events/fields.js';
import { defineEvent, type EventType } from '../../src/events/log/event.js';

const types: readonly EventType[] = catalog;
const isSentence = (text: string | undefined): boolean => text !== undefined && /^[A-Z`].*\.$/s.test(text);
const isNumber = ({ type, anyOf }: { type?: unknown; anyOf?: readonly { type?: unknown }[] }): boolean =>
  type === 'integer' || type === 'number' || (anyOf ?? []).some(isNumber);

/** The gaps of an event in docs/events.md: its summary, its commands, a field's meaning or the unit of a number. */
function gapsOf(type: Pick<EventType, 'summary' | 'recordedBy' | 'schema'>): readonly string[] {
  const schema = eventSchema(type);
  const fields = [schema, ...typesIn(schema).map(([, part]) => part)].flatMap((part) => fieldsOf(part));
  const gaps = fields.flatMap(({ path, schema: field }) => [
    ...(isSentence(field.description) ? [] : [`${path} has no meaning`]),
    ...(isNumber(field) && unitOf(field) === undefined ? [`${path} has no unit`] : []),
  ]);
  const recorders = Object.entries(type.recordedBy);
  const vague = recorders.filter(([, when]) => !/^[a-z`].*[^.]$/.test(when)).map(([command]) => `${command}: when?`);
  return [
    ...(isSentence(type.summary) ? [] : ['summary']),
    ...(recorders.length > 0 ? [] : ['recordedBy']),
    ...vague,
    ...gaps,
  ];
}

describe('the descriptions of events', () => {
  it.each(types.map((type) => [type.type, type] as const))('of %s are complete', (_, type) => {
    expect(gapsOf(type)).toStrictEqual([]);
  });

  it('name only existing commands, and every command', () => {
    const named = types.flatMap(({ recordedBy }) => Object.keys(recordedBy));
    expect([...new Set(named)].toSorted()).toStrictEqual(Object.keys(deciders).toSorted());
  });

  it('have a gap where a summary, a command, a meaning or a unit is missing', () => {
    const Moved = defineEvent('Moved', {
      summary: 'a client moved',
      recordedBy: {},
      data: z.strictObject({
        client: Bytes,
        from: z.string().describe('Former place.'),
        times: z.array(z.tuple([z.int().meta({ title: 'at', description: 'When.' })])).describe('Times.'),
        inside: z.strictObject({ kind: oneOf({ near: 'not far' }) }).describe('More.'),
        shared: z.strictObject({ hidden: z.string() }).meta({ typeName: 'Shared', description: 'Shared type.' }),
        list: z.array(z.strictObject({ name: z.string().nullable() })).describe('List.'),
      }),
      stream: () => 'x',
    });
    expect(gapsOf(Moved)).toStrictEqual([
      'summary',
      'recordedBy',
      'client has no meaning',
      'times[].at has no unit',
      'inside.kind has no meaning',
      'list[].name has no meaning',
      'hidden has no meaning',
    ]);
    expect(gapsOf({ ...Moved, recordedBy: { Move: 'When it moved.' } })).toContain('Move: when?');
  });
});
