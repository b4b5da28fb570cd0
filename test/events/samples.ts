import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
