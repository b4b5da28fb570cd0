import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../../test/kit/real/certificate.js';
import { type LivePanel, livePanel, proc } from '../kit/live.js';
import { type Blocks, blocksOf, longestBlock, watching } from '../kit/loop-watch.js';
import type { Bench } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';

const NODES = '/panel/api/nodes';

async function post({ process: { url }, headers }: LivePanel, path: string, body: object): Promise<void> {
  const answer = await fetch(url + NODES + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { success, msg } = (await answer.json()) as { success: boolean; msg: string };
  if (!success) throw new Error(msg);
}

async function answered(child: ChildProcess): Promise<number> {
  child.send('how many');
  const [message] = (await once(child, 'message')) as [{ answered: number }];
  return message.answered;
}

/** Heartbeats of many nodes over TLS, one connection each, while the panel is otherwise idle. */
export const nodes: Bench = async ({ quick }) => {
  const [count, rounds] = quick ? [20, 2] : [100, 5];
  const certificate = await makeCertificate(['localhost']);
  const child = fork(join(import.meta.dirname, '../kit', 'node-server.ts'), [
    certificate.certFile,
    certificate.keyFile,
  ]);
  const [port] = (await once(child, 'message')) as [number];
  const file = join(tmpdir(), `portolan-bench-nodes-${process.pid}.json`);
  const panel = await livePanel(100, { ...watching(file), NODE_EXTRA_CA_CERTS: certificate.certFile });
  const { pid } = panel.process;
  try {
    await sleep(10_000); // what the start left to do
    await longestBlock(pid, file);
    await sleep(5500);
    const quiet = await longestBlock(pid, file);
    const place = { scheme: 'https', host: '127.0.0.1', port, apiToken: 'token', allowPrivateAddress: true };
    for (let n = 1; n <= count; n += 1) await post(panel, '/add', { ...place, name: `node ${n}` });
    await sleep(10_000); // the first answers, and what they change
    await longestBlock(pid, file);
    const blocks: Blocks[] = [];
    const before = { asked: await answered(child), cpu: proc.cpuSeconds(pid) };
    for (let round = 0; round < rounds; round += 1) {
      await sleep(5500);
      blocks.push(await blocksOf(pid, file));
    }
    const blocked = blocks.map(({ most }) => most);
    const own = Math.max(...blocks.map(({ busiest }) => busiest));
    const asked = (await answered(child)) - before.asked;
    const cost = ((proc.cpuSeconds(pid) - before.cpu) * 1000) / Math.max(1, asked);
    return [
      {
        name: `nodes: longest block of the loop in a heartbeat of ${count}`,
        measured: Math.max(...blocked),
        unit: 'ms',
        target: { most: 50 },
        note: `over TLS, ${rounds} heartbeats, median ${median(blocked).toFixed(1)} ms; at most ${own.toFixed(1)} ms of processor time at a stretch; ${quiet.toFixed(1)} ms without a node`,
      },
      {
        name: 'nodes: heartbeats that came in time',
        measured: asked / (count * rounds),
        unit: '×',
        target: { least: 0.9 },
        note: `of one every 5.5 s; each costs ${cost.toFixed(1)} ms of processor time, the idle panel included`,
      },
    ];
  } finally {
    await panel.stop();
    child.kill();
    certificate.remove();
  }
};
