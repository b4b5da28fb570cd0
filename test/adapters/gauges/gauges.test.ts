import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Subject } from 'rxjs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RingGauges } from '../../../src/adapters/gauges/gauges.js';
import { CoreError, type CoreRun } from '../../../src/commands/ports/core.js';
import { buckets, coreMetrics, hostMetrics, type ObservedOutbound } from '../../../src/commands/ports/gauges.js';
import type { HostReading } from '../../../src/commands/ports/host.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { reading } from '../../http/panel/codec/panel.js';
import { stubCore } from '../../kit/stub-core.js';
import { HANG_MS } from '../../kit/wait.js';

const START = Date.UTC(2026, 4, 1, 12);
const SECOND = 1000;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portolan-gauges-'));
  file = join(folder, 'gauges.bin');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** Gauges over a machine and a core whose readings the test sets. */
function gauge(begin = START) {
  const readings$ = new Subject<HostReading>();
  const warnings: string[] = [];
  let now = begin;
  let outbounds: readonly ObservedOutbound[] = [];
  let runtime = { alloc: 10, sys: 20, heapObjects: 30, numGC: 2, pauseTotalNs: 600 };
  let failing: CoreError | null = null;
  const core = {
    process: { ...stubCore().process, running: null as CoreRun | null },
    stats: {
      ...stubCore().stats,
      metrics: {
        listen: '127.0.0.1:4000',
        runtime: () => (failing ? Promise.reject(failing) : Promise.resolve(runtime)),
        observatory: () => Promise.resolve(outbounds),
      },
    },
  };
  const gauges = new RingGauges({
    host: { latest: reading, readings$ },
    core,
    online: () => 7,
    file,
    now: () => now,
    warn: (message) => void warnings.push(message),
  });
  gauges.start();
  return {
    gauges,
    warnings,
    run: (run: string | null): void => {
      core.process.running = run === null ? null : { run, version: '1', pid: 1 };
    },
    tell: (next: Partial<typeof runtime>): void => void (runtime = { ...runtime, ...next }),
    observe: (...all: readonly ObservedOutbound[]): void => void (outbounds = all),
    fail: (error: CoreError | null): void => void (failing = error),
    /** A reading of the machine, and the response of the core. */
    tick: async (cpu = 1, over: Partial<HostReading> = {}): Promise<void> => {
      readings$.next({ ...reading, cpu, ...over });
      await new Promise((resolve) => setImmediate(resolve));
      now += 2 * SECOND;
    },
    wait: (ms: number): void => void (now += ms),
  };
}

const outbound = (tag: string, over: Partial<ObservedOutbound> = {}): ObservedOutbound => ({
  ...{ tag, alive: true, delay: 12, lastSeenTime: 5, lastTryTime: 6 },
  ...over,
});
const values = (samples: readonly { v: number }[] | null) => samples?.map(({ v }) => v);

describe('the gauges', () => {
  it('keep a history of every reading of the machine', async () => {
    const { gauges, tick } = gauge();
    await tick(12.5, { mem: { current: 1, total: 4 }, netIO: { up: 10, down: 3 } });
    const first = Object.fromEntries(hostMetrics.map((metric) => [metric, values(gauges.history(metric, 2))]));
    expect(first).toStrictEqual({
      ...{ cpu: [12.5], mem: [25], netUp: [10], netDown: [3], online: [7] },
      ...{ load1: [0.5], load5: [0.4], load15: [0.3] },
    });
    await tick(13.5);
    for (const bucket of buckets.slice(1))
      expect(gauges.history('cpu', bucket)).toStrictEqual([{ t: START / 1000, v: 13 }]);
  });

  it('have a gap where the system reported no value', async () => {
    const { gauges, tick } = gauge();
    await tick(0, { missing: ['cpu', 'mem', 'netIO', 'load'] });
    for (const metric of ['cpu', 'mem', 'netUp', 'netDown', 'load1'] as const)
      expect(gauges.history(metric, 2)).toStrictEqual([]);
    expect(values(gauges.history('online', 2))).toStrictEqual([7]);
  });

  it('return the same list until the next reading', async () => {
    const { gauges, tick } = gauge();
    await tick();
    const before = gauges.history('cpu', 60);
    expect(gauges.history('cpu', 60)).toBe(before);
    await tick();
    expect(gauges.history('cpu', 60)).not.toBe(before);
  });

  it('read the core while it runs', async () => {
    const { gauges, tick, run } = gauge();
    await tick();
    expect(gauges.core).toMatchObject({ listen: '', reason: message('core.notRunning'), values: null });
    run('a');
    await tick();
    expect(gauges.core).toStrictEqual({
      listen: '127.0.0.1:4000',
      reason: null,
      values: { coreAlloc: 10, coreSys: 20, coreHeapObjects: 30, coreNumGC: 2, corePauseNs: 300 },
      observatory: [],
      updatedAt: START / 1000 + 2,
    });
    for (const metric of coreMetrics)
      expect(gauges.history(metric, 2).map(({ t }) => t)).toStrictEqual([START / 1000 + 2]);
    run(null);
    await tick();
    expect(gauges.core.values).toBeNull();
    expect(gauges.history('coreSys', 2)).toHaveLength(1);
  });

  it('show the mean garbage collection pause since the previous reading', async () => {
    const { gauges, tick, run, tell } = gauge();
    run('a');
    await tick();
    tell({ numGC: 4, pauseTotalNs: 1600 });
    await tick();
    await tick(); // none in between
    run('b');
    tell({ numGC: 5, pauseTotalNs: 4000 });
    await tick();
    run('c');
    tell({ numGC: 0, pauseTotalNs: 0 });
    await tick();
    expect(values(gauges.history('corePauseNs', 2))).toStrictEqual([300, 500, 500, 800, 0]);
  });

  it('report why the core is not read, and continue when it responds again', async () => {
    const { gauges, tick, run, fail } = gauge();
    run('a');
    fail(new CoreError('unreachable', verbatim('The core does not answer')));
    await tick();
    expect(gauges.core).toMatchObject({
      listen: '127.0.0.1:4000',
      reason: verbatim('The core does not answer'),
      values: null,
    });
    fail(null);
    await tick();
    expect(gauges.core.reason).toBeNull();
    expect(gauges.history('coreSys', 2)).toHaveLength(1);
  });

  it('keep the delay of each outbound while it is alive', async () => {
    const { gauges, tick, run, observe } = gauge();
    run('a');
    observe(outbound('b', { delay: 40 }), outbound('a'), outbound('dead', { alive: false, delay: 99_999_999 }));
    await tick();
    observe(outbound('a', { delay: 14 }));
    await tick();
    expect(gauges.core.observatory.map(({ tag }) => tag)).toStrictEqual(['a']);
    expect(values(gauges.delays('a', 2))).toStrictEqual([12, 14]);
    expect(values(gauges.delays('b', 300))).toStrictEqual([40]);
    expect(gauges.delays('dead', 2)).toBeNull();
    for (const tag of ['', 'cpu', '__proto__', 'constructor']) expect(gauges.delays(tag, 2)).toBeNull();
  });

  it('include an outbound that has not been alive yet', async () => {
    const { gauges, tick, run, observe } = gauge();
    run('a');
    observe(outbound('dead', { alive: false }), outbound('__proto__'));
    await tick();
    expect(gauges.delays('dead', 2)).toStrictEqual([]);
    expect(values(gauges.delays('__proto__', 2))).toStrictEqual([12]);
  });

  it('keep the 64 most recently reported outbounds', async () => {
    const { gauges, tick, run, observe } = gauge();
    run('a');
    observe(...Array.from({ length: 60 }, (_, index) => outbound(`old${index}`)));
    await tick();
    observe(...Array.from({ length: 60 }, (_, index) => outbound(`new${index}`)));
    await tick();
    const known = (name: string) =>
      Array.from({ length: 60 }, (_, i) => gauges.delays(name + i, 2)).filter(Boolean).length;
    expect([known('new'), known('old')]).toStrictEqual([60, 4]);
  });
});

describe('the gauges after a restart', () => {
  it('continue with a gap', async () => {
    const one = gauge();
    one.run('a');
    one.observe(outbound('a'));
    await one.tick(1);
    await one.tick(3);
    await one.gauges.stop();

    const two = gauge(START + 60 * SECOND);
    await two.tick(5);
    expect(two.gauges.history('cpu', 2)).toStrictEqual([
      { t: START / 1000, v: 1 },
      { t: START / 1000 + 2, v: 3 },
      { t: START / 1000 + 60, v: 5 },
    ]);
    expect(two.gauges.history('cpu', 30)).toHaveLength(2);
    expect(values(two.gauges.delays('a', 2))).toStrictEqual([12, 12]);
    expect(two.warnings).toStrictEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await two.gauges.stop();
    const three = gauge(START + 90 * SECOND);
    await three.tick();
    expect(three.gauges.history('cpu', 2)).toHaveLength(4);
  });

  it('lose at most the last minute in a crash', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const one = gauge();
    for (let cpu = 1; cpu <= 30; cpu += 1) await one.tick(cpu);
    vi.advanceTimersByTime(59_999);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(existsSync(file)).toBe(false);
    vi.advanceTimersByTime(1);
    await vi.waitUntil(() => existsSync(file), { timeout: HANG_MS });
    const two = gauge(START + 60 * SECOND);
    await two.tick(99);
    // The last slot may still get values, so it waits for the next minute.
    expect(values(two.gauges.history('cpu', 2))).toStrictEqual([...Array.from({ length: 29 }, (_, i) => i + 1), 99]);
  });

  it('drop values that are older than the window', async () => {
    const one = gauge();
    await one.tick();
    await one.gauges.stop();
    const two = gauge(START + 7 * 3600 * SECOND);
    await two.tick();
    expect(two.gauges.history('cpu', 300)).toHaveLength(1);
  });

  it('drop values from the future', async () => {
    const one = gauge();
    await one.tick();
    await one.gauges.stop();
    const two = gauge(START - 3600 * SECOND);
    expect(two.gauges.history('cpu', 2)).toStrictEqual([]);
    await two.tick(4);
    expect(two.gauges.history('cpu', 2)).toStrictEqual([{ t: START / 1000 - 3600, v: 4 }]);
  });

  it('contain values from before the clock was set back', async () => {
    const one = gauge();
    await one.tick(1);
    await one.gauges.stop();
    one.wait(-3600 * SECOND);
    one.gauges.start();
    await one.tick(2);
    await one.gauges.stop();
    const two = gauge(START - 3590 * SECOND);
    await two.tick(3);
    expect(values(two.gauges.history('cpu', 2))).toStrictEqual([2, 3]);
  });

  it('append new values, and ignore a truncated end of the file', async () => {
    const one = gauge();
    const save = async (): Promise<void> => one.gauges.stop(); // writes the new values each time
    await one.tick(1);
    await save();
    const { size } = statSync(file);
    one.gauges.start();
    await one.tick(2);
    await one.gauges.stop();
    const whole = statSync(file).size;
    expect(whole).toBeGreaterThan(size);
    truncateSync(file, whole - 3);
    const two = gauge(START + 10 * SECOND);
    await two.tick(3);
    expect(values(two.gauges.history('cpu', 2))).toStrictEqual([1, 3]);
    expect(two.warnings).toStrictEqual([]);
  });

  const foreign: readonly (readonly [string, (path: string) => void])[] = [
    ['an empty file', (path) => writeFileSync(path, '')],
    ['another kind of file', (path) => writeFileSync(path, 'SQLite format 3\0 and more of it')],
    ['nothing but a head', (path) => writeFileSync(path, 'portolan gauges 1\n')],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(4096))],
    ['a changed byte', (path) => flip(path, statSync(path).size - 5)],
    ['a link', (path) => (rmSync(path), symlinkSync('/etc/hostname', path))],
    ['a folder', (path) => (rmSync(path), mkdirSync(path))],
  ];

  it.each(foreign)('start again with %s, with a warning', async (_, spoil) => {
    const one = gauge();
    await one.tick();
    await one.gauges.stop();
    spoil(file);
    const two = gauge(START + 10 * SECOND);
    await two.tick();
    expect(two.gauges.history('cpu', 2)).toHaveLength(1);
    expect(two.warnings).toStrictEqual(['the histories start empty: their file was not written by this panel']);
    await two.gauges.stop();
  });

  it('warn once when they cannot be written, and continue', async () => {
    const one = gauge();
    await one.tick();
    await one.gauges.stop();
    rmSync(folder, { recursive: true });
    one.gauges.start();
    await one.tick();
    await one.gauges.stop();
    await one.gauges.stop();
    expect(one.warnings).toStrictEqual(['the histories could not be written']);
    mkdirSync(folder);
    await one.gauges.stop();
    const two = gauge(START + 10 * SECOND);
    await two.tick();
    expect(two.gauges.history('cpu', 2)).toHaveLength(3);
  });
});

function flip(path: string, at: number): void {
  const content = readFileSync(path);
  content[at] = (content[at] ?? 0) ^ 1;
  writeFileSync(path, content);
}
