import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type NatsCluster, startNatsCluster } from '../../test/kit/real/nats/cluster.js';
import { natsBinary } from '../../test/kit/real/nats/server.js';
import { cli, killPanel, type PanelProcess, panelPid, startPanel } from '../../test/kit/real/panel-process.js';
import { freePort } from '../../test/kit/real/ports.js';
import { until } from '../../test/kit/wait.js';
import { CLIENT_API, clientBody } from '../kit/add-clients.js';
import { emailOf, idOf, subIdOf } from '../kit/fleet.js';
import { newFolder, removeFolder } from '../kit/inside.js';
import { FIRST_LOGIN, HEADERS, proc, seedFleet } from '../kit/live.js';
import { goodLoad, type LoadResult, request } from '../kit/load.js';
import type { Bench, Row } from '../kit/row.js';
import { median, quantile, sleep } from '../kit/time.js';

const NAMES = ['one', 'two', 'three'] as const;
/** Events of a bulk request. */
const BULK = 1000;
/** Clients that the benchmark adds are numbered from here. */
const FRESH = 1_000_000;

/** A failover that takes longer, in ms, has failed. */
const FAILOVER_MS = 120_000;

/** A member: its directory, and its process while it runs. */
interface Member {
  readonly name: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  panel: PanelProcess;
}

const start = (folder: string, env: Readonly<Record<string, string>>): Promise<PanelProcess> =>
  startPanel({ ...FIRST_LOGIN, dataDir: folder, launcher: true, timeoutMs: 60_000, env: { ...QUIET, ...env } });
const QUIET = { PORTOLAN_LOG_LEVEL: 'warn', PORTOLAN_SUB_PROCESSES: '0' };

const post = (path: string, body: object): string => request('POST', CLIENT_API + path, HEADERS, body);
const adds = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => post('/addClient', clientBody(first + i)));
/** New caps for clients that exist. */
const edits = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    post(`/updateClient/${idOf(first + i)}`, clientBody(first + i, { totalGB: 1e12 + i })),
  );

/** Sends changes to one member, one after the other or by several callers. */
const sendTo = ({ ports }: PanelProcess, requests: readonly string[], connections: number, pauseMs = 0) =>
  goodLoad({ port: ports.panel, connections, pauseMs, requests, expect: '"success":true' });

async function has({ url }: PanelProcess, email: string): Promise<boolean> {
  const answer = await fetch(`${url}${CLIENT_API}/getClientTraffics/${email}`, { headers: HEADERS }).catch(() => null);
  const { obj = null } = ((await answer?.json().catch(() => null)) ?? {}) as { readonly obj?: object | null };
  return obj !== null;
}

/** Whether a member accepts a change itself or passes it on. */
async function accepts({ url }: PanelProcess, n: number): Promise<boolean> {
  const body = JSON.stringify(clientBody(n));
  const init = { method: 'POST', headers: HEADERS, body, signal: AbortSignal.timeout(2000) };
  const answer = await fetch(`${url}${CLIENT_API}/addClient`, init).catch(() => null);
  const { success = false } = ((await answer?.json().catch(() => null)) ?? {}) as { readonly success?: boolean };
  return success;
}

/** Time from a confirmed change on the leader until a follower shows it, in ms, beside 500 changes a second. */
async function lags(leader: PanelProcess, follower: PanelProcess, count: number): Promise<readonly number[]> {
  const beside = sendTo(leader, adds(FRESH + 200_000, count * 50), 10, 20);
  const found: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const n = FRESH + 300_000 + i;
    if (!(await accepts(leader, n))) throw new Error('the leader has refused a change');
    const from = performance.now();
    while (!(await has(follower, emailOf(n)))) await sleep(1);
    found.push(performance.now() - from);
  }
  await beside;
  return found;
}

/** Seconds from the start of a member until it has events that were appended while it was away. */
async function catchUp(leader: PanelProcess, away: Member, events: number): Promise<number> {
  await away.panel.stop();
  const first = FRESH + 400_000;
  for (let from = 0; from < events; from += BULK) {
    const clients = Array.from({ length: BULK }, (_, i) => JSON.parse(bodyOf(first + from + i)) as object);
    const body = JSON.stringify({ id: 1, settings: JSON.stringify({ clients }) });
    const answer = await fetch(`${leader.url}${CLIENT_API}/addClient`, { method: 'POST', headers: HEADERS, body });
    if (!((await answer.json()) as { readonly success: boolean }).success) throw new Error('a bulk was refused');
  }
  const began = performance.now();
  away.panel = await start(away.folder, away.env);
  while (!(await has(away.panel, emailOf(first + events - 1)))) await sleep(20);
  return (performance.now() - began) / 1000;
}

/** The memory of a follower after its start, in MB, once it has a client: the heap of a process grows with what it has done. */
async function memoryOf(follower: Member, n: number): Promise<number> {
  await follower.panel.stop();
  follower.panel = await start(follower.folder, follower.env);
  while (!(await has(follower.panel, emailOf(n)))) await sleep(20);
  await sleep(2000);
  return proc.rss(panelPid(follower.panel));
}

const bodyOf = (n: number): string => {
  const { settings } = clientBody(n) as { readonly settings: string };
  return JSON.stringify((JSON.parse(settings) as { readonly clients: readonly object[] }).clients[0]);
};

/** The first of these members that accepts a change. Each is asked again as soon as it has refused. */
async function firstToAccept(members: readonly Member[], fresh: () => number): Promise<Member> {
  const end = performance.now() + FAILOVER_MS;
  let isFound = false;
  const asked = members.map(async (member) => {
    while (!isFound && performance.now() < end) {
      if (await accepts(member.panel, fresh())) {
        isFound = true;
        return member;
      }
      await sleep(20);
    }
    throw new Error(`${member.name} has accepted no change in ${FAILOVER_MS / 1000} s`);
  });
  return Promise.any(asked);
}

/** Seconds from each kill -9 of the leader until another member accepts a change. */
async function failovers(members: readonly Member[], first: Member, kills: number): Promise<readonly number[]> {
  const times: number[] = [];
  let [leader, added] = [first, 0];
  for (let n = 0; n < kills; n += 1) {
    killPanel(leader.panel);
    const began = performance.now();
    const others = members.filter((member) => member !== leader);
    const next = await firstToAccept(others, () => FRESH + 700_000 + (added += 1));
    times.push((performance.now() - began) / 1000);
    leader.panel = await start(leader.folder, leader.env);
    leader = next;
    await sleep(1000);
  }
  return times;
}

/** Subscriptions per second of processor time of the panels that serve them together. */
async function perProcessorSecond(panels: readonly PanelProcess[], seconds: number): Promise<number> {
  const requests = Array.from({ length: 500 }, (_, i) => request('GET', `/sub/${subIdOf(1 + i)}`, { accept: '*/*' }));
  const used = (): number => panels.reduce((sum, panel) => sum + proc.cpuSeconds(panelPid(panel)), 0);
  const before = used();
  const loads = panels.map(({ ports }) => goodLoad({ port: ports.sub, connections: 8, requests, seconds }));
  const count = (await Promise.all(loads)).reduce((sum, result) => sum + result.count, 0);
  return count / (used() - before);
}

/** Three panels and three NATS servers on this machine, with files written to the disk for each message. */
export const cluster: Bench = async ({ quick }) => {
  if (natsBinary() === undefined) throw new Error('there is no NATS server: see PORTOLAN_NATS_BIN');
  const nats = await startNatsCluster();
  const folder = newFolder();
  const members: Member[] = [];
  try {
    await begin(folder, urlOf(nats), quick ? 1000 : 25_000, members);
    return await measure(members, folder, nats, quick);
  } finally {
    await Promise.all(members.map(({ panel }) => panel.stop().catch(() => undefined)));
    await nats.remove();
    removeFolder(folder);
  }
};

/** The addresses of the servers with the login. */
const urlOf = ({ servers }: Pick<NatsCluster, 'servers'>): string =>
  servers.map(({ url, user }) => url.replace('://', `://${user.user}:${user.password}@`)).join(',');

async function begin(folder: string, url: string, clients: number, members: Member[]): Promise<void> {
  const first = join(folder, 'one');
  await seedFleet(first, clients, await freePort());
  const envOf = (name: string) => ({ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_NAME: name });
  const { code, stderr } = await cli(['cluster', 'init'], first, { env: envOf('one') });
  if (code !== 0) throw new Error(`the cluster could not be created: ${stderr}`);
  const places = NAMES.map((name) => ({ name, folder: join(folder, name), env: envOf(name) }));
  for (const { folder: own } of places) if (own !== first) cpSync(first, own, { recursive: true });
  for (const place of places) {
    rmSync(join(place.folder, 'run'), { recursive: true, force: true });
    const member = { ...place, panel: await start(place.folder, place.env) };
    members.push(member);
    if (members.length === 1) await until('the first member leads', () => accepts(member.panel, FRESH), 30);
  }
}

/** The processor time of the leader, a follower and a NATS server for each of some changes, in ms. */
async function costs(
  [leader, follower]: readonly Member[],
  { servers }: Pick<NatsCluster, 'servers'>,
  run: () => Promise<LoadResult>,
): Promise<{ readonly perSecond: number; readonly text: string }> {
  const pids = [panelPid((leader as Member).panel), panelPid((follower as Member).panel), servers[0]?.pid() ?? 0];
  const used = (): number[] => pids.map((pid) => proc.cpuSeconds(pid));
  const before = used();
  const { perSecond, count } = await run();
  const each = used().map((now, i) => (((now - (before[i] ?? 0)) * 1000) / count).toFixed(2));
  const text = `processor time for each: leader ${each[0]} ms, follower ${each[1]} ms, one NATS server ${each[2]} ms`;
  return { perSecond, text };
}

/** Changes of one writer and of twenty: new clients, each with a data key, and new caps for them. */
async function writers(members: readonly Member[], nats: NatsCluster, quick: boolean): Promise<readonly Row[]> {
  const { panel } = members[0] as Member;
  // Twenty at once as well, so that the code that runs then is compiled.
  await sendTo(panel, adds(FRESH + 1, 200), 1);
  await sendTo(panel, adds(FRESH + 20_000, quick ? 2000 : 5000), 20);
  const rows: Row[] = [];
  const changes = quick ? 1000 : 5000;
  const kinds = [
    ['a client added', adds],
    ['a client edited', edits],
  ] as const;
  for (const [what, requests] of kinds) {
    const single = await sendTo(panel, requests(FRESH + 1000, quick ? 100 : 500), 1);
    const many = await costs(members, nats, () => sendTo(panel, requests(FRESH + 10_000, changes), 20));
    rows.push(
      {
        ...{ name: `cluster: one writer, ${what}`, measured: single.median, unit: 'ms', target: { most: 10 } },
        note: `acknowledged at quorum, three members and three NATS servers on this machine; p99 ${single.p99.toFixed(1)} ms`,
      },
      {
        ...{ name: `cluster: 20 writers, ${what}`, measured: many.perSecond, unit: '/s', target: { least: 1000 } },
        note: many.text,
      },
    );
  }
  return rows;
}

async function measure(
  members: readonly Member[],
  folder: string,
  nats: NatsCluster,
  quick: boolean,
): Promise<readonly Row[]> {
  const [one, two, three] = members as [Member, Member, Member];
  const changes = await writers(members, nats, quick);
  const lag = await lags(one.panel, two.panel, quick ? 10 : 50);
  const events = quick ? 10_000 : 100_000;
  const caught = await catchUp(one.panel, three, events);
  const worked = proc.rss(panelPid(two.panel));
  const memory = await memoryOf(two, FRESH + 400_000 + events - 1);
  const [alone, together] = [
    await perProcessorSecond([two.panel], quick ? 2 : 5),
    await perProcessorSecond([one.panel, two.panel, three.panel], quick ? 2 : 5),
  ];
  const times = await failovers(members, one, quick ? 3 : 30);
  await Promise.all(members.map(({ panel }) => panel.stop()));
  const panel = await start(join(folder, 'one'), {});
  await sleep(2000);
  const ofOne = proc.rss(panelPid(panel));
  await panel.stop();
  return [
    ...changes,
    {
      ...{ name: 'cluster: lag of a follower', measured: median(lag), unit: 'ms', target: { most: 50 } },
      note: `beside about 500 changes a second; slowest ${Math.max(...lag).toFixed(0)} ms`,
    },
    {
      ...{ name: `cluster: ${events} events behind`, measured: caught, unit: 's', target: { most: 15 } },
      note: 'from the start of the process',
    },
    {
      ...{ name: 'cluster: subscriptions per processor second', measured: together, reference: alone, unit: '/s' },
      ...{ target: { ratioLeast: 0.83 }, note: 'three members together; reference: one of them' },
    },
    {
      ...{ name: 'cluster: failover', measured: median(times), unit: 's', target: { most: 10 } },
      note: `${times.length} times kill -9 until another member accepts a change; p90 ${quantile(times, 0.9).toFixed(1)} s, slowest ${Math.max(...times).toFixed(1)} s`,
    },
    {
      ...{ name: 'cluster: memory of a follower', measured: memory - ofOne, unit: 'MB', target: { most: 50 } },
      note: `more than the ${ofOne.toFixed(0)} MB of a single panel with the same log, both after their start; before, the follower had ${worked.toFixed(0)} MB`,
    },
  ];
}
