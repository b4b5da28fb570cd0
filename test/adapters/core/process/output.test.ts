import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withTemporaryCore } from '../../../../src/adapters/core/probe/temporary-core.js';
import { trimOutput } from '../../../../src/adapters/core/process/output-limit.js';
import { createXrayCore } from '../../../../src/adapters/core/xray.js';
import { withoutCore } from '../../../kit/real/core-process.js';
import { eventually } from '../../../kit/wait.js';
import { configOf, coreBinary } from '../kit.js';

const MIB = 1024 * 1024;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the output of a core', () => {
  it('is cut down to its end when it is large, and what comes next is appended', async () => {
    const file = join(folder, 'out');
    writeFileSync(file, 'x'.repeat(MIB));
    expect(await trimOutput(file)).toBe(false);
    appendFileSync(file, '\nthe reason\n');
    expect(await trimOutput(file)).toBe(true);
    appendFileSync(file, 'more\n');
    expect(statSync(file).size).toBe(16 * 1024 + 5);
    expect(readFileSync(file, 'utf8').endsWith('x\nthe reason\nmore\n')).toBe(true);
  });

  it('is left alone where a link or nothing stands in its place', async () => {
    writeFileSync(join(folder, 'other'), 'x'.repeat(2 * MIB));
    symlinkSync(join(folder, 'other'), join(folder, 'link'));
    for (const name of ['link', 'nothing'])
      await expect(trimOutput(join(folder, name))).rejects.toThrow(/^E(LOOP|NOENT)/);
    expect(statSync(join(folder, 'other')).size).toBe(2 * MIB);
  });
});

it('ends a temporary core that does not stop printing', async () => {
  const script = join(folder, 'core');
  writeFileSync(script, '#!/bin/sh\nexec yes\n');
  chmodSync(script, 0o755);
  const options = { binary: script, runDir: folder, environment: { PATH: process.env['PATH'] }, config: () => ({}) };
  await expect(withTemporaryCore(options, new AbortController().signal, () => Promise.resolve())).rejects.toMatchObject(
    { kind: 'unreachable', message: 'The core does not stop printing output' },
  );
});

const SUITE = 'a core that prints without end';
describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  it('does not fill the disk, and its child processes end with it', async () => {
    const script = join(folder, 'core');
    const pidFile = join(folder, 'pid');
    const printing = `(while :; do head -c 200000 /dev/zero | tr "\\\\0" x; echo; sleep 0.02; done) & echo $! > ${pidFile}`;
    writeFileSync(script, `#!/bin/sh\ncase "$*" in run\\ -format*) ${printing} ;; esac\nexec ${coreBinary} "$@"\n`);
    chmodSync(script, 0o755);
    const warned: string[] = [];
    const core = createXrayCore({
      binary: script,
      runDir: join(folder, 'run'),
      logDir: join(folder, 'logs'),
      assetDir: join(folder, 'geo'),
      log: (_, message) => void warned.push(message),
      splice: false,
    });
    const output = join(folder, 'logs', 'core-output.log');
    try {
      await core.process.start(configOf([]));
      await eventually(() => expect(warned).toHaveLength(1));
      // The output grows and is cut repeatedly.
      for (let round = 0; round < 2; round += 1) {
        await eventually(() => expect(statSync(output).size).toBeGreaterThan(MIB));
        await eventually(() => expect(statSync(output).size).toBeLessThan(MIB));
      }
      expect(core.process.running).not.toBeNull();
      expect(warned).toStrictEqual(['The core prints too much; only the end of its output is kept']);
    } finally {
      await core.process.stop();
    }
    const child = Number(readFileSync(pidFile, 'utf8'));
    await eventually(() => expect(isRunning(child)).toBe(false));
  });
});

/** Whether the process exists and is not a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
