import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { followLogs } from '../../../../src/adapters/core/attribution/logs.js';
import { tailOf } from '../../../../src/adapters/core/attribution/tail.js';
import { retire } from '../../../../src/adapters/core/process/files.js';

const OTHERS = 'a line of somebody else\n';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-tail-'));
  file = join(folder, 'access.log');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe('the tail of a log', () => {
  it('returns every line once, even after the file was truncated', async () => {
    const lines: string[] = [];
    const tail = tailOf(file, 20, (line) => void lines.push(line));
    await tail.read();
    writeFileSync(file, 'one\ntwo\nthr');
    await tail.read();
    appendFileSync(file, 'ee, and it is long\n');
    await tail.read();
    expect(lines).toStrictEqual(['one', 'two', 'three, and it is long']);
    expect(readFileSync(file, 'utf8')).toBe('');
    appendFileSync(file, 'four\n');
    await tail.read();
    expect(lines.at(-1)).toBe('four');
  });

  it('keeps the content of a truncated file on request', async () => {
    for (const keep of [false, true]) {
      writeFileSync(file, 'one\ntwo, and it is long enough\n');
      await tailOf(file, 20, () => undefined, keep).read();
      expect(readFileSync(file, 'utf8')).toBe('');
      expect(existsSync(`${file}.1`)).toBe(keep);
    }
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('one\ntwo, and it is long enough\n');
    expect(statSync(`${file}.1`).mode & 0o777).toBe(statSync(file).mode & 0o777);
  });

  it('ends at the size that the file had at the beginning, however fast the core writes', async () => {
    writeFileSync(file, 'one\n');
    const lines: string[] = [];
    const tail = tailOf(file, 1000, (line) => {
      lines.push(line);
      appendFileSync(file, 'and one more\n');
    });
    await tail.read();
    await tail.read();
    expect(lines).toStrictEqual(['one', 'and one more']);
  });

  it('reads only the end of a log that grew while it was not read', async () => {
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(file, `first\n${line.repeat(200_000)}last\n`);
    const lines: string[] = [];
    await tailOf(file, 1024, (one) => void lines.push(one), true).read();
    expect([lines.length > 100_000, lines.length < 180_000, lines.at(-1)]).toStrictEqual([true, true, 'last']);
    expect(new Set(lines.map(({ length }) => length))).toStrictEqual(new Set([99, 4]));
    expect(statSync(file).size).toBe(0);
    expect(statSync(`${file}.1`).size).toBeLessThan(17 * 1024 * 1024);
  });

  it('moves old content to a second file, which stays until there is new content', () => {
    retire(file);
    expect(existsSync(`${file}.1`)).toBe(false);
    writeFileSync(file, 'one\n');
    retire(file);
    retire(file); // nothing was written in between: the content stays
    expect([readFileSync(file, 'utf8'), readFileSync(`${file}.1`, 'utf8')]).toStrictEqual(['', 'one\n']);
  });

  const places: readonly (readonly [string, () => void])[] = [
    ['a pipe', () => void execFileSync('mkfifo', [file])],
    ['a folder', () => mkdirSync(file)],
    ['a link', () => (writeFileSync(join(folder, 'other'), OTHERS), symlinkSync(join(folder, 'other'), file))],
  ];

  it.each(places)('reads nothing of %s, and changes nothing', async (_, make) => {
    make();
    const lines: string[] = [];
    await tailOf(file, 10, (line) => void lines.push(line)).read();
    expect(lines).toStrictEqual([]);
    if (existsSync(join(folder, 'other'))) expect(readFileSync(join(folder, 'other'), 'utf8')).toBe(OTHERS);
    rmSync(file, { recursive: true });
    writeFileSync(file, 'plain\n');
    await tailOf(file, 10, (line) => void lines.push(line)).read();
    expect(lines).toStrictEqual(['plain']);
  });

  it('copies warnings of the core into the error log only', async () => {
    const [error, trace] = [join(folder, 'error.log'), join(folder, 'trace.log')];
    const problems: unknown[] = [];
    const logs = followLogs(
      { access: file, accessKept: true, error, level: 'warning' },
      trace,
      () => false,
      (problem) => void problems.push(problem),
    );
    onTestFinished(() => logs.stop());
    execFileSync('mkfifo', [error]);
    writeFileSync(
      trace,
      '2026/11/21 04:50:59.430160 [Warning] core: careful\n2026/11/21 04:50:59.430160 [Info] core: fine\n',
    );
    await logs.read();
    expect(readFileSync(error, 'utf8')).toBe('2026/11/21 04:50:59.430160 [Warning] core: careful\n');
    expect(problems).toStrictEqual([]);
  });
});
