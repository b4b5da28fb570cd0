import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopbackTemplate } from '../../test/kit/real/panel-process.js';
import { livePanel } from '../kit/live.js';
import { goodLoad, request } from '../kit/load.js';
import { longestBlock, watching } from '../kit/loop-watch.js';
import type { Bench } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';

const ROUNDS = 5;

/** How long a change of settings and a test of a template block other requests, with many clients. */
export const settings: Bench = async ({ quick }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-bench-'));
  const file = join(folder, 'loop.json');
  const panel = await livePanel(quick ? 2500 : 25_000, watching(file));
  const { ports, pid } = panel.process;
  /** Sends a request several times and returns the longest block of the event loop. */
  const blocks = async (path: string, bodyOf: (round: number) => unknown): Promise<readonly number[]> => {
    const blocked: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await longestBlock(pid, file);
      const asked = request('POST', path, panel.headers, bodyOf(round));
      await goodLoad({ port: ports.panel, connections: 1, requests: [asked], expect: '"success":true' });
      await sleep(3000); // what the change makes the core and the snapshots do
      blocked.push(await longestBlock(pid, file));
    }
    return blocked;
  };
  try {
    await sleep(10_000); // what the start left to do
    await longestBlock(pid, file);
    await sleep(6000);
    const quiet = await longestBlock(pid, file);
    const change = await blocks('/panel/api/setting/update', (round) => ({ subTitle: `Title ${round}` }));
    const test = await blocks('/panel/api/xray/update', (round) => ({
      coreSetting: JSON.stringify(loopbackTemplate({ log: { loglevel: round % 2 === 0 ? 'info' : 'warning' } })),
    }));
    const among = `the worst of ${ROUNDS}, ${panel.clients} clients; without any ${quiet.toFixed(0)} ms`;
    const row = (name: string, blocked: readonly number[]) => ({
      name,
      measured: Math.max(...blocked),
      unit: 'ms',
      target: { most: 50 },
      note: `${among}; median ${median(blocked).toFixed(0)} ms`,
    });
    return [row('loop: blocked by a settings change', change), row('loop: blocked by a template test', test)];
  } finally {
    await panel.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
