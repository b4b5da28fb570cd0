import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyRoutes } from '../../../src/http/panel/contract/core/histories.js';
import { Status } from '../../../src/http/panel/contract/schemas/status.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, must, type PanelProcess, startPanel, storeTemplate } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { download } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { addInbound, entryOf, until } from '../support.js';

const SUITE = 'the status of a running panel';
const SERVER = '/panel/api/server';
/** Outbounds with misleading names. */
const [DIRECT, BLOCKED, PROXIED] = ['proxy-out', 'direct-out', 'blocked-out'];

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    admin = await panel.admin();
    await storeTemplate(admin, await template());
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    client = await startClientCore([await entryOf(panel, added, alice)]);
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  async function template(): Promise<object> {
    const nobody = { address: '127.0.0.1', port: await freePort() };
    const to = (name: string, outboundTag: string | undefined) => ({ domain: [`full:${name}`], outboundTag });
    return {
      log: { loglevel: 'warning' },
      metrics: {},
      outbounds: [
        { tag: DIRECT, protocol: 'freedom', settings: { finalRules: [{ action: 'allow' }] } },
        { tag: BLOCKED, protocol: 'blackhole' },
        { tag: PROXIED, protocol: 'socks', settings: { servers: [nobody] } },
      ],
      routing: { rules: [to('blocked.test', BLOCKED), to('proxied.test', PROXIED)] },
      observatory: {
        subjectSelector: [DIRECT, BLOCKED],
        probeURL: `${targets.url}/small`,
        probeInterval: '1s',
        enableConcurrency: true,
      },
    };
  }

  const history = async (path: string) => historyRoutes.history.reply.parse(await must(admin.get(SERVER + path)));
  const fetched = (url: string) => download(client.socksPort(0), url, { totalMs: 1_500 });
  const lines = async (fields: Record<string, string>): Promise<string[]> =>
    (await must(admin.form<string>(`${SERVER}/corelogs/100`, fields))).split('\n').filter((line) => line !== '');

  it('is complete once the machine was read twice', async () => {
    const status = await until('a whole status', async () => {
      const read = Status.parse(await must(admin.get(`${SERVER}/status`)));
      // A machine may have no public address and report no network speed.
      return read.missing.every((name) => ['publicIP', 'cpuSpeedMhz'].includes(name)) && read;
    });
    expect(status.core.state).toBe('running');
    expect(status.mem.current).toBeGreaterThan(0);
    expect(status.mem.current).toBeLessThan(status.mem.total);
    expect(status.appStats.uptime).toBeGreaterThanOrEqual(0);
    expect(status.loads).toStrictEqual(Object.values(status.load));
  });

  it('has histories of the machine, the core and its outbounds', async () => {
    const paths = [
      ...['cpu', 'mem', 'netUp', 'netDown', 'online', 'load1', 'load5', 'load15'].map((name) => `/history/${name}/2`),
      ...['coreAlloc', 'coreSys', 'coreHeapObjects', 'coreNumGC', 'corePauseNs'].map(
        (name) => `/coreMetricsHistory/${name}/2`,
      ),
      `/coreObservatoryHistory/${DIRECT}/2`,
    ];
    for (const path of paths) await until(`two samples of ${path}`, async () => (await history(path)).length > 1);
    const state = await must(
      admin.get<{ values: Record<string, number>; listen: string }>(`${SERVER}/coreMetricsState`),
    );
    const page = await (await fetch(`http://${state.listen}/debug/vars`)).json();
    const { Sys } = (page as { memstats: { Sys: number } }).memstats;
    expect(Math.abs(Sys - (state.values['coreSys'] ?? 0))).toBeLessThan(Sys / 2);
    expect(await must(admin.get(`${SERVER}/coreObservatory`))).toMatchObject([
      { tag: BLOCKED, alive: false },
      { tag: DIRECT, alive: true },
    ]);
  });

  it('shows the requests of a client by their outcome', async () => {
    await untilComplete('a small body', () => download(client.socksPort(0), `${targets.url}/small`));
    await fetched('http://blocked.test/');
    await fetched('http://proxied.test/');
    await until('three kinds of lines', async () => {
      const all = await lines({ filter: alice.email });
      return ['blocked.test', 'proxied.test', `127.0.0.1:${targets.port}`].every((to) =>
        all.some((line) => line.includes(to)),
      );
    });
    for (const [flag, wanted, others] of [
      ['showDirect', `tcp:127.0.0.1:${targets.port}`, /blocked\.test|proxied\.test/],
      ['showBlocked', 'tcp:blocked.test:80', /127\.0\.0\.1:\d+ \[|proxied\.test/],
      ['showProxy', 'tcp:proxied.test:80', /accepted tcp:127|blocked\.test/],
    ] as const) {
      const chosen = await lines({ [flag]: 'true', filter: alice.email });
      expect(chosen.some((line) => line.includes(wanted))).toBe(true);
      expect(chosen.filter((line) => others.test(line.slice(line.indexOf('accepted'))))).toStrictEqual([]);
    }
    expect(await lines({ filter: 'nobody@nowhere' })).toStrictEqual([]);
  });

  it('shows the log of the panel without its secrets', async () => {
    await must(admin.post('/panel/setting/update', { chatBotToken: '123456789:CANARY-canary-CANARY-canary-CAN' }));
    const token = await must(admin.get<string>('/panel/setting/getApiToken'));
    const said = await must(admin.post<string>(`${SERVER}/logs/1000`, { level: 'debug' }));
    expect(said).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (DEBUG|INFO|WARNING|ERROR) - /);
    for (const secret of [token, panel.password, alice.id, alice.subId, 'CANARY']) {
      expect(said).not.toContain(secret);
      expect(panel.stdout() + panel.stderr()).not.toContain(secret);
    }
  });

  it('keeps histories and logs across a restart and a crash', async () => {
    const before = await history('/history/cpu/2');
    const oldest = before[0]?.t;
    const delays = await history(`/coreObservatoryHistory/${DIRECT}/2`);
    await panel.stop();
    await again();
    expect((await history('/history/cpu/2')).slice(0, before.length)).toStrictEqual(before);
    expect((await history(`/coreObservatoryHistory/${DIRECT}/2`))[0]).toStrictEqual(delays[0]);
    // The core was restarted with the panel, and its log starts again.
    expect((await lines({ filter: 'blocked.test' })).length).toBeGreaterThan(0);
    panel.kill('SIGKILL');
    await panel.exited;
    await again();
    const after = await until('a new sample', async () => {
      const samples = await history('/history/cpu/2');
      return samples.length > before.length && samples;
    });
    expect(after[0]?.t).toBe(oldest);
    const times = after.map(({ t }) => t);
    expect(times).toStrictEqual([...new Set(times)].toSorted((a, b) => a - b));
  });

  /** The next panel on the same data and the same ports. */
  async function again(): Promise<void> {
    panel = await startPanel({ dataDir: panel.dataDir, ports: panel.ports });
    admin = await panel.admin();
  }
});
