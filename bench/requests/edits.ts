import { CLIENT_API as API, addRequests, clientBody } from '../kit/add-clients.js';
import { emailOf, idOf } from '../kit/fleet.js';
import { type LivePanel, livePanel, proc, sharedPanel } from '../kit/live.js';
import { goodLoad, type LoadResult, request } from '../kit/load.js';
import type { Bench, Row } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';
import { writersAtOnce } from '../kit/writers.js';

/** Clients that the benchmark adds are numbered from here. */
const FRESH = 1_000_000;

/** The four edits of one client, `count` times each, one after the other on one connection. */
async function editing(panel: LivePanel, count: number): Promise<Readonly<Record<string, LoadResult>>> {
  const numbers = Array.from({ length: count }, (_, i) => FRESH + i);
  const { headers } = panel;
  const post = (path: string, body: object = {}): string => request('POST', `${API}${path}`, headers, body);
  const plans = {
    addClient: addRequests(panel, FRESH, count),
    updateClient: numbers.map((n) => post(`/updateClient/${idOf(n)}`, clientBody(n, { totalGB: n }))),
    resetClientTraffic: numbers.map((n) => post(`/1/resetClientTraffic/${emailOf(n)}`)),
    delClient: numbers.map((n) => post(`/1/delClient/${idOf(n)}`)),
  };
  const results: Record<string, LoadResult> = {};
  for (const [name, requests] of Object.entries(plans)) {
    const plan = { port: panel.process.ports.panel, connections: 1, requests, expect: '"success":true' };
    results[name] = await goodLoad(plan);
  }
  return results;
}

interface Added {
  readonly obj: { readonly id: number };
}

/** Time from the request until the core has the client, in ms. */
async function untilRunning(panel: LivePanel, n: number): Promise<number> {
  const start = performance.now();
  const body = JSON.stringify(clientBody(n));
  const { headers } = panel;
  await (await fetch(`${panel.process.url}${API}/addClient`, { method: 'POST', headers, body })).text();
  const email = emailOf(n);
  const added = (await (
    await fetch(`${panel.process.url}${API}/getClientTraffics/${email}`, { headers })
  ).json()) as Added;
  const named = { client: added.obj.id, email };
  while (performance.now() - start < 5000) {
    if ((await panel.running(named).catch((): readonly string[] => [])).includes(email))
      return performance.now() - start;
  }
  return Number.POSITIVE_INFINITY;
}

/** kB written to disk for one separate edit: a pause before each prevents shared writes. */
async function writtenPerEdit(panel: LivePanel, count: number): Promise<number> {
  const { pid, ports } = panel.process;
  await sleep(1000);
  const before = proc.written(pid);
  for (let i = 0; i < count; i += 1) {
    const requests = [
      request('POST', `${API}/updateClient/${idOf(1 + i)}`, panel.headers, clientBody(1 + i, { totalGB: 1e12 + i })),
    ];
    await goodLoad({ port: ports.panel, connections: 1, requests, expect: '"success":true' });
  }
  await sleep(1000);
  return (proc.written(pid) - before) / count;
}

export const edits: Bench = async ({ quick }) => {
  const count = quick ? 100 : 500;
  const small = await livePanel(quick ? 250 : 1000);
  let few: Readonly<Record<string, LoadResult>>;
  try {
    await editing(small, count);
    few = await editing(small, count);
  } finally {
    await small.stop();
  }
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  await editing(panel, count);
  const many = await editing(panel, count);
  const rows: Row[] = Object.entries(many).map(([name, result]) => ({
    name: `edit: ${name}`,
    measured: result.median,
    reference: few[name]?.median ?? 0,
    unit: 'ms',
    target: { most: 5 },
    note: `median over HTTP with ${panel.clients} clients; reference: with ${small.clients}; p99 ${result.p99.toFixed(1)} ms`,
  }));
  const delays: number[] = [];
  for (let i = 0; i < (quick ? 5 : 20); i += 1) delays.push(await untilRunning(panel, 2 * FRESH + i));
  const written = await writtenPerEdit(panel, quick ? 5 : 20);
  const writers = await writersAtOnce(panel, 3 * FRESH, quick ? 1000 : 5000);
  return [
    ...rows,
    {
      name: 'edit: until the core has the client',
      measured: median(delays),
      unit: 'ms',
      target: { most: 5 },
      note: `slowest ${Math.max(...delays).toFixed(0)} ms, by the API of the core`,
    },
    { name: 'edit: written to disk', measured: written, unit: 'kB', target: { most: 50 }, note: 'one edit on its own' },
    ...writers,
  ];
};
