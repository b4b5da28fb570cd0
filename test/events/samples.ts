import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventType } from '../../src/events/catalog.js';

export interface Sample {
  readonly type: string;
  readonly version: number;
  /** As the schema of that version had it, boxes open. Never edited once it is released. */
  readonly data: unknown;
}

const folder = join(import.meta.dirname, 'samples');

/** Stored data of every event type and every schema version that was ever released. */
export const samples: readonly Sample[] = readdirSync(folder).map((file) => {
  const [, type = '', version = ''] = /^(\w+)\.v(\d+)\.json$/.exec(file) ?? [];
  if (type === '') throw new Error(`${file} is not named <Type>.v<version>.json`);
  return { type, version: Number(version), data: JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown };
});

/** All texts inside a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const isSealed = (type: string, field: string): boolean => field in (eventType(type)?.seals ?? {});

function textsOf(sealed: boolean): readonly string[] {
  return samples.flatMap(({ type, data }) =>
    Object.entries(data as object).flatMap(([field, value]) =>
      isSealed(type, field) === sealed ? textsIn(value) : [],
    ),
  );
}

/** Distinctive texts of the sealed fields: at least eight characters, and in no open field. */
export const secretTexts: readonly string[] = [...new Set(textsOf(true))].filter(
  (text) => text.length >= 8 && !textsOf(false).includes(text),
);
