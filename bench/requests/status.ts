import { emptyServer } from '../kit/empty.js';
import { emailOf } from '../kit/fleet.js';
import { proc, sharedPanel } from '../kit/live.js';
import { goodLoad, type LoadResult, request } from '../kit/load.js';
import type { Bench } from '../kit/row.js';
import { median } from '../kit/time.js';

const CONNECTIONS = 16;
const STATUS = '/panel/api/server/status';

const rateOf = (results: readonly LoadResult[]): number => median(results.map(({ perSecond }) => perSecond));

/** GET requests for the status and for the counters of a client, alternating with a server that does nothing. */
export const status: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  const empty = await emptyServer();
  const seconds = quick ? 2 : 5;
  const { headers, process: running } = panel;
  const ask = (port: number, path: string) =>
    goodLoad({ port, connections: CONNECTIONS, requests: [request('GET', path, headers)], seconds });
  const [ours, clients, theirs]: LoadResult[][] = [[], [], []];
  const cost: number[] = [];
  try {
    await ask(running.ports.panel, STATUS);
    for (let round = 0; round < 3; round += 1) {
      theirs?.push(await ask(empty.port, STATUS));
      const before = proc.cpuSeconds(running.pid);
      const result = await ask(running.ports.panel, STATUS);
      cost.push(((proc.cpuSeconds(running.pid) - before) * 1e6) / result.count);
      ours?.push(result);
      clients?.push(await ask(running.ports.panel, `/panel/api/inbounds/getClientTraffics/${emailOf(7)}`));
    }
  } finally {
    empty.stop();
  }
  const reference = rateOf(theirs ?? []);
  const measured = rateOf(ours ?? []);
  return [
    {
      name: 'status: requests a second',
      measured,
      unit: '/s',
      target: { least: 11_000 },
      note: `${CONNECTIONS} connections, ${median(cost).toFixed(0)} µs of processor time for each`,
    },
    { name: 'status: against an empty node:http', measured, reference, unit: '/s', target: { ratioLeast: 0.37 } },
    {
      name: 'status: p99',
      measured: median((ours ?? []).map(({ p99 }) => p99)),
      unit: 'ms',
      target: { most: 10 },
    },
    {
      name: 'status: getClientTraffics a second',
      measured: rateOf(clients ?? []),
      reference,
      unit: '/s',
      target: { least: 11_000 },
      note: `one client among ${panel.clients}`,
    },
  ];
};
