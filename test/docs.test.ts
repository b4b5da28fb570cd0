import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pages } from '../scripts/docs.js';

describe('generated documents', () => {
  it.each(Object.entries(pages))('%s says what the code says', (file, page) => {
    expect(readFileSync(file, 'utf8'), 'run npm run docs').toBe(page());
  });
});
