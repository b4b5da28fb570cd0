import { describe, expect, it } from 'vitest';
import { catalog, eventType } from '../../src/events/catalog.js';
import { type EventType, upcast } from '../../src/events/log/event.js';
import { samples } from './samples.js';

const types: readonly EventType[] = catalog;

describe('the catalogue of events', () => {
  it('contains each name once', () => {
    const names = types.map(({ type }) => type);
    expect(names).toStrictEqual([...new Set(names)]);
  });

  it.each(types.map((type) => [type.type, type] as const))('describes %s', (name, type) => {
    expect(type.summary).toMatch(/^[A-Z].*\.$/);
    expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(eventType(name)).toBe(type);
  });

  it('contains no unknown type', () => {
    expect(eventType('ClientTeleported')).toBeUndefined();
    expect(eventType('toString')).toBeUndefined();
  });

  it('has an upcaster for every former version', () => {
    for (const { upcasters, schemaVersion } of types) {
      const past = Array.from({ length: schemaVersion - 1 }, (_, i) => String(i + 1));
      expect(Object.keys(upcasters)).toStrictEqual(past);
    }
  });

  it('rejects unknown fields', () => {
    for (const { type, data } of samples) {
      const parsed = eventType(type)?.schema.safeParse({ ...(data as object), surprise: 1 });
      expect(parsed?.success, type).toBe(false);
    }
  });
});

describe('the stored samples', () => {
  const known = new Set(samples.map(({ type, version }) => `${type}.v${version}`));

  it.each(types.map((type) => [type.type, type.schemaVersion] as const))(
    'include every version of %s',
    (name, versions) => {
      for (let version = 1; version <= versions; version += 1) {
        expect(known, `test/events/samples/${name}.v${version}.json is missing`).toContain(`${name}.v${version}`);
      }
    },
  );

  it.each(samples.map((sample) => [`${sample.type}.v${sample.version}`, sample] as const))(
    '%s can be read by this release',
    (_, sample) => {
      const type = eventType(sample.type) ?? expect.fail(`${sample.type} is not in the catalogue any more`);
      expect(sample.version).toBeLessThanOrEqual(type.schemaVersion);
      const current = type.schema.parse(upcast(type, sample.data, sample.version));
      if (sample.version === type.schemaVersion) expect(current).toStrictEqual(sample.data);
      expect(type.stream(current)).toMatch(/^[a-z-]+(\d+)?$/);
      for (const [field, seal] of Object.entries(type.seals)) {
        expect(seal.key(current)).toMatch(/^[a-z-]+(:\d+)?(\/[a-zA-Z\d-]+)*$/);
        // A placeholder has the shape of the destroyed field, so that folds accept it.
        const erased = { ...(current as object), [field]: seal.erased(current) };
        expect(type.schema.parse(erased)).toStrictEqual(erased);
      }
    },
  );
});

describe('the placeholders of erased data', () => {
  it('contain no part of the original', () => {
    const revealing = samples.flatMap(({ type, data }) => {
      const { seals } = eventType(type) as EventType;
      const fields = data as Record<string, unknown>;
      return Object.entries(seals).flatMap(([field, { erased }]) => {
        const left = JSON.stringify(erased(data));
        const texts = JSON.stringify(fields[field]).match(/(?<=")[^"]{6,}(?=")/g) ?? [];
        return texts
          .filter((text) => !/^[a-zA-Z]+$/.test(text) && left.includes(text))
          .map((text) => `${type}.${field}: ${text}`);
      });
    });
    expect(revealing).toStrictEqual([]);
  });
});
