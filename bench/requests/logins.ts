import { ADMINS, PASSWORD, proc, sharedPanel } from '../kit/live.js';
import { goodLoad, request } from '../kit/load.js';
import type { Bench } from '../kit/row.js';

const READERS = 4;
const READING_S = 3;

/** Concurrent logins of different users, and their effect on others that read the status. */
export const logins: Bench = async ({ quick }) => {
  const panel = await sharedPanel(quick ? 2500 : 25_000);
  const { ports } = panel.process;
  const sent = ADMINS.slice(1).map((username) =>
    request('POST', '/login', { 'content-type': 'application/json' }, { username, password: PASSWORD }),
  );
  const ask = (seconds: number) =>
    goodLoad({
      port: ports.panel,
      connections: READERS,
      requests: [request('GET', '/panel/api/server/status', panel.headers)],
      seconds,
      pauseMs: 5,
    });
  const quiet = await ask(2);
  const before = proc.cpuSeconds(panel.process.pid);
  const loggingIn = goodLoad({
    port: ports.panel,
    connections: sent.length,
    requests: sent,
    expect: '"success":true',
  });
  // Both start when their processes are ready. The readers stop before the logins, because idle time at the end would
  // improve the result.
  const reading = ask(READING_S);
  const done = await loggingIn;
  const cost = (proc.cpuSeconds(panel.process.pid) - before) / sent.length;
  const busy = await reading;
  return [
    {
      name: `logins: ${sent.length} users at once`,
      measured: done.slowest / 1000,
      unit: 's',
      target: { most: 8 },
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
