import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createXrayCore } from '../../src/adapters/core/xray.js';
import { createPanel } from '../../src/app/panel.js';
import { type ClientCore, startClientCore } from '../kit/real/client-core.js';
import { withoutCore } from '../kit/real/core-process.js';
import { untilComplete } from '../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../kit/real/inbounds.js';
import { Admin, cli, must, type PanelProcess, startPanel, storeTemplate } from '../kit/real/panel-process.js';
import { download } from '../kit/real/socks.js';
import { startTargets, type Targets } from '../kit/real/targets.js';
import { type Added, addInbound, clientBody, entryOf, headOf, recorded, template, until, wireOf } from './support.js';

type Digests = Record<string, string>;
const SUITE = 'a replay of a busy history';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const seeds = Array.from({ length: 12 }, (_, index) => makeClient({ totalGB: index % 3 === 0 ? 60_000 : 0 }));
  let targets: Targets;
  let panel: PanelProcess;
  let client: ClientCore | undefined;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startPanel();
    const admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    await must(admin.post('/panel/setting/update', { pollSeconds: 1, subTitle: 'Example title' }));
    await live(admin);
  });

  afterAll(async () => {
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  /** Adds, updates, rotations, traffic, depletion, resets, deletions, settings, accounts. */
  async function live(admin: Admin): Promise<void> {
    const context = makeContext({ ...targets, targetPort: targets.port });
    const names = ['vless-tcp', 'vmess-ws', 'trojan-tcp-tls', 'ss-2022-128'];
    const all = await Promise.all(
      names.map((name, index) => addInbound(admin, inboundCase(context, name), seeds.slice(index * 3, index * 3 + 2))),
    );
    const call = (path: string, body: unknown = {}) => must(admin.post(`/panel/api/inbounds/${path}`, body));
    for (const [index, { id, one }] of all.entries()) {
      await call(
        'addClient',
        clientBody(id, ...seeds.slice(index * 3 + 2, index * 3 + 3).map((who) => wireOf(one, who))),
      );
    }
    const on = (index: number) => all[Math.floor(index / 3)] as Added;
    const who = (index: number) => seeds[index] as (typeof seeds)[number];
    client = await startClientCore(await Promise.all(seeds.map((one, index) => entryOf(panel, on(index), one))));
    for (const index of seeds.keys()) {
      const port = client.socksPort(index);
      await untilComplete(`client ${index}`, () => download(port, `${targets.url}/small`));
      await download(port, `${targets.url}/bytes/70000`);
    }
    await until('depletions', () => recorded(panel.dataDir, 'ClientDepleted').length === 4);
    const [vless, vmess, trojan, shadowsocks] = all as [Added, Added, Added, Added];
    await call(`${vless.id}/resetClientTraffic/${who(0).email}`);
    await call(`updateClient/${who(3).id}`, clientBody(vmess.id, wireOf(vmess.one, who(3), { totalGB: 9e9 })));
    await call(`updateClient/${who(1).id}`, clientBody(vless.id, wireOf(vless.one, who(1), { id: makeClient().id })));
    await call(`updateClient/${who(2).id}`, clientBody(vless.id, wireOf(vless.one, who(2), { comment: 'moved' })));
    await call(`${trojan.id}/delClientByEmail/${who(7).email}`);
    await call('delDepletedClients/-1');
    await call(`updateClientTraffic/${who(4).email}`, { upload: 5, download: 7 });
    await call(`resetAllClientTraffics/${vmess.id}`);
    await call(`${vless.id}/resetTraffic`);
    await call(`setEnable/${vmess.id}`, { enable: false });
    await call(`del/${shadowsocks.id}`);
    await call(`clearClientIps/${who(2).email}`);
    await must(admin.form('/panel/core/resetOutboundsTraffic', { tag: 'direct' }));
    const account = { oldUsername: panel.username, oldPassword: panel.password };
    const renewed = { newUsername: panel.username, newPassword: 'another-staple-8-horse' };
    await must(admin.post('/panel/setting/updateUser', { ...account, ...renewed }));
    panel.password = renewed.newPassword;
    await must(admin.get('/panel/setting/getApiToken'));
    await must(admin.post('/panel/setting/regenerateApiToken'));
  }

  async function replay(dataDir: string, at?: number): Promise<Digests> {
    const result = await cli(
      ['events', 'replay', '--json', ...(at === undefined ? [] : ['--at', String(at)])],
      dataDir,
    );
    if (result.code !== 0) throw new Error(result.stderr);
    return (JSON.parse(result.stdout) as { digests: Digests }).digests;
  }

  /** The read models of a panel on a copy of the data, from its snapshots and the tail of the log, or without snapshots. */
  async function liveDigests({ snapshots }: { snapshots: boolean }): Promise<Digests> {
    const folder = mkdtempSync(join(tmpdir(), 'portolan-e2e-copy-'));
    try {
      cpSync(panel.dataDir, folder, { recursive: true, filter: (source) => !source.endsWith('.sock') });
      if (!snapshots) rmSync(join(folder, 'run', 'snapshots'), { recursive: true });
      const parts = await createPanel({
        dataDir: folder,
        version: 'test',
        createCore: ({ run: runDir, logs: logDir, geo: assetDir }) =>
          createXrayCore({ binary: null, runDir, logDir, assetDir, splice: false, log: () => undefined }),
        warn: (message) => expect.fail(message),
        failed: (error) => expect.fail(error.message),
      });
      const digests = parts.store.digests();
      parts.log.close();
      return digests;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** The panel's admin with the current password. */
  async function login(): Promise<Admin> {
    const admin = new Admin(panel.url, { username: panel.username, password: panel.password });
    await must(admin.login());
    return admin;
  }

  /** The read models and the write state. The configuration of the core is derived from them. */
  const foldsIn = (digests: Digests): string[] => Object.keys(digests).filter((name) => name !== 'core-config');

  /**
   * Waits for a scheduled backup: the panel compares the digests of its own read models and write state with those of a replay
   * of the copy in another process, and records how many were equal.
   */
  async function comparedByPanel(): Promise<number> {
    const admin = await login();
    const start = headOf(panel.dataDir);
    await must(admin.post('/panel/setting/update', { backupSchedule: '@every 1s' }));
    const verified = await until('a verified backup', () => recorded(panel.dataDir, 'BackupVerified', start)[0]);
    await must(admin.post('/panel/setting/update', { backupSchedule: '@yearly' }));
    expect(recorded(panel.dataDir, 'BackupFailed', start)).toEqual([]);
    return verified.data.comparedModels;
  }

  it('builds the same read models from zero, before and after a restart with snapshots', async () => {
    expect(new Set(recorded(panel.dataDir, 'DataKeyDestroyed').map(({ data }) => data.reason))).toContain('rotated');
    const compared = await comparedByPanel();
    await panel.stop();
    const head = headOf(panel.dataDir);
    const before = await replay(panel.dataDir);
    expect(Object.keys(before).length).toBeGreaterThanOrEqual(10);
    expect(compared).toBe(foldsIn(before).length);
    expect(await liveDigests({ snapshots: true })).toEqual(before);
    expect(await liveDigests({ snapshots: false })).toEqual(before);

    panel = await startPanel({ dataDir: panel.dataDir, password: panel.password });
    expect(await replay(panel.dataDir, head)).toEqual(before);
    expect(await comparedByPanel()).toBe(compared);
    const admin = await panel.admin();
    await must(admin.post('/panel/api/inbounds/resetAllTraffics'));
    await panel.stop();
    const after = await replay(panel.dataDir);
    expect(after).not.toEqual(before);
    expect(await liveDigests({ snapshots: true })).toEqual(after);
    expect(await liveDigests({ snapshots: false })).toEqual(after);
    expect(await replay(panel.dataDir, head)).toEqual(before);
  });

  it('builds the state of the running panel, before and after SIGKILL', async () => {
    panel = await startPanel({ dataDir: panel.dataDir, password: panel.password });
    const folds = foldsIn(await replay(panel.dataDir));
    expect(folds).toContain('state');
    expect(await comparedByPanel()).toBe(folds.length);
    const head = headOf(panel.dataDir);
    const before = await replay(panel.dataDir, head);

    panel.kill('SIGKILL');
    await panel.exited;
    expect(readdirSync(join(panel.dataDir, 'run', 'snapshots'))).not.toEqual([]);
    expect(await replay(panel.dataDir, head)).toEqual(before);
    const atDeath = await replay(panel.dataDir);
    expect(await liveDigests({ snapshots: true })).toEqual(atDeath);
    expect(await liveDigests({ snapshots: false })).toEqual(atDeath);

    panel = await startPanel({ dataDir: panel.dataDir, password: panel.password });
    expect(await comparedByPanel()).toBe(folds.length);
    expect(await replay(panel.dataDir, head)).toEqual(before);
    await panel.stop();
  });

  it('leads to the same replies after a start from snapshots and after one from zero', async () => {
    const answers = async () => {
      panel = await startPanel({ dataDir: panel.dataDir, password: panel.password });
      const admin = await panel.admin();
      const list = await must(admin.get('/panel/api/inbounds/list'));
      const template = await must(admin.post('/panel/core/'));
      // The ports belong to the process, not to the log.
      const { environment: _, ...settings } = await must(admin.post<{ environment: unknown }>('/panel/setting/all'));
      await panel.stop();
      return { list, template, settings };
    };
    const fromSnapshots = await answers();
    rmSync(join(panel.dataDir, 'run', 'snapshots'), { recursive: true });
    expect(await answers()).toEqual(fromSnapshots);
  });
});
