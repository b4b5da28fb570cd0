import { proc, sharedPanel } from './kit/live.js';
import { goodLoad, request } from './kit/load.js';
import type { Bench } from './kit/row.js';
import { sleep } from './kit/time.js';

const AT_ONCE = 50;
const READERS = 4;

/** Logins at one moment, and what others notice of them who read the status all the while. */
export const logins: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  const { ports, username, password } = panel.process;
  const login = request('POST', '/login', { 'content-type': 'application/json' }, { username, password });
  const ask = (seconds: number) =>
    goodLoad({
      port: ports.panel,
      connections: READERS,
      requests: [request('GET', '/panel/api/server/status', panel.headers)],
      seconds,
      pauseMs: 5,
    });
  const quiet = await ask(2);
  // Long enough for all of the logins, and not so long that the quiet after them makes it look better.
  const reading = ask(3);
  await sleep(700);
  const before = proc.cpuSeconds(panel.process.pid);
  const done = await goodLoad({
    port: ports.panel,
    connections: AT_ONCE,
    requests: Array.from({ length: AT_ONCE }, () => login),
    expect: '"success":true',
  });
  const cost = (proc.cpuSeconds(panel.process.pid) - before) / AT_ONCE;
  const busy = await reading;
  return [
    {
      name: `logins: ${AT_ONCE} at once`,
      measured: done.slowest / 1000,
      unit: 's',
      target: { most: 2 },
      note: `until the last is answered, the median after ${(done.median / 1000).toFixed(2)} s; ${(cost * 1000).toFixed(0)} ms of processor time each`,
    },
    {
      name: 'logins: p99 of the status meanwhile',
      measured: busy.p99,
      unit: 'ms',
      target: { most: 50 },
      note: `${busy.count} reads over ${READERS} connections, the slowest ${busy.slowest.toFixed(0)} ms; ${quiet.p99.toFixed(1)} ms before`,
    },
  ];
};
