import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/kit/wait.js';
import { emailOf, idOf } from '../kit/fleet.js';
import { type LivePanel, livePanel, proc } from '../kit/live.js';
import { blocksOf, watching } from '../kit/loop-watch.js';
import type { Bench } from '../kit/row.js';
import { sleep } from '../kit/time.js';

const API = '/panel/api';
/** Nodes beat about every 5.5 s. */
const BEAT_S = 5.5;

async function post({ process: { url }, headers }: LivePanel, path: string, body: object): Promise<{ id: number }> {
  const answer = await fetch(url + API + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { success, msg, obj } = (await answer.json()) as { success: boolean; msg: string; obj: { id: number } };
  if (!success) throw new Error(msg);
  return obj;
}

interface Figures {
  readonly answered: number;
  readonly clients: number;
}

async function figuresOf(child: ChildProcess): Promise<Figures> {
  child.send('figures');
  const [figures] = (await once(child, 'message')) as [Figures];
  return figures;
}

/** Adds a node and an inbound with clients on it. */
async function addNode(panel: LivePanel, n: number, port: number, clients: number): Promise<void> {
  const place = { scheme: 'http', host: '127.0.0.1', port, apiToken: 'node-token', allowPrivateAddress: true };
  const { id } = await post(panel, '/nodes/add', { ...place, name: `node ${n}` });
  const own = Array.from({ length: clients }, (_, i) => {
    const number = n * 10_000 + i;
    return { ...{ email: emailOf(number), id: idOf(number), enable: true, totalGB: 0, expiryTime: 0, limitIp: 0 } };
  });
  await post(panel, '/inbounds/add', {
    ...{ enable: true, remark: `on ${n}`, listen: '', port: 20_000 + n, protocol: 'vless', expiryTime: 0, total: 0 },
    ...{ nodeId: id, sniffing: '{}', streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }) },
    settings: JSON.stringify({ clients: own, decryption: 'none' }),
  });
}

/** Heartbeats and counters of many nodes that speak the protocol of 3x-ui, with a tenth of the clients active. */
export const nodeFleet: Bench = async ({ quick }) => {
  const [count, each, seconds] = quick ? [20, 50, 22] : [300, 333, 66];
  const child = fork(join(import.meta.dirname, '../kit', 'node-fleet.ts'), [String(count)]);
  const [ports] = (await once(child, 'message')) as [number[]];
  const file = join(tmpdir(), `portolan-bench-node-fleet-${process.pid}.json`);
  const panel = await livePanel(1, watching(file));
  const { pid } = panel.process;
  try {
    const began = performance.now();
    for (const [i, port] of ports.entries()) await addNode(panel, i + 1, port, each);
    const added = (performance.now() - began) / 1000;
    await until('all nodes have their clients', async () => (await figuresOf(child)).clients === count * each, 600);
    const reached = (performance.now() - began) / 1000;
    await sleep(20_000); // what the additions left to do
    await blocksOf(pid, file);
    const before = { cpu: proc.cpuSeconds(pid), asked: (await figuresOf(child)).answered, at: performance.now() };
    await sleep(seconds * 1000);
    const passed = (performance.now() - before.at) / 1000;
    const used = proc.cpuSeconds(pid) - before.cpu;
    const asked = (await figuresOf(child)).answered - before.asked;
    const { busiest } = await blocksOf(pid, file);
    const what = `${count} nodes with ${count * each} clients`;
    return [
      {
        ...{
          name: `nodes: processor of the panel, ${what}`,
          measured: used / passed,
          unit: 's/s',
          target: { most: 0.5 },
        },
        note: `heartbeats and counters, a tenth of the clients active; ${((used * 1000) / Math.max(1, asked)).toFixed(1)} ms for each heartbeat; all nodes added in ${added.toFixed(0)} s and in sync after ${reached.toFixed(0)} s; ${proc.rss(pid).toFixed(0)} MB`,
      },
      {
        ...{ name: `nodes: longest turn of the loop, ${what}`, measured: busiest, unit: 'ms', target: { most: 50 } },
        note: 'processor time at a stretch',
      },
      {
        ...{ name: `nodes: heartbeats that came in time, ${what}`, measured: asked / ((count * passed) / BEAT_S) },
        ...{ unit: '×', target: { least: 0.9 }, note: `of one every ${BEAT_S} s` },
      },
    ];
  } finally {
    await panel.stop();
    child.kill();
  }
};
