import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './kit/log.js';
import { MAX_MEMBERS, wideInterfaces } from './kit/wide-interfaces.js';

const members = (prefix: string, count: number, type: string): string =>
  Array.from({ length: count }, (_, n) => `readonly ${prefix}${n}: ${type};`).join(' ');
const MANY = MAX_MEMBERS + 1;

describe('ports, parts objects and classes', () => {
  it(`have at most ${MAX_MEMBERS} members`, () => {
    const { wide, read } = wideInterfaces(resolve(import.meta.dirname, '..'));
    expect(wide).toStrictEqual([]);
    expect(read).toBeGreaterThan(600);
  });

  it('are found when they have more', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    const source = `
export interface Port { ${members('a', MAX_MEMBERS, 'number')} act(): void; }
export interface Half { ${members('a', 6, 'number')} act(): void; }
export interface Inherits extends Half { ${members('b', 6, 'number')} }
export type Both = Half & { ${members('c', 6, 'number')} };
export type SomeParts = { ${members('a', MANY, 'number')} };
export class Many { ${members('a', MANY, 'number = 1')} }
export class Inheriting extends Many { ${members('b', MAX_MEMBERS, 'number = 1')} }
export interface Fits { ${members('a', MAX_MEMBERS - 1, 'number')} act(): void; }
export interface Document { ${members('a', MANY, 'number')} }
export class Hidden { private readonly q = 1; ${members('#a', MANY, 'number = 1')} act(): void {} }
export class Few { ${members('#a', MANY, 'number = 1')} act(): void {} }
export type Either = Port | Half;
`;
    writeFileSync(join(folder, 'src', 'wide.ts'), source);
    const names = ['Both', 'Inherits', 'Many', 'Port', 'SomeParts'];
    expect(wideInterfaces(folder)).toStrictEqual({
      wide: names.map((name) => `src/wide.ts: ${name} (${MANY})`),
      read: 1,
    });
  });
});
