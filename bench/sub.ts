import { emptyServer } from './kit/empty.js';
import { subIdOf } from './kit/fleet.js';
import { sharedPanel } from './kit/live.js';
import { goodLoad, request } from './kit/load.js';
import type { Bench } from './kit/row.js';
import { median } from './kit/time.js';

const CONNECTIONS = 16;

/** GET /sub of one client, in turn with a server that does nothing; and then of every client once. */
export const sub: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  const empty = await emptyServer();
  const seconds = quick ? 2 : 5;
  const one = [request('GET', `/sub/${subIdOf(7)}`, { accept: '*/*' })];
  const ours = [];
  const theirs = [];
  try {
    await goodLoad({ port: panel.process.ports.sub, connections: CONNECTIONS, requests: one, seconds: 2 });
    for (let round = 0; round < 3; round += 1) {
      theirs.push(await goodLoad({ port: empty.port, connections: CONNECTIONS, requests: one, seconds }));
      const plan = { port: panel.process.ports.sub, connections: CONNECTIONS, requests: one, seconds };
      ours.push(await goodLoad(plan));
    }
  } finally {
    empty.stop();
  }
  const all = Array.from({ length: panel.clients }, (_, i) => request('GET', `/sub/${subIdOf(i + 1)}`));
  const cold = await goodLoad({ port: panel.process.ports.sub, connections: CONNECTIONS, requests: all });
  const rate = median(ours.map(({ perSecond }) => perSecond));
  const reference = median(theirs.map(({ perSecond }) => perSecond));
  const among = `one client among ${panel.clients}, ${CONNECTIONS} connections`;
  return [
    { name: 'sub: requests a second', measured: rate, unit: '/s', target: { least: 10_000 }, note: among },
    {
      name: 'sub: against an empty node:http',
      measured: rate,
      reference,
      unit: '/s',
      target: { ratioLeast: 0.5 },
    },
    { name: 'sub: p99', measured: median(ours.map(({ p99 }) => p99)), unit: 'ms', target: { most: 10 } },
    {
      name: 'sub: every client once',
      measured: cold.perSecond,
      unit: '/s',
      target: { least: 2000 },
      note: `nothing rendered before; p99 ${cold.p99.toFixed(1)} ms`,
    },
  ];
};
