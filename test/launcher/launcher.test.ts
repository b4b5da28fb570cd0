import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { choosePanel, chosenPanel, dataDirOf, launch, panelFolder, takeReport } from '../../src/launcher/launcher.js';
import { render } from '../../src/messages/render.js';
import { putPanel } from '../kit/fake-panel.js';
import { eventually } from '../kit/wait.js';

const ENDS = 'ready(); setTimeout(() => process.exit(0), 20);';
/** Becomes ready and requests a restart with the chosen version. */
const SWITCHES = 'ready(); setTimeout(() => process.exit(75), 20);';
const CRASHES = 'process.exit(3);';
const HANGS = 'hang();';
const IGNORES_SIGTERM = "process.on('SIGTERM', () => undefined); hang();";

let dataDir: string;
let root: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portolan-launch-'));
  root = join(dataDir, 'own');
  mkdirSync(join(dataDir, 'panel'));
  vi.stubEnv('PORTOLAN_DATA_DIR', dataDir);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(dataDir, { recursive: true });
});

const install = (version: string, main: string): void => {
  putPanel(panelFolder(dataDir, version), version, main);
  choosePanel(dataDir, version);
};
const run = (more: { readyMs?: number; endMs?: number } = {}) =>
  launch({ root, args: ['serve'], dataDir, readyMs: 5000, endMs: 200, ...more });
const starts = (): string[] => readFileSync(join(dataDir, 'starts'), 'utf8').trim().split('\n');

describe('the launcher', () => {
  it('runs its own panel and returns its exit code', async () => {
    putPanel(root, '1.0.0', 'ready(); process.exit(7);');
    expect(await run()).toBe(7);
    expect(starts()).toEqual(['1.0.0']);
  });

  it('starts a newer version when the panel requests it, and at every later start', async () => {
    putPanel(root, '1.0.0', SWITCHES);
    // Nothing is chosen at the first start: the panel itself does it.
    putPanel(panelFolder(dataDir, '1.1.0'), '1.1.0', ENDS);
    writeFileSync(
      join(root, 'dist', 'main.js'),
      `import { writeFileSync } from 'node:fs';
       writeFileSync('${join(dataDir, 'panel', 'current')}', '1.1.0');
       ${readFileSync(join(root, 'dist', 'main.js'), 'utf8')}`,
    );
    expect(await run()).toBe(0);
    expect(await run()).toBe(0);
    expect(starts()).toEqual(['1.0.0', '1.1.0', '1.1.0']);
    expect(takeReport(dataDir)).toBeNull();
  });

  it.each([
    ['crashes', CRASHES, 'the panel exited with code 3 before it was ready'],
    ['hangs', HANGS, 'the panel was not ready within 2 seconds'],
    ['hangs and does not want to end', IGNORES_SIGTERM, 'the panel was not ready within 2 seconds'],
  ])('rolls back when the new version %s, and reports the reason', async (_, main, reason) => {
    putPanel(root, '1.0.0', ENDS);
    install('1.1.0', main);
    expect(await run({ readyMs: reason.includes('code') ? 20_000 : 2000 })).toBe(0);
    expect(starts()).toEqual(['1.1.0', '1.0.0']);
    expect(chosenPanel(dataDir, '1.0.0')).toBeNull();
    const report = takeReport(dataDir);
    expect(report).toMatchObject({ version: '1.1.0', to: '1.0.0' });
    expect(report && render(report.reason, 'en')).toBe(reason);
    expect(takeReport(dataDir)).toBeNull();
  });

  it.each([
    [['serve'], /^portolan: Version 1\.1\.0 /],
    [['serve', '--json'], /^\{"warning":"Version 1\.1\.0 .*","code":"backup\.versionRolledBack"\}\n$/],
  ])('reports a rollback on standard error, with %j', async (args, line) => {
    putPanel(root, '1.0.0', ENDS);
    install('1.1.0', CRASHES);
    expect(await launch({ root, args, dataDir, readyMs: 20_000, endMs: 200 })).toBe(0);
    expect(vi.mocked(process.stderr.write).mock.calls.map(([text]) => text)).toStrictEqual([
      expect.stringMatching(line),
    ]);
  });

  it('rolls back to the last version that was ready, not to its own', async () => {
    putPanel(root, '1.0.0', ENDS);
    install('1.1.0', ENDS);
    await run();
    install('1.2.0', CRASHES);
    expect(await run()).toBe(0);
    expect(starts()).toEqual(['1.1.0', '1.2.0', '1.1.0']);
    expect(takeReport(dataDir)).toMatchObject({ version: '1.2.0', to: '1.1.0' });
  });

  it('does not roll back a version that was ready before when it cannot start', async () => {
    putPanel(root, '1.0.0', ENDS);
    install('1.1.0', ENDS);
    await run();
    install('1.1.0', CRASHES);
    expect(await run()).toBe(3);
    expect(starts()).toEqual(['1.1.0', '1.1.0']);
    expect(chosenPanel(dataDir, '1.0.0')).toBe('1.1.0');
  });

  it.each(['1.0.0', '0.9.0', '../own', '', 'latest', '2.0.0'])('ignores the invalid choice %j', async (text) => {
    putPanel(root, '1.0.0', ENDS);
    if (text !== '2.0.0' && text !== '') putPanel(panelFolder(dataDir, text), text, CRASHES);
    putPanel(root, '1.0.0', ENDS);
    writeFileSync(join(dataDir, 'panel', 'current'), text);
    expect(await run()).toBe(0);
    expect(starts()).toEqual(['1.0.0']);
  });

  it('forwards a stop signal and does not restart the panel', async () => {
    putPanel(root, '1.0.0', "process.on('SIGTERM', () => process.exit(75)); ready(); hang();");
    const ended = run();
    await eventually(() => expect(existsSync(join(dataDir, 'starts'))).toBe(true));
    // The fake panel installs its handler, which exits with 0, before it writes the file.
    process.emit('SIGTERM');
    expect(await ended).toBe(0);
    expect(starts()).toEqual(['1.0.0']);
  });
});

describe('a launcher whose panel requests a restart', () => {
  const lines = (): number => (existsSync(join(dataDir, 'starts')) ? starts().length : 0);
  const started = (n: number) => eventually(() => expect(lines()).toBe(n));

  it('starts the version of its replaced files rather than an older chosen one', async () => {
    putPanel(root, '1.0.0', CRASHES);
    install('1.1.0', "process.on('SIGUSR2', () => process.exit(75)); ready(); hang();");
    const ended = run();
    await started(1);
    putPanel(root, '1.2.0', ENDS);
    process.emit('SIGUSR2');
    expect(await ended).toBe(0);
    expect(starts()).toEqual(['1.1.0', '1.2.0']);
  });

  it('uses the chosen version while its own files are incomplete', async () => {
    putPanel(root, '1.0.0', CRASHES);
    install('1.1.0', ENDS);
    writeFileSync(join(root, 'package.json'), '{"version":');
    expect(await run()).toBe(0);
    expect(starts()).toEqual(['1.1.0']);
  });

  it.each(['SIGUSR2', 'SIGHUP'] as const)('forwards %s only when the panel is ready', async (signal) => {
    // A process without a handler would exit.
    const late = `setTimeout(() => { process.on('${signal}', () => process.exit(9)); ready(); }, 500); hang();`;
    putPanel(root, '1.0.0', late);
    const ended = run();
    await started(1);
    process.emit(signal);
    expect(await ended).toBe(9);
  });
});

describe('the data directory', () => {
  it.each([
    [['serve', '--data-dir', '/a'], {}, '/a'],
    [['--data-dir=/b', 'serve'], { PORTOLAN_DATA_DIR: '/c' }, '/b'],
    [['serve'], { PORTOLAN_DATA_DIR: '/c' }, '/c'],
    [['serve'], {}, join(process.cwd(), 'data')],
  ])('of %j with %j is %s', (args, env, expected) => expect(dataDirOf(args, env)).toBe(expected));
});
