import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { AdminAccessChanged } from '../../../src/events/access/access.js';
import { NO_QUOTAS } from '../../../src/events/access/access-of.js';
import { catalog, eventType, type RecordedEvent } from '../../../src/events/catalog.js';
import { memberNames } from '../../../src/events/enumerated-words.js';
import { HoldId, WebhookId } from '../../../src/events/ids.js';
import { capsuleLine, readCapsule } from '../../../src/events/log/capsule-file.js';
import type { EventType } from '../../../src/events/log/event.js';
import { LegalHoldPlaced } from '../../../src/events/personal-data/personal-data.js';
import { SettingsChanged } from '../../../src/events/settings/settings.js';
import { WebhookAdded } from '../../../src/events/webhook/webhook.js';
import { capsuleEvents, eventsOf, subjectsOf } from '../../../src/projections/capsule/capsule.js';
import { MANY_CLIENTS, ONE_CLIENT } from '../../../src/projections/capsule/selection.js';
import { keptWords } from '../../../src/projections/capsule/words.js';
import { replayed } from '../../../src/worker/capsule.js';
import { alice, clientAdded, first, identity, inboundAdded, one, userId } from '../../kit/builders.js';
import { playedLogs, steps } from '../../kit/history/history.js';
import { recorded } from '../../kit/spec.js';
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

/** What may stand where a client, a person or a server is named: also words that events use, and texts that look like them. */
const name = fc.oneof(
  fc.constantFrom(...memberNames()),
  fc.constantFrom(...keptWords()),
  fc.constantFrom(
    'secretdom.net',
    'john.doe',
    'a.b',
    '1234',
    '12.5',
    '2024-05-06',
    'proxy.internal',
    '/1234',
    'JOHN_DOE',
  ),
);

describe('a capsule with names like the words of the panel', () => {
  it('can be read, and has the names only where they are such words', () => {
    const words = new Set([...keptWords(), ...memberNames()]);
    fc.assert(
      fc.property(fc.array(name, { minLength: 8, maxLength: 8 }), (names) => {
        const [email = '', hold = '', domain = '', sni = '', shortId = '', hook = '', path = '', comment = ''] = names;
        const reality = { serverNames: [sni], shortIds: [shortId], target: `${sni}:443` };
        const stream = { network: 'ws', security: 'reality', wsSettings: { path }, realitySettings: reality };
        const events = recorded([
          WebhookAdded({
            ...{ webhook: WebhookId.parse(1), name: hook, types: ['clients'], keyVersion: 1, after: null },
            target: { url: `https://${domain}/${path}` },
            secret: { value: 'whsec_1' },
          }),
          inboundAdded({ config: { settings: { clients: [] }, stream } }),
          clientAdded({ ...alice, identity: identity(email, { comment }) }),
          LegalHoldPlaced({ hold: HoldId.parse(1), clients: [first], from: 0, to: 0, details: { reason: hold } }),
          SettingsChanged({ changes: { subDomain: domain, subTitle: sni, webBasePath: path } }),
          AdminAccessChanged({
            user: userId(1),
            role: 'reseller',
            inbounds: [one],
            quotas: { ...NO_QUOTAS, clients: 3 },
          }),
        ]);
        const written = [...capsuleEvents(() => events, { clients: new Set([first]), inbounds: new Set([one]) })];
        expect(written.map(({ type }) => type)).toStrictEqual(events.map(({ type }) => type));
        expect(written.at(-1)?.data).toStrictEqual(events.at(-1)?.data);
        const read = readCapsule(fileOf(written));
        expect(read.events).toStrictEqual(written);
        expect(replayed(read.events)).toStrictEqual(read.header.digests);
        const texts = new Set(written.flatMap(({ data }) => [...valuesOf(data)]));
        for (const one of names.filter((text) => !words.has(text))) expect(texts).not.toContain(one);
        expect(texts).not.toContain(`${sni}:443`);
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
