import { listeners } from '../kit/listeners.js';
import { type LivePanel, livePanel, proc } from '../kit/live.js';
import type { Bench } from '../kit/row.js';
import { median, sleep } from '../kit/time.js';

/** Sockets per session. */
const OF_A_SESSION = 32;

async function cookiesOf({ process: panel }: LivePanel, sockets: number): Promise<readonly string[]> {
  const cookies: string[] = [];
  for (let i = 0; i < Math.ceil(sockets / OF_A_SESSION) + 1; i += 1) {
    const body = JSON.stringify({ username: panel.username, password: panel.password });
    const answer = await fetch(`${panel.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    cookies.push(answer.headers.getSetCookie()[0]?.split(';')[0] ?? '');
  }
  return cookies;
}

/**
 * The delay between the first and the last of `count` listeners at each tick, in ms, and the CPU time of the panel, in
 * s/min.
 */
async function measured(
  panel: LivePanel,
  group: Awaited<ReturnType<typeof listeners>>,
  count: number,
  seconds: number,
) {
  await sleep(3000);
  await group.heard();
  const { pid } = panel.process;
  const before = proc.cpuSeconds(pid);
  const start = performance.now();
  await sleep(seconds * 1000);
  const minutes = (performance.now() - start) / 60_000;
  const cpu = (proc.cpuSeconds(pid) - before) / minutes;
  // The first and the last tick may be incomplete.
  const ticks = (await group.heard()).ticks.slice(1, -1);
  const incomplete = ticks.filter((tick) => tick.count !== count).length;
  if (ticks.length === 0 || incomplete > 0) throw new Error(`${incomplete} of ${ticks.length} ticks did not reach all`);
  const spreads = ticks.map(({ first, last }) => last - first);
  return { cpu, spread: median(spreads), worst: Math.max(...spreads), ticks: ticks.length };
}

/** Browsers connected to `/ws`: first all of them read, then some never read. */
export const sockets: Bench = async ({ quick }) => {
  const [count, slow, seconds] = quick ? [200, 20, 10] : [1000, 100, 40];
  const panel = await livePanel(quick ? 1000 : 10_000);
  try {
    const { pid, ports } = panel.process;
    await sleep(30_000); // what the start left to do
    const cookies = await cookiesOf(panel, count + slow);
    const plan = { port: ports.panel, path: '/ws', cookies, reads: true };
    const sound = await listeners({ ...plan, count });
    const alone = await measured(panel, sound, count, seconds);
    const idleClients = await listeners({ ...plan, count: slow, reads: false });
    const among = await measured(panel, sound, count, seconds);
    idleClients.stop();
    sound.stop();
    const note = `${count} listeners, median of ${alone.ticks} ticks, the worst ${alone.worst.toFixed(1)} ms`;
    return [
      { name: 'sockets: first to last', measured: alone.spread, unit: 'ms', target: { most: 20 }, note },
      {
        name: 'sockets: processor time',
        measured: alone.cpu,
        unit: 's/min',
        target: { most: 0.5 },
        note: `the whole panel process, ${panel.clients} clients, core running`,
      },
      {
        name: `sockets: first to last, ${slow} deaf ones more`,
        measured: among.spread,
        unit: 'ms',
        target: { most: 20 },
        note: `the others heard all of ${among.ticks} ticks, the worst ${among.worst.toFixed(1)} ms`,
      },
      { name: 'sockets: memory', measured: proc.rss(pid), unit: 'MB', target: { most: 300 } },
    ];
  } finally {
    await panel.stop();
  }
};
