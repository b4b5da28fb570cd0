import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterMember, ClusterView } from '../../../src/commands/ports/cluster.js';
import { NodeId } from '../../../src/events/ids.js';
import { clientFigures } from '../../../src/http/ops/client-metrics.js';
import { createMetrics, type WebhookFigures } from '../../../src/http/ops/metrics.js';
import { coreNotReadyReason, createOpsServer, panelNotReadyReason } from '../../../src/http/ops/ops-server.js';
import { closeServer, listen } from '../../../src/http/server/listening/listen.js';
import { Alarms } from '../../../src/lib/alarms.js';
import { message, verbatim } from '../../../src/messages/message.js';
import { refusedByDisk } from '../../../src/store/storage-watch.js';
import { alice, bob, inboundDraft, T0, userId, uuid } from '../../kit/builders.js';
import { promtool, readMetrics } from '../../kit/formats/prometheus.js';
import { startPanel } from '../kit/panel.js';

type TestPanel = Awaited<ReturnType<typeof startPanel>>;

interface Ops {
  readonly ahead?: () => number;
  readonly writable?: () => boolean;
  readonly clients?: boolean;
  readonly followers?: readonly { readonly state: string; readonly lag: number; readonly restarts: number }[];
  readonly webhooks?: readonly WebhookFigures[];
  readonly cluster?: (() => ClusterView) | null;
}

/** The health port of a panel, and a function that requests it. */
async function opsOf(
  panel: TestPanel,
  { ahead = () => 0, writable = () => true, clients = false, followers = [], webhooks = [], cluster = null }: Ops = {},
) {
  const { read, log } = panel;
  const head = () => ({ ...log.head(), position: log.head().position + ahead() });
  const server = createOpsServer({
    panel: () => panelNotReadyReason(read, { head }),
    core: () => coreNotReadyReason(read),
    metrics: createMetrics({
      ...{ read, log, version: '1.2.3', now: () => T0, writable },
      ...{ followers: () => followers, webhooks: () => webhooks, cluster },
    }),
    clients: clients ? () => clientFigures(read) : null,
  });
  const { port }: AddressInfo = await listen(server, 0, '127.0.0.1');
  onTestFinished(() => closeServer(server));
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  return Object.assign(ask, { at: { host: '127.0.0.1', port } });
}

const member: ClusterMember = {
  ...{ name: 'two', host: 'x', role: 'follower', state: 'running', version: '1.2.3', position: 40, lag: 2 },
  ...{ lagMs: 1500, since: T0, panel: null, subscription: null, ageMs: 0, clockMs: -2500, unknownAt: 41 },
  missingFiles: [{ file: 'geoip.dat', why: message('cluster.fileAbsent') }],
};
const copy = { isLeader: false, isCurrent: true, lag: 0 };

describe('the health port', () => {
  it('has the figures of a cluster, and none without one', async () => {
    const view: ClusterView = {
      ...{ name: 'two', role: 'follower', leader: 'one', sequence: 12, confirmed: null, awayAt: null },
      ...{ fault: 'purged', electedAt: 7000 },
      members: [
        { ...member, name: 'one', role: 'leader', lag: 0 },
        member,
        { ...member, name: 'three', state: 'away' },
      ],
      servers: [
        { ...copy, name: 'n1' },
        { ...copy, name: 'n2' },
        { ...copy, name: 'n3', isCurrent: false },
      ],
    };
    const panel = await startPanel();
    const { text } = await (await opsOf(panel, { cluster: () => view }))('/metrics');
    const lines = text.split('\n').filter((line) => line.startsWith('portolan_cluster_'));
    expect(lines).toEqual([
      'portolan_cluster_leader 0',
      'portolan_cluster_up 1',
      'portolan_cluster_quorum 1',
      'portolan_cluster_lag_events 2',
      'portolan_cluster_lag_seconds 1.5',
      'portolan_cluster_members{state="running"} 2',
      'portolan_cluster_members{state="away"} 1',
      'portolan_cluster_members{state="stopped"} 0',
      'portolan_cluster_clock_seconds -2.5',
      'portolan_cluster_missing_files 1',
      'portolan_cluster_outdated 1',
      'portolan_cluster_stream_damaged 1',
      'portolan_cluster_last_election_seconds 7',
      'portolan_cluster_stream_sequence 12',
      'portolan_cluster_confirmed_position 0',
    ]);
    expect((await (await opsOf(panel))('/metrics')).text).not.toContain('portolan_cluster');
  });

  it('reports whether the read models are at the head of the log', async () => {
    let ahead = 0;
    const ask = await opsOf(await startPanel(), { ahead: () => ahead });
    expect(await ask('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    ahead = 1;
    expect(await ask('/readyz')).toMatchObject({ status: 503, text: expect.stringMatching(/^behind the log: /) });
    expect((await ask('/healthz')).status).toBe(200);
    expect((await ask('/healthz', 'POST')).status).toBe(404);
    expect((await ask('/login')).status).toBe(404);
  });

  it('answers only to the names of this machine', async () => {
    const panel = await startPanel();
    const ask = await opsOf(panel, { clients: true });
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asked = request({ ...ask.at, path: '/metrics/clients', headers: { host } });
        asked
          .on('response', (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end();
      });
    const port = ask.at.port;
    for (const host of ['localhost', `LocalHost:${port}`, `127.0.0.1:${port}`, '127.1.2.3', '[::1]', `[::1]:${port}`])
      expect([host, await status(host)]).toStrictEqual([host, 200]);
    const others = [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.1',
    ];
    for (const host of [...others, 'a.localhost', '10.0.0.1', '[::2]', '::1', '0.0.0.0', 'x@localhost'])
      expect([host, await status(host)]).toStrictEqual([host, 421]);
  });

  it('distinguishes a failed core from one that an admin stopped', async () => {
    const panel = await startPanel();
    const ask = await opsOf(panel);
    const asked = async () => {
      const { status, text } = await ask('/readyz/core');
      return `${status} ${text.trim()}`;
    };
    const reason = 'no core was found';
    panel.given({ type: 'RecordCoreFailed', data: { run: uuid(1), reason: verbatim(reason) } });
    expect(await asked()).toBe(`503 the core is not running: ${reason}`);
    expect((await ask('/readyz')).status).toBe(200);
    panel.given({ type: 'StopCore', data: {} });
    expect(await asked()).toBe('200 ready');
    expect(readMetrics((await ask('/metrics')).text).get('portolan_core_wanted')).toBe(0);
  });

  it('reports whether the disk accepts changes again, also without a change', () => {
    const root = mkdtempSync(join(tmpdir(), 'portolan-room-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const run = join(root, 'run');
    const alarms = new Alarms();
    const told = () => refusedByDisk({ alarms, directory: { run }, log: { damage: null } });
    // Nothing is retried before an append was rejected.
    expect(told()).toBeNull();
    const alarm = { title: verbatim(''), body: verbatim(''), severity: 'error' } as const;
    alarms.raise('STORAGE_FULL', alarm);
    expect(told()).toStrictEqual(message('storage.unsavedRefused', { code: 'ENOENT' }));
    mkdirSync(run);
    expect(told()).toBeNull();
    alarms.raise('STORAGE_FAILED', alarm);
    expect(told()).toStrictEqual(message('storage.unsavedFailed'));
    alarms.clear(['STORAGE_FAILED', 'STORAGE_FULL']);
    rmSync(run, { recursive: true });
    symlinkSync(join(root, 'nowhere'), run);
    expect(told()).toBeNull();
  });
});

describe('the metrics', () => {
  it('are well-formed and correct, and contain no client', async () => {
    const panel = await startPanel();
    let writable = true;
    const ask = await opsOf(panel, { writable: () => writable });
    const scrape = async () => {
      const { text, type } = await ask('/metrics');
      expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
      return { text, series: readMetrics(text) };
    };
    expect((await scrape()).series.get('portolan_inbounds')).toBe(0);
    const off = { ...bob, spec: { ...bob.spec, enabled: false } };
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ clients: [alice, off] }), owner: userId(1) } });
    writable = false;
    const { text, series } = await scrape();
    const told = Object.fromEntries([...series].filter(([name]) => !/^portolan_(process|nodejs)_/.test(name)));
    expect(told).toEqual({
      'portolan_build_info{version="1.2.3"}': 1,
      portolan_log_position: panel.log.head().position,
      portolan_log_writable: 0,
      portolan_backup_last_good_timestamp_seconds: 0,
      portolan_head_last_signed_timestamp_seconds: 0,
      portolan_heads_signed_total: 0,
      portolan_core_up: 0,
      portolan_core_wanted: 1,
      portolan_core_start_time_seconds: 0,
      portolan_inbounds: 1,
      portolan_inbounds_refused: 0,
      'portolan_clients{state="allowed"}': 1,
      'portolan_clients{state="disabled"}': 1,
      'portolan_clients{state="depleted"}': 0,
      portolan_clients_online: 0,
      'portolan_inbound_bytes_total{tag="in-1"}': 0,
    });
    expect(text).not.toMatch(/alice|bob/);
    expect(promtool(text) ?? '0').toBe('0');
    expect((await ask('/metrics/clients')).status).toBe(404);
  });

  it('report whether a node responds, once that is known, and how far it is behind', async () => {
    const panel = await startPanel();
    const ask = await opsOf(panel);
    const place = {
      scheme: 'https',
      host: 'oslo.example',
      port: 443,
      basePath: '/',
      allowPrivateAddress: false,
    } as const;
    panel.given({ type: 'AddNode', data: { enabled: true, spec: { name: 'Oslo', remark: '', ...place }, token: 't' } });
    panel.given({
      type: 'AddInbound',
      data: { ...inboundDraft({ clients: [alice] }), owner: userId(1), node: NodeId.parse(1) },
    });
    const ofNodes = async () =>
      Object.fromEntries([...readMetrics((await ask('/metrics')).text)].filter(([name]) => name.includes('_node_')));
    expect(await ofNodes()).toEqual({ 'portolan_node_lag_changes{node="1",name="Oslo"}': 2 });
    const asked = panel.read.nodes.get(1);
    if (!asked) throw new Error('there is no node');
    panel.given({ type: 'RecordNodeOnline', data: { queried: asked } });
    expect(await ofNodes()).toMatchObject({ 'portolan_node_up{node="1",name="Oslo"}': 1 });
  });

  it('contain the state of each follower', async () => {
    const followers = [
      { state: 'ready', lag: 0, restarts: 0 },
      { state: 'silent', lag: 12, restarts: 3 },
    ];
    const ask = await opsOf(await startPanel(), { followers });
    const figures = [...readMetrics((await ask('/metrics')).text)].filter(([name]) => name.includes('_follower_'));
    expect(Object.fromEntries(figures)).toStrictEqual({
      'portolan_subscription_follower_up{follower="0"}': 1,
      'portolan_subscription_follower_up{follower="1"}': 0,
      'portolan_subscription_follower_lag_events{follower="0"}': 0,
      'portolan_subscription_follower_lag_events{follower="1"}': 12,
      'portolan_subscription_follower_restarts_total{follower="0"}': 0,
      'portolan_subscription_follower_restarts_total{follower="1"}': 3,
    });
  });

  it('contain each email once, only when the operator enables that', async () => {
    const panel = await startPanel();
    const ask = await opsOf(panel, { clients: true });
    const hostile = { ...bob, identity: { ...bob.identity, email: 'b\\o"b' } };
    const spec = { ...alice.spec, capBytes: 5000, expiresAt: T0 };
    const clients = [
      { ...alice, spec },
      { ...hostile, spec: { ...bob.spec, enabled: false } },
    ];
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ clients }), owner: userId(1) } });
    const { text, type } = await ask('/metrics/clients');
    expect(type).toMatch(/^text\/plain; version=/);
    const other = String.raw`{email="b\\o\"b"`;
    expect(Object.fromEntries(readMetrics(text))).toEqual({
      'portolan_client_bytes_total{email="alice",direction="up"}': 0,
      'portolan_client_bytes_total{email="alice",direction="down"}': 0,
      [`portolan_client_bytes_total${other},direction="up"}`]: 0,
      [`portolan_client_bytes_total${other},direction="down"}`]: 0,
      'portolan_client_cap_bytes{email="alice"}': 5000,
      [`portolan_client_cap_bytes${other}}`]: bob.spec.capBytes,
      'portolan_client_expiry_timestamp_seconds{email="alice"}': T0 / 1000,
      [`portolan_client_expiry_timestamp_seconds${other}}`]: bob.spec.expiresAt / 1000,
      'portolan_client_allowed{email="alice"}': 1,
      [`portolan_client_allowed${other}}`]: 0,
    });
    expect(promtool(text) ?? '0').toBe('0');
  });

  it('are complete when there are more clients than fit into one chunk', async () => {
    const panel = await startPanel();
    const ask = await opsOf(panel, { clients: true });
    const clients = Array.from({ length: 1500 }, (_, number) => ({
      ...alice,
      credential: { ...alice.credential, id: uuid(number) },
      identity: { ...alice.identity, email: `client-${number}`, subId: `sub-${number}` },
    }));
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ clients }), owner: userId(1) } });
    expect(readMetrics((await ask('/metrics/clients')).text).size).toBe(5 * 1500);
  });
});
