import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendHeads } from '../../../src/adapters/proof/file-sink.js';
import { commitHeads } from '../../../src/adapters/proof/git-sink.js';
import { createHeadKey, signHead } from '../../../src/lib/proof/signed-head.js';
import { uuid } from '../../kit/builders.js';
import { temporaryFolder } from '../../kit/log.js';

const key = createHeadKey();
const head = (position: number) =>
  signHead({ panel: uuid(1), position, hash: 'a'.repeat(64), root: 'b'.repeat(64), at: position }, key);
const lines = (...positions: readonly number[]): string =>
  positions.map((position) => `${JSON.stringify(head(position))}\n`).join('');

function place() {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  return { folder, dataDir, file: join(folder, 'heads.jsonl') };
}

describe('a file of heads', () => {
  it('is created, readable for all, and gets each head once', () => {
    const { file, dataDir } = place();
    appendHeads(file, [head(1)], dataDir);
    appendHeads(file, [head(1), head(2)], dataDir);
    expect(readFileSync(file, 'utf8')).toBe(lines(1, 2));
    expect(statSync(file).mode & 0o444).toBe(0o444);
  });

  it('is continued on a new line after a power cut left a part of one', () => {
    const { file, dataDir } = place();
    appendHeads(file, [head(1)], dataDir);
    appendFileSync(file, '{"format":"portolan-');
    appendHeads(file, [head(2)], dataDir);
    expect(readFileSync(file, 'utf8')).toBe(`${lines(1)}{"format":"portolan-\n${lines(2)}`);
  });

  it('is not in the data directory, not a link, not another file, and in a folder that exists', () => {
    const { folder, file, dataDir } = place();
    const inside = join(dataDir, 'heads.jsonl');
    expect(() => appendHeads(inside, [head(1)], dataDir)).toThrow('is inside the data directory');
    symlinkSync(dataDir, join(folder, 'link'));
    expect(() => appendHeads(join(folder, 'link', 'heads.jsonl'), [head(1)], dataDir)).toThrow('is inside the data');
    writeFileSync(file, 'root:x:0:0\n');
    expect(() => appendHeads(file, [head(1)], dataDir)).toThrow('is not a file of signed heads');
    symlinkSync(file, join(folder, 'other.jsonl'));
    expect(() => appendHeads(join(folder, 'other.jsonl'), [head(1)], dataDir)).toThrow('is not a file of signed heads');
    expect(() => appendHeads(folder, [head(1)], dataDir)).toThrow('is a folder');
    expect(() => appendHeads(join(folder, 'none', 'heads.jsonl'), [head(1)], dataDir)).toThrow('does not exist');
    expect(readFileSync(file, 'utf8')).toBe('root:x:0:0\n');
  });
});

describe('a git repository', () => {
  it('is reported when git is not installed', async () => {
    const { folder, dataDir } = place();
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    try {
      const { signal } = new AbortController();
      await expect(commitHeads(folder, [head(1)], { dataDir, signal })).rejects.toThrow('git is not installed');
    } finally {
      process.env['PATH'] = PATH;
    }
  });
});
