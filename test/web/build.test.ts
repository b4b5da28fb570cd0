import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkTexts } from '../../web/texts.mjs';

const DIST = 'web/dist';
/** What a first visit may load, in bytes of gzip. */
const BUDGETS = { login: 130_000, panel: 230_000 } as const;

/** Everything that the document of a shell names. */
function firstLoad(shell: string): readonly string[] {
  const html = readFileSync(join(DIST, shell, 'index.html'), 'utf8');
  return [...html.matchAll(/(?:src|href)="\.\/(assets[^"]+)"/g)].map(([, file = '']) => join(DIST, shell, file));
}

describe.skipIf(!existsSync(DIST))('the build of the web panel', () => {
  it.each(Object.entries(BUDGETS))('of the %s is at most %i bytes at the first visit', (shell, budget) => {
    const files = firstLoad(shell);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0);
    expect(files.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(budget);
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
