import { connect } from 'node:tls';
import { makeCertificate, type TestCertificate } from '../../test/kit/real/certificate.js';
import { must } from '../../test/kit/real/panel-process.js';
import { emptyServer } from '../kit/empty.js';
import { subIdOf } from '../kit/fleet.js';
import { type LivePanel, livePanel, proc } from '../kit/live.js';
import { goodLoad, type LoadPlan, type LoadResult, load, request } from '../kit/load.js';
import { startNginx } from '../kit/nginx.js';
import type { Bench, Row } from '../kit/row.js';
import { sleep } from '../kit/time.js';

const CONNECTIONS = 16;
/** Random clients in one plan. */
const SAMPLE = 20_000;
/** How much of the rate of nginx is the target. */
const OF_NGINX = 0.8;

/** Subscriptions of random clients: on open connections beside an admin, on new connections, and on new ones with TLS. */
export const followers: Bench = async ({ quick }) => {
  const rows: Row[] = [];
  for (const clients of quick ? [2500] : [25_000, 100_000]) rows.push(...(await measured(clients, quick ? 2 : 8)));
  return rows;
};

async function measured(clients: number, seconds: number): Promise<readonly Row[]> {
  const certificate = await makeCertificate(['localhost']);
  const panel = await livePanel(clients);
  const nginx = await startNginx(await sizeOf(panel), certificate);
  const empty = await emptyServer();
  const plan = (over: Partial<LoadPlan>): LoadPlan => ({
    ...{ port: panel.process.ports.sub, connections: CONNECTIONS, requests: randomClients(clients), seconds },
    ...over,
  });
  const file = [request('GET', '/file')];
  try {
    await followersReady(panel);
    await load(plan({ seconds: 2 }));
    const bare = await goodLoad(plan({ port: empty.port }));
    const [open] = await Promise.all([goodLoad(plan({})), besideAnAdmin(panel, seconds)]);
    const memory = Math.max(0, ...proc.followers(panel.process.pid).map((pid) => proc.rss(pid)));
    const among = `random clients among ${clients}, ${CONNECTIONS} connections, beside an admin who lists`;
    const rows: Row[] = [
      {
        ...{ name: `followers: ${clients} clients, a second`, measured: open.perSecond, unit: '/s' },
        ...{ reference: bare.perSecond, target: { least: 25_000 }, note: `${among}; reference: empty node:http` },
      },
      { name: `followers: ${clients} clients, p99`, measured: open.p99, unit: 'ms', target: { most: 10 } },
      { name: `followers: ${clients} clients, memory`, measured: memory, unit: 'MB', target: { most: 120 } },
    ];
    const panelPids = () => [panel.process.pid, ...proc.followers(panel.process.pid)];
    const nginxPids = () => (nginx === null ? [] : [nginx.pid, ...proc.children(nginx.pid, 'nginx')]);
    for (const tls of [false, true]) {
      if (tls) await useTls(panel, certificate);
      const fresh = { fresh: true, tls };
      await load(plan({ ...fresh, seconds: 2 }));
      const ours = await counted(panelPids(), plan(fresh));
      const port = tls ? nginx?.tlsPort : nginx?.port;
      const theirs = port === undefined ? null : await counted(nginxPids(), plan({ ...fresh, port, requests: file }));
      rows.push(besideNginx(`followers: ${clients} clients, new${tls ? ' TLS' : ''} connections`, ours, theirs));
    }
    return rows;
  } finally {
    empty.stop();
    nginx?.stop();
    await panel.stop();
    certificate.remove();
  }
}

interface Counted extends LoadResult {
  /** Processor time for each request, in µs. */
  readonly micros: number;
}

async function counted(pids: readonly number[], plan: LoadPlan): Promise<Counted> {
  const used = (): number => pids.reduce((sum, pid) => sum + proc.cpuSeconds(pid), 0);
  const before = used();
  const result = await goodLoad(plan);
  return { ...result, micros: ((used() - before) * 1e6) / result.count };
}

function besideNginx(name: string, ours: Counted, theirs: Counted | null): Row {
  const spent = `p99 ${ours.p99.toFixed(1)} ms; processor time ${ours.micros.toFixed(0)} µs a request`;
  const beside =
    theirs === null
      ? 'nginx is not installed'
      : `nginx with a file of that size ${theirs.micros.toFixed(0)} µs (reference)`;
  return {
    ...{ name, measured: ours.perSecond, unit: '/s', target: { ratioLeast: OF_NGINX } },
    ...(theirs && { reference: theirs.perSecond }),
    note: `${spent}; ${beside}`,
  };
}

/** A fixed sequence of clients without order. */
function randomClients(count: number): readonly string[] {
  let state = 1;
  return Array.from({ length: Math.min(SAMPLE, count) }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return request('GET', `/sub/${subIdOf(1 + (state % count))}`, { accept: '*/*' });
  });
}

async function besideAnAdmin(panel: LivePanel, seconds: number): Promise<void> {
  const requests = [request('GET', '/panel/api/inbounds/list', panel.headers)];
  await load({ port: panel.process.ports.panel, connections: 1, requests, pauseMs: 1000, seconds });
}

async function sizeOf(panel: LivePanel): Promise<number> {
  return (await (await fetch(`${panel.process.subUrl}/sub/${subIdOf(1)}`)).text()).length;
}

/** The followers start with the first connection. Without followers, the panel itself is measured. */
async function followersReady(panel: LivePanel): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const text = await (await fetch(`${panel.process.opsUrl}/metrics`)).text();
    const states = [...text.matchAll(/^portolan_subscription_follower_up\{.*\} (\d)$/gm)].map(([, state]) => state);
    if (states.every((state) => state === '1')) return sleep(1000);
    await sleep(100);
  }
  throw new Error('the followers are not ready');
}

async function useTls(panel: LivePanel, { certFile, keyFile }: TestCertificate): Promise<void> {
  const admin = await panel.process.admin();
  await must(admin.post('/panel/setting/update', { subCertFile: certFile, subKeyFile: keyFile }));
  panel.process.kill('SIGHUP');
  for (let tries = 0; tries < 300; tries += 1) {
    if (await hasTls(panel.process.ports.sub)) return;
    await sleep(100);
  }
  throw new Error('the server does not use TLS');
}

const hasTls = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
