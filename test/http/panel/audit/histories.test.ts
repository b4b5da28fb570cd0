import { describe, expect, it } from 'vitest';
import { historyRoutes } from '../../../../src/http/panel/contract/core/histories.js';
import { Status } from '../../../../src/http/panel/contract/schemas/status.js';
import { startPanel } from '../../kit/panel.js';

const SERVER = '/panel/api/server';
const running = { run: 'a', version: '26.7.28', pid: 1 };
/** A running core, and its metrics. */
const telling = {
  process: { running },
  stats: {
    metrics: {
      listen: '127.0.0.1:4000',
      runtime: async () => ({ alloc: 1, sys: 2, heapObjects: 3, numGC: 4, pauseTotalNs: 20 }),
      observatory: async () => [
        { tag: 'b way', alive: true, delay: 30, lastSeenTime: 5, lastTryTime: 6 },
        { tag: 'a', alive: false, delay: 99_999_999, lastSeenTime: 0, lastTryTime: 6 },
      ],
    },
  },
};

/** A panel with an admin, after some readings of the machine. */
async function measured(options: Parameters<typeof startPanel>[0] = {}, ticks = 3) {
  const panel = await startPanel(options);
  const browser = await panel.browser().login();
  for (let tick = 0; tick < ticks; tick += 1) {
    panel.later(2000);
    panel.tick();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const get = async (path: string) => (await browser.get(SERVER + path)).json;
  return { ...panel, get };
}

const BUCKETS = ['2', '30', '60', '120', '180', '300'];

describe('the status', () => {
  it('has every field, and lists what is missing', async () => {
    const { get } = await measured();
    const status = Status.parse((await get('/status'))?.obj);
    expect(Object.keys(status)).toStrictEqual(Object.keys(Status.shape));
    // The first two need a second reading, the others depend on the machine.
    expect(status.missing.filter((name) => !['cpu', 'netIO', 'publicIP', 'cpuSpeedMhz'].includes(name))).toStrictEqual(
      [],
    );
    expect(status.core).toStrictEqual(status.xray);
  });
});

describe('the histories', () => {
  it.each(['cpu', 'mem', 'netUp', 'netDown', 'online', 'load1', 'load5', 'load15'])(
    'of %s have samples',
    async (metric) => {
      const { get } = await measured();
      for (const bucket of BUCKETS) {
        const answer = await get(`/history/${metric}/${bucket}`);
        const samples = historyRoutes.history.reply.parse(answer?.obj);
        expect(answer?.success).toBe(true);
        expect(samples.length).toBeGreaterThan(0);
        for (const { t } of samples) expect(t % Number(bucket)).toBe(0);
      }
    },
  );

  it('of the processors have the names of old and new clients', async () => {
    const { get } = await measured();
    const samples = historyRoutes.cpuHistory.reply.parse((await get('/cpuHistory/2'))?.obj);
    const plain = historyRoutes.history.reply.parse((await get('/history/cpu/2'))?.obj);
    expect(samples.length).toBeGreaterThan(0);
    expect(samples).toStrictEqual(plain.map(({ t, v }) => ({ t, v, cpu: v })));
  });

  it('contain what was read, and append no event', async () => {
    const { get, appended } = await measured({}, 5);
    const samples = historyRoutes.history.reply.parse((await get('/history/online/2'))?.obj);
    expect(samples.length).toBeGreaterThanOrEqual(5);
    const times = samples.map(({ t }) => t);
    expect(times).toStrictEqual([...new Set(times)].toSorted((a, b) => a - b));
    expect(appended()).toStrictEqual([]);
  });

  const invalid = (metric: string, known: string) => `invalid metric "${metric}": choose one of ${known}`;
  const HOST = 'cpu, mem, netUp, netDown, online, load1, load5, load15';
  const CORE = 'coreAlloc, coreSys, coreHeapObjects, coreNumGC, corePauseNs';
  const noBucket = (bucket: string) => `invalid bucket "${bucket}": choose 2, 30, 60, 120, 180 or 300 seconds`;
  it.each([
    ...[
      '1',
      '7',
      '0',
      '-2',
      '1e9',
      '2.0',
      '+2',
      '02',
      '%202',
      '2%20',
      'NaN',
      '%E2%85%A1',
      '__proto__',
      '99999999999',
    ].map((bucket): [string, string] => [`/history/cpu/${bucket}`, noBucket(decodeURIComponent(bucket))]),
    ['/cpuHistory/1', noBucket('1')],
    ['/coreMetricsHistory/coreSys/1', noBucket('1')],
    ['/coreObservatoryHistory/a/1', noBucket('1')],
    ...['__proto__', 'constructor', 'CPU', 'coreAlloc', 'delay%2Fa', '%00'].map((metric): [string, string] => [
      `/history/${metric}/2`,
      invalid(decodeURIComponent(metric).replace('\0', String.raw`\u0000`), HOST),
    ]),
    ['/history/__proto__/1', invalid('__proto__', HOST)],
    ...['cpu', 'xrCpu', 'toString', '__proto__'].map((metric): [string, string] => [
      `/coreMetricsHistory/${metric}/2`,
      invalid(metric, CORE),
    ]),
    ['/coreObservatoryHistory/nobody/2', 'invalid tag: the observatory has no outbound nobody'],
    ['/coreObservatoryHistory/__proto__/2', 'invalid tag: the observatory has no outbound __proto__'],
  ])('reject %s', async (path, msg) => {
    const { get } = await measured();
    const codes = { bucket: 'BUCKET_INVALID', metric: 'METRIC_INVALID' };
    const code = Object.entries(codes).find(([word]) => msg.startsWith(`invalid ${word} `))?.[1];
    expect(await get(path)).toStrictEqual({ success: false, msg, obj: null, code: code ?? 'OBSERVATORY_TAG_UNKNOWN' });
  });
});

describe('the measurements of the core', () => {
  it('are empty while no core runs', async () => {
    const { get } = await measured();
    const why = { reason: 'The core is not running', reasonCode: 'core.notRunning' };
    const state = { enabled: false, listen: '', ...why, keys: [], values: {} };
    expect((await get('/coreMetricsState'))?.obj).toStrictEqual(state);
    expect((await get('/coreObservatory'))?.obj).toStrictEqual([]);
    expect((await get('/coreMetricsHistory/coreSys/2'))?.obj).toStrictEqual([]);
  });

  it('are off if the core template has no metrics section', async () => {
    const { get } = await measured({
      core: { ...telling, stats: { metrics: { ...telling.stats.metrics, listen: null } } },
    });
    expect((await get('/coreMetricsState'))?.obj).toStrictEqual({
      ...{ enabled: false, listen: '', reason: 'The template of the core has no "metrics" block' },
      ...{ reasonCode: 'core.metricsMissing', keys: [], values: {} },
    });
    expect((await get('/coreMetricsHistory/coreSys/2'))?.obj).not.toHaveLength(0);
  });

  it('have the current and the last values', async () => {
    const { get } = await measured({ core: telling });
    const values = { coreAlloc: 1, coreSys: 2, coreHeapObjects: 3, coreNumGC: 4, corePauseNs: 5 };
    expect((await get('/coreMetricsState'))?.obj).toStrictEqual({
      ...{ enabled: true, listen: '127.0.0.1:4000', keys: Object.keys(values), values },
    });
    for (const [metric, value] of Object.entries(values)) {
      const samples = historyRoutes.coreMetricsHistory.reply.parse(
        (await get(`/coreMetricsHistory/${metric}/300`))?.obj,
      );
      expect(samples.at(-1)?.v).toBe(value);
    }
  });

  it('are also available under the names of 3x-ui', async () => {
    const { get } = await measured({ core: telling });
    for (const [ours, theirs] of [
      ['/coreMetricsState', '/xrayMetricsState'],
      ['/coreObservatory', '/xrayObservatory'],
      ['/coreObservatoryHistory/b%20way/2', '/xrayObservatoryHistory/b%20way/2'],
      ...['Alloc', 'Sys', 'HeapObjects', 'NumGC', 'PauseNs'].flatMap((name) => [
        [`/coreMetricsHistory/core${name}/2`, `/xrayMetricsHistory/xr${name}/2`],
      ]),
    ]) {
      const answer = await get(ours ?? '');
      expect(answer?.success).toBe(true);
      expect(await get(theirs ?? '')).toStrictEqual(answer);
    }
  });

  it('show the observatory by tag, and its delays', async () => {
    const { get } = await measured({ core: telling });
    const seen = historyRoutes.coreObservatory.reply.parse((await get('/coreObservatory'))?.obj);
    expect(seen).toMatchObject([
      { tag: 'a', alive: false, delay: 99_999_999, lastSeenTime: 0, lastTryTime: 6 },
      { tag: 'b way', alive: true, delay: 30, lastSeenTime: 5, lastTryTime: 6 },
    ]);
    expect(seen[0]?.updatedAt).toBeGreaterThan(1_700_000_000);
    const delays = historyRoutes.history.reply.parse((await get('/coreObservatoryHistory/b%20way/2'))?.obj);
    expect(new Set(delays.map(({ v }) => v))).toStrictEqual(new Set([30]));
    expect((await get('/coreObservatoryHistory/a/2'))?.obj).toStrictEqual([]);
  });
});
