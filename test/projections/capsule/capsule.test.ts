import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { catalog, eventType, type RecordedEvent } from '../../../src/events/catalog.js';
import { capsuleLine, readCapsule } from '../../../src/events/log/capsule-file.js';
import type { EventType } from '../../../src/events/log/event.js';
import { capsuleEvents, eventsOf, subjectsOf } from '../../../src/projections/capsule/capsule.js';
import { MANY_CLIENTS, ONE_CLIENT } from '../../../src/projections/capsule/selection.js';
import { keptWords } from '../../../src/projections/capsule/words.js';
import { replayed } from '../../../src/worker/capsule.js';
import { playedLogs, steps } from '../../kit/history/history.js';
import { valuesOf } from './values.js';

/** A capsule file as the command writes it. */
function fileOf(events: readonly RecordedEvent[]): string {
  const digests = replayed(events);
  const header = {
    capsule: 1,
    panel: '1.0.0',
    position: 9,
    events: events.length,
    clients: [1],
    inbounds: [1],
    digests,
  };
  return [JSON.stringify(header), ...events.map(capsuleLine)].join('\n');
}

/** Strings in sealed fields and names of actors that are not words of a format. */
function secretsOf(events: Iterable<RecordedEvent>): ReadonlySet<string> {
  const words = keptWords();
  const found = new Set<string>();
  for (const event of events) {
    const seals = eventType(event.type)?.seals ?? {};
    const sealed = Object.entries(event.data).filter(([field]) => Object.hasOwn(seals, field));
    for (const value of valuesOf(Object.fromEntries(sealed))) found.add(value);
    if (event.meta.actor.ip !== null) found.add(event.meta.actor.ip);
  }
  return new Set([...found].filter((value) => value.length > 5 && !words.has(value) && !/^[\d:.]+$/.test(value)));
}

describe('a capsule of any history', () => {
  it('replays to the digests that its header has, fits the schemas, and contains no sealed value', () => {
    const next = playedLogs();
    fc.assert(
      fc.property(steps(60), fc.nat(), (history, at) => {
        const { journal, player } = next();
        player.play(history);
        const head = journal.log.head().position;
        const all = () => eventsOf(journal.log);
        const around = 1 + (at % Math.max(1, head));
        const events = [...capsuleEvents(all, subjectsOf(all, { around }))];
        for (const { type, data } of events) expect(eventType(type)?.schema.parse(data), type).toStrictEqual(data);
        const file = fileOf(events);
        const read = readCapsule(file);
        expect(read.events).toStrictEqual(events);
        expect(replayed(read.events)).toStrictEqual(read.header.digests);
        const texts = new Set(events.flatMap(({ data, meta }) => [...valuesOf({ data, meta })]));
        const leaked = [...secretsOf(all())].filter((secret) => texts.has(secret));
        expect(leaked).toStrictEqual([]);
        journal.log.close();
      }),
      { numRuns: 60 },
    );
  });
});

type Def = z.core.$ZodTypes['_zod']['def'];

/** The paths of the numbers of clients in a schema. */
function* clientPaths(schema: z.core.$ZodType, path: readonly string[]): Generator<readonly string[]> {
  const { description, title } = (schema as z.ZodType).meta() ?? {};
  if (title === 'client' || description?.startsWith('Number of the client') === true) yield path;
  const def = schema._zod.def as Def;
  if (def.type === 'object') {
    for (const [name, member] of Object.entries(def.shape)) yield* clientPaths(member, [...path, name]);
  } else if (def.type === 'array') yield* clientPaths(def.element, path);
  else if (def.type === 'tuple') for (const item of def.items) yield* clientPaths(item, path);
  else if (def.type === 'union') for (const option of def.options) yield* clientPaths(option, path);
  else if (def.type === 'optional' || def.type === 'nullable') yield* clientPaths(def.innerType, path);
}

describe('the clients in an event', () => {
  it('are found in every field of every type', () => {
    const known: readonly string[] = [...ONE_CLIENT, ...MANY_CLIENTS, 'anomalies'];
    const types: readonly EventType[] = catalog;
    const fields = types.flatMap(({ schema, type }) =>
      [...clientPaths(schema, [])].map((path) => [type, path.at(-1) ?? ''] as const),
    );
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter(([, field]) => !known.includes(field))).toStrictEqual([]);
  });
});
