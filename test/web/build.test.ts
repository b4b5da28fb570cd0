import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkTexts } from '../../web/texts.mjs';

const DIST = 'web/dist';
/** What a first visit may load, in bytes of gzip. */
const BUDGETS = { login: 130_000, panel: 230_000 } as const;

/** What a screen may load after the first visit, with the largest of its lazy parts, in bytes of gzip. */
const SCREEN_BUDGET = 150_000;

/** An entry of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

/** Everything that the document of a shell names. */
function firstLoad(shell: string): readonly string[] {
  const html = readFileSync(join(DIST, shell, 'index.html'), 'utf8');
  return [...html.matchAll(/(?:src|href)="\.\/(assets[^"]+)"/g)].map(([, file = '']) => join(DIST, shell, file));
}

/** The bytes of each screen's files that the first visit has not loaded, with its heaviest chain of lazy parts. */
function screenBytes(): Readonly<Record<string, number>> {
  const folder = join(DIST, 'panel');
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const closure = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const next of manifest[name]?.imports ?? []) closure(next, seen);
    return seen;
  };
  const bytesOf = (file: string): number => gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
  const heaviest = (name: string, before: ReadonlySet<string>): number => {
    const own = [...closure(name)].filter((chunk) => !before.has(chunk));
    const files = new Set(own.flatMap((chunk) => [manifest[chunk]?.file ?? '', ...(manifest[chunk]?.css ?? [])]));
    const bytes = [...files].reduce((sum, file) => sum + bytesOf(file), 0);
    const loaded = new Set([...before, ...own]);
    const parts = own.flatMap((chunk) => manifest[chunk]?.dynamicImports ?? []).filter((part) => !loaded.has(part));
    return bytes + Math.max(0, ...parts.map((part) => heaviest(part, loaded)));
  };
  const first = closure('panel.html');
  const screens = Object.keys(manifest).filter((name) => /^src\/screens\/(\w+)\/\1\.tsx$/i.test(name));
  return Object.fromEntries(screens.map((name) => [name, heaviest(name, first)]));
}

describe.skipIf(!existsSync(DIST))('the build of the web panel', () => {
  it.each(Object.entries(BUDGETS))('of the %s is at most %i bytes at the first visit', (shell, budget) => {
    const files = firstLoad(shell);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
    expect(files.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(budget);
  });

  it(`of each screen is at most ${SCREEN_BUDGET} bytes more`, () => {
    const bytes = screenBytes();
    expect(Object.keys(bytes)).toContain('src/screens/core/Core.tsx');
    expect(Object.entries(bytes).filter(([, size]) => size > SCREEN_BUDGET)).toStrictEqual([]);
  });

  it.each(Object.keys(BUDGETS))('of the %s has each script and style compressed, and nothing inline', (shell) => {
    for (const file of firstLoad(shell)) {
      const content = readFileSync(file);
      const isSmaller = brotliCompressSync(content).length < content.length;
      expect([file, existsSync(`${file}.br`)]).toStrictEqual([file, isSmaller]);
    }
    const html = readFileSync(join(DIST, shell, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style="|https?:/);
  });
});

describe('the texts of the web panel', () => {
  it('are complete in every language', () => {
    expect(checkTexts()).toStrictEqual([]);
  });
});
