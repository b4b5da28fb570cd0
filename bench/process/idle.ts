import { fork } from 'node:child_process';
import { join } from 'node:path';
import { idOf } from '../kit/fleet.js';
import { type LivePanel, livePanel, proc } from '../kit/live.js';
import type { Bench } from '../kit/row.js';
import { sleep } from '../kit/time.js';

/** CPU time of the panel process over some seconds, in s per minute. */
async function cpuPerMinute({ process: panel }: LivePanel, seconds: number): Promise<number> {
  const before = proc.cpuSeconds(panel.pid);
  const start = performance.now();
  await sleep(seconds * 1000);
  const took = (performance.now() - start) / 1000;
  return ((proc.cpuSeconds(panel.pid) - before) * 60) / took;
}

/** Real connections of this many clients through the core; each sends a small request between two polls. */
async function activeUsers(panel: LivePanel, count: number): Promise<{ stop(): void }> {
  const child = fork(join(import.meta.dirname, '../kit', 'vless-users.ts'));
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', (code) => reject(new Error(`the users ended with ${code}`)));
  });
  child.send({ port: panel.port, ids: Array.from({ length: count }, (_, i) => idOf(i + 1)), everyMs: 4000 });
  await ready;
  return { stop: () => void child.kill() };
}

export const idle: Bench = async ({ quick }) => {
  const [clients, active, seconds] = quick ? [1000, 100, 20] : [10_000, 1000, 40];
  const panel = await livePanel(clients);
  try {
    await sleep(10_000); // what the start left to do
    const alone = await cpuPerMinute(panel, seconds);
    const users = await activeUsers(panel, active);
    await sleep(15_000); // their addresses are written down once
    const busy = await cpuPerMinute(panel, seconds);
    users.stop();
    const moved = await movedBetweenPolls(panel);
    return [
      {
        name: 'idle: nobody connected',
        measured: alone,
        unit: 's/min',
        target: { most: 0.6 },
        note: `processor time of the panel process over ${seconds} s, ${clients} clients, core running`,
      },
      {
        name: `idle: ${active} users active`,
        measured: busy,
        unit: 's/min',
        target: { most: 1.5 },
        note: `${moved} clients were seen moving bytes`,
      },
    ];
  } finally {
    await panel.stop();
  }
};

/** The number of clients that the panel reported as online. */
async function movedBetweenPolls({ process: panel, headers }: LivePanel): Promise<number> {
  const url = `${panel.url}/panel/api/inbounds/onlines`;
  const { obj } = (await (await fetch(url, { method: 'POST', headers })).json()) as { obj: readonly string[] };
  return obj.length;
}
