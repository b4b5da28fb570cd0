import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runBinary } from '../../../../src/adapters/core/process/run-binary.js';
import { eventually } from '../../../kit/wait.js';

const folder = mkdtempSync(join(tmpdir(), 'portolan-run-'));
const environment = { PATH: process.env['PATH'] };
let count = 0;

/** A script in the place of the executable. */
function script(body: string): string {
  count += 1;
  const file = join(folder, `script-${count}`);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}
const run = (path: string, ...args: string[]) => runBinary(path, args, { cwd: folder, environment });

afterAll(() => rmSync(folder, { recursive: true }));

describe('the executable of the core', () => {
  it('runs to its end, and its output is returned in order', async () => {
    expect(await run(script('echo "$1"; echo err >&2; echo more'), 'one')).toEqual({
      ok: true,
      output: 'one\nmore\n\nerr\n',
    });
    expect(await run(script('echo no; exit 23'))).toEqual({ ok: false, output: 'no\n\n' });
  });

  it('is reported as missing only when the file does not exist', async () => {
    await expect(run(join(folder, 'nothing'))).rejects.toMatchObject({ name: 'CoreError', kind: 'missing' });
    writeFileSync(join(folder, 'plain'), 'text');
    await expect(run(join(folder, 'plain'))).rejects.toMatchObject({
      kind: 'refused',
      message: 'The core cannot be started: plain is not an executable for this machine',
    });
  });

  it('is ended when it does not respond, and the error contains its file name only', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const hanging = run(script('exec sleep 1000')).catch((error: unknown) => error);
    vi.advanceTimersByTime(15_000);
    expect(await hanging).toMatchObject({
      kind: 'unreachable',
      message: `script-${count} did not respond within 15 seconds`,
    });
  });

  it('is ended when it does not stop printing', async () => {
    await expect(run(script('exec yes'))).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'The core does not stop printing output',
    });
  });

  it('is not waited for when it left a child process, which is ended too', async () => {
    const pidFile = join(folder, 'left.pid');
    expect(await run(script(`sleep 1000 & echo $! > ${pidFile}; echo done`))).toEqual({ ok: true, output: 'done\n\n' });
    const left = readFileSync(pidFile, 'utf8').trim();
    await eventually(() => expect(existsSync(`/proc/${left}`) && !isDead(left)).toBe(false));
  });
});

/** A zombie: its exit code was not read yet. */
function isDead(pid: string): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}
