import { must } from '../../test/kit/real/panel-process.js';
import { emptyServer } from '../kit/empty.js';
import { subIdOf } from '../kit/fleet.js';
import { type LivePanel, proc, sharedPanel } from '../kit/live.js';
import { goodLoad, type LoadPlan, type LoadResult, load, request } from '../kit/load.js';
import type { Bench, Row } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';

const CONNECTIONS = 16;
const FLOOD = 64;
/** Warm-up in seconds: an idle process has released memory and starts slowly. */
const WARM_UP = 2;
const [ID, APP] = [subIdOf(7), { accept: '*/*' }];

/**
 * The subscription of one client in each format, alternating with a server that does nothing, while an admin lists all
 * inbounds and the core is polled; then of every client once; the cost of a miss; and the effect of a flood.
 */
export const sub: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  await must((await panel.process.admin()).post('/panel/setting/update', { subJsonEnable: true }));
  const seconds = quick ? 2 : 5;
  return [
    ...(await forms(panel, seconds)),
    ...(await everyClient(panel)),
    ...(await misses(panel, seconds)),
    ...(await floods(panel, seconds)),
  ];
};

const FORMS = [
  { name: 'links', path: `/sub/${ID}`, least: 10_000 },
  { name: 'JSON', path: `/json/${ID}`, least: 3000 },
  { name: 'Clash', path: `/clash/${ID}`, least: 3000 },
  { name: 'sing-box', path: `/sub/${ID}?format=sing-box`, least: 3000 },
  { name: 'page', path: `/sub/${ID}?html=1`, least: 3000 },
];

async function forms(panel: LivePanel, seconds: number): Promise<readonly Row[]> {
  const empty = await emptyServer();
  const plan = (port: number, path: string): LoadPlan => ({
    ...{ port, connections: CONNECTIONS, requests: [request('GET', path, APP)], seconds },
  });
  const theirs: LoadResult[] = [];
  const ours = FORMS.map((): LoadResult[] => []);
  try {
    for (let round = 0; round < 3; round += 1) {
      theirs.push(await warm(plan(empty.port, '/'), goodLoad));
      for (const [index, { path }] of FORMS.entries()) {
        ours[index]?.push(await warm(plan(panel.process.ports.sub, path), (own) => besideAnAdmin(panel, own)));
      }
    }
  } finally {
    empty.stop();
  }
  const reference = rateOf(theirs);
  const among = `one client among ${panel.clients}, ${CONNECTIONS} connections, beside an admin who lists the inbounds`;
  return FORMS.flatMap(({ name, least }, index) => {
    const results = ours[index] ?? [];
    const measured = rateOf(results);
    const p99 = median(results.map((result) => result.p99));
    return [
      { name: `sub: ${name} a second`, measured, reference, unit: '/s', target: { least }, note: among },
      { name: `sub: ${name} p99`, measured: p99, unit: 'ms', target: { most: 20 } },
    ];
  });
}

const rateOf = (results: readonly LoadResult[]): number => median(results.map(({ perSecond }) => perSecond));

async function warm(plan: LoadPlan, measure: (plan: LoadPlan) => Promise<LoadResult>): Promise<LoadResult> {
  await load({ ...plan, seconds: WARM_UP });
  return measure(plan);
}

async function besideAnAdmin(panel: LivePanel, plan: LoadPlan): Promise<LoadResult> {
  const requests = [request('GET', '/panel/api/inbounds/list', panel.headers)];
  const { panel: port } = panel.process.ports;
  const listing = goodLoad({ port, connections: 1, requests, pauseMs: 1000, seconds: plan.seconds ?? 1 });
  const [result] = await Promise.all([goodLoad(plan), listing]);
  return result;
}

async function everyClient(panel: LivePanel): Promise<readonly Row[]> {
  const requests = Array.from({ length: panel.clients }, (_, i) => request('GET', `/sub/${subIdOf(i + 1)}`));
  const cold = await goodLoad({ port: panel.process.ports.sub, connections: CONNECTIONS, requests });
  const note = `nothing rendered before; p99 ${cold.p99.toFixed(1)} ms`;
  return [{ name: 'sub: every client once', measured: cold.perSecond, unit: '/s', target: { least: 2000 }, note }];
}

/** CPU time of the panel and its followers so far, in s. */
function cpuSeconds({ process: { pid } }: LivePanel): number {
  return [pid, ...proc.followers(pid)].reduce((sum, one) => sum + proc.cpuSeconds(one), 0);
}

/** CPU time of the panel per request, from so many addresses that the limit on misses does not apply. */
async function misses(panel: LivePanel, seconds: number): Promise<readonly Row[]> {
  const cost = async (path: string): Promise<number> => {
    const requests = Array.from({ length: 5000 }, (_, i) =>
      request('GET', path, { ...APP, 'x-forwarded-for': `10.0.${i >> 8}.${i & 255}` }),
    );
    const before = cpuSeconds(panel);
    const { count } = await load({ port: panel.process.ports.sub, connections: CONNECTIONS, requests, seconds });
    return ((cpuSeconds(panel) - before) * 1e6) / count;
  };
  const [hits, nothing]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round += 1) {
    hits.push(await cost(`/sub/${ID}`));
    nothing.push(await cost('/sub/nobody'));
  }
  return [
    {
      name: 'sub: a miss against a hit',
      measured: median(nothing),
      reference: median(hits),
      unit: 'µs',
      target: { ratioMost: 1 },
      note: 'processor time',
    },
  ];
}

/** Latency of status requests while the subscription port is flooded. */
async function floods(panel: LivePanel, seconds: number): Promise<readonly Row[]> {
  const { panel: port, sub: flooded } = panel.process.ports;
  const requests = [request('GET', '/panel/api/server/status', panel.headers)];
  const status = () => goodLoad({ port, connections: 2, requests, pauseMs: 10, seconds });
  const calm = await status();
  const rows: Row[] = [];
  for (const [name, path] of [
    ['hits', `/sub/${ID}`],
    ['misses', '/sub/nobody'],
    ['pages', `/sub/${ID}?html=1`],
  ] as const) {
    const flood = load({
      ...{ port: flooded, connections: FLOOD, requests: [request('GET', path, APP)], seconds: seconds + 2 },
    });
    await sleep(1000);
    const { p99, median: half } = await status();
    const { perSecond } = await flood;
    rows.push({
      ...{ name: `sub: status in a flood of ${name}`, measured: p99, reference: calm.p99, unit: 'ms' },
      target: { most: 50 },
      note: `p99, median ${half.toFixed(1)} ms; ${FLOOD} connections, ${perSecond.toFixed(0)} answers a second`,
    });
  }
  return rows;
}
