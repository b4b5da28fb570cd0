import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { message } from '../../../src/messages/message.js';
import { fakePanel } from '../../kit/fake-panel.js';
import { zipOf } from '../../kit/formats/zip.js';
import { geoipFile } from '../../kit/geo.js';
import { coreBinary, withoutCore } from '../../kit/real/core-process.js';
import { coreAs, fakeCore, putCore } from '../../kit/real/core-versions.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import {
  type Admin,
  cli,
  loopbackTemplate,
  must,
  type PanelProcess,
  startPanel,
} from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import {
  coreAssets,
  panelAssets,
  type ReleaseServer,
  startReleaseServer,
} from '../../kit/real/servers/release-server.js';
import { download } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { headOf, logOf, recorded, until } from '../support.js';

const OLD = '26.7.27';
const NEW = '26.7.29';
const archiveOf = (xray: Buffer | string): Buffer => zipOf([{ name: 'xray', data: xray }]);
const install = (admin: Admin, version: string) => admin.post<string>(`/panel/api/server/installCore/${version}`);
/** The events of versions and the core, without traffic. */
const deeds = (dataDir: string, after: number): string[] =>
  logOf(dataDir, after)
    .map(({ type }) => type)
    .filter((type) => /^(Core|Panel|Geo)/.test(type));
const pidOf = (dataDir: string): number =>
  (JSON.parse(readFileSync(join(dataDir, 'run', 'core.json'), 'utf8')) as { pid: number }).pid;
const exeOf = (dataDir: string): string => readlinkSync(`/proc/${pidOf(dataDir)}/exe`);
const inCore = (dataDir: string): string[] => readdirSync(join(dataDir, 'core')).sort();

/** A data directory with one installed core, and no PORTOLAN_CORE_BIN. */
function dataDirWith(core: Buffer): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'portolan-kit-data-'));
  chmodSync(dataDir, 0o700);
  putCore(dataDir, OLD, core);
  return dataDir;
}

describe.skipIf(withoutCore('versions of the core'))('versions of the core', () => {
  let server: ReleaseServer;
  let old: Buffer;
  let fresh: Buffer;
  let panel: PanelProcess;
  let admin: Admin;
  let head: number;

  beforeAll(async () => {
    const real = coreBinary() ?? '';
    old = coreAs(real, OLD);
    fresh = coreAs(real, NEW);
    server = await startReleaseServer();
    server.release('core', `v${NEW}`, coreAssets(archiveOf(fresh)));
    server.release('core', 'v26.7.30', coreAssets(archiveOf(fakeCore('26.7.30', 'exit 1'))));
    server.release('core', 'v26.7.31', coreAssets(archiveOf('#!/bin/sh\nexit 1\n')));
    server.release('core', 'v26.7.32', coreAssets(archiveOf(fresh), `SHA2-256= ${'0'.repeat(64)}\n`));
    server.release(
      'core',
      'v26.7.33',
      coreAssets(() => undefined),
    );
    // It runs a real core, and exits shortly after the core has responded.
    const dying = `${real} "$@" & sleep 1.5; kill -9 $!; exit 1`;
    server.release('core', 'v26.7.34', coreAssets(archiveOf(fakeCore('26.7.34', dying))));
    panel = await startPanel({ dataDir: dataDirWith(old), coreBin: '', env: server.env });
    admin = await panel.admin();
    await until('the core has started', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
  });
  afterAll(async () => {
    await panel?.cleanUp();
    await server?.stop();
  });
  afterEach(() => expect(inCore(panel.dataDir).filter((name) => name.startsWith('.'))).toEqual([]));

  it('are listed newest first, under both names', async () => {
    const tags = ['v26.7.34', 'v26.7.33', 'v26.7.32', 'v26.7.31', 'v26.7.30', `v${NEW}`];
    expect(await must(admin.get('/panel/api/server/getCoreVersion'))).toEqual(tags);
    expect(await must(admin.get('/panel/api/server/getXrayVersion'))).toEqual(tags);
  });

  it.each([
    ['../../x'],
    ['v1;rm'],
    ['%2e%2e'],
    ['latest%2f..'],
    ['v26.7.29%0a'],
    ['9'.repeat(300)],
    ['1.2'],
    ['v1.2.3'],
    ['26.7.28'],
  ])('are not changed by a request for %s', async (version) => {
    head = headOf(panel.dataDir);
    const answer = await admin.raw('POST', `/panel/api/server/installCore/${version}`);
    expect(answer.status === 404 || ((await answer.json()) as { success: boolean }).success === false).toBe(true);
    expect(deeds(panel.dataDir, head)).toEqual([]);
  });

  it.each([
    ['does not start', '26.7.31', /reports no version/],
    ['has another checksum', '26.7.32', /checksum/],
  ])('leave the core unchanged when the new one %s', async (_, version, why) => {
    head = headOf(panel.dataDir);
    const pid = pidOf(panel.dataDir);
    const answer = await install(admin, version);
    expect(answer).toMatchObject({ success: false, msg: expect.stringMatching(why) as string });
    expect(deeds(panel.dataDir, head)).toEqual(['CoreInstallFailed']);
    expect(pidOf(panel.dataDir)).toBe(pid);
    expect(exeOf(panel.dataDir)).toBe(join(panel.dataDir, 'core', OLD, 'xray'));
  });

  it('change one at a time; the core restarts once, on the new executable', async () => {
    head = headOf(panel.dataDir);
    const pid = pidOf(panel.dataDir);
    const first = install(admin, `v${NEW}`);
    const second = await install(admin, NEW);
    expect(second).toMatchObject({ success: false, msg: 'Another installation is in progress' });
    expect(await first).toMatchObject({ success: true, obj: NEW });
    const [installed] = recorded(panel.dataDir, 'CoreVersionInstalled', head);
    expect(installed?.data).toMatchObject({ version: NEW, previousVersion: OLD });
    expect(installed?.meta.actor.kind).toBe('user');
    expect(deeds(panel.dataDir, head)).toEqual([
      'CoreVersionInstalled',
      'CoreRestartRequested',
      'CoreStopped',
      'CoreStarted',
    ]);
    expect(recorded(panel.dataDir, 'CoreStarted', head)[0]?.data.version).toBe(NEW);
    expect(pidOf(panel.dataDir)).not.toBe(pid);
    expect(exeOf(panel.dataDir)).toBe(join(panel.dataDir, 'core', NEW, 'xray'));
    expect(inCore(panel.dataDir)).toEqual([OLD, NEW, 'current']);
  });

  it('are rolled back when the new core starts but does not respond, or exits soon after', async () => {
    head = headOf(panel.dataDir);
    expect(await install(admin, '26.7.30')).toMatchObject({
      success: false,
      msg: expect.stringMatching(/rolled back to the previous one/) as string,
    });
    expect(await must(admin.get('/panel/api/server/status'))).toMatchObject({ core: { state: 'running' } });
    expect(deeds(panel.dataDir, head)).toEqual([
      'CoreVersionInstalled',
      'CoreRestartRequested',
      'CoreStopped',
      'CoreFailed',
      'CoreVersionRolledBack',
      'CoreRestartRequested',
      'CoreStarted',
    ]);
    expect(exeOf(panel.dataDir)).toBe(join(panel.dataDir, 'core', NEW, 'xray'));

    head = headOf(panel.dataDir);
    expect(await install(admin, '26.7.34')).toMatchObject({ success: true, obj: '26.7.34' });
    await until('the former core', () => recorded(panel.dataDir, 'CoreStarted', head).length === 2);
    expect(recorded(panel.dataDir, 'CoreVersionRolledBack', head)[0]?.data).toMatchObject({
      version: '26.7.34',
      restoredVersion: NEW,
    });
    expect(exeOf(panel.dataDir)).toBe(join(panel.dataDir, 'core', NEW, 'xray'));
  });

  it('can be switched to an installed one without a server, also on the command line', async () => {
    server.failing = 503;
    head = headOf(panel.dataDir);
    const gone = await cli(['core', 'install', OLD], panel.dataDir, { env: server.env });
    expect([gone.code, gone.stdout.trim()]).toEqual([0, `The core is version ${OLD}`]);
    expect(exeOf(panel.dataDir)).toBe(join(panel.dataDir, 'core', OLD, 'xray'));
    expect(recorded(panel.dataDir, 'CoreVersionInstalled', head)[0]?.meta.actor.name).toBe('cli');
    const unknown = await cli(['core', 'install', '1.2.3'], panel.dataDir, { env: server.env });
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Release 1\.2\.3 not found/) as string,
    });
    server.failing = null;
  });

  it('are either the old or the new one after a kill during the switch, and the next panel continues', async () => {
    const hanging = install(admin, '26.7.33').catch(() => undefined);
    await until('the download', () =>
      server.asked.some((path) => path.includes('/v26.7.33/Xray-') && !path.endsWith('.dgst')),
    );
    panel.kill('SIGKILL');
    await panel.exited;
    await hanging;
    expect(inCore(panel.dataDir).some((name) => name.startsWith('.staging-'))).toBe(true);
    const pid = pidOf(panel.dataDir);
    const { dataDir } = panel;
    panel = await startPanel({ dataDir, coreBin: '', env: server.env });
    admin = await panel.admin();
    expect(pidOf(dataDir)).toBe(pid);
    expect(exeOf(dataDir)).toBe(join(dataDir, 'core', OLD, 'xray'));
    await must(install(admin, NEW));
    expect(exeOf(dataDir)).toBe(join(dataDir, 'core', NEW, 'xray'));
  });

  it('can also be chosen on the command line while no panel runs', async () => {
    const { dataDir } = panel;
    expect(await panel.stop()).toMatchObject({ code: 0 });
    head = headOf(dataDir);
    expect(await cli(['core', 'install', OLD], dataDir, { env: server.env })).toMatchObject({ code: 0 });
    expect(deeds(dataDir, head)).toEqual(['CoreVersionInstalled', 'CoreRestartRequested']);
    expect((await cli(['core', 'path'], dataDir)).stdout.trim()).toBe(join(dataDir, 'core', OLD, 'xray'));
    const list = (await cli(['core', 'list'], dataDir, { env: server.env })).stdout.trim().split('\n');
    expect(list).toContain(`${OLD}  chosen`);
    expect(list).toContain(`${NEW}  installed`);
    expect(list[0]).toBe('26.7.34  installed');
  });
});

describe.skipIf(withoutCore('geo files'))('geo files', () => {
  const SOURCE = '/Loyalsoldier/v2ray-rules-dat/releases/latest/download/geoip.dat';
  const blocking = loopbackTemplate({
    routing: { rules: [{ type: 'field', ip: ['geoip:zz'], outboundTag: 'blocked' }] },
  });
  let server: ReleaseServer;
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  const update = (name: string) =>
    admin.post<{ file: string; outcome: string }[]>(`/panel/api/server/updateGeofile${name}`);

  beforeAll(async () => {
    server = await startReleaseServer();
    targets = await startTargets();
    panel = await startPanel({ env: server.env, template: loopbackTemplate() });
    admin = await panel.admin();
  });
  afterAll(async () => {
    await panel?.cleanUp();
    await Promise.all([server?.stop(), targets?.stop()]);
  });

  it('are updated for a core of PORTOLAN_CORE_BIN, whose version cannot be changed', async () => {
    const fixed = { success: false, msg: expect.stringContaining('PORTOLAN_CORE_BIN') as string };
    expect(await install(admin, 'latest')).toMatchObject(fixed);
    expect(server.asked).toEqual([]);
  });

  it('are used by the rules of the core as soon as they are installed', async () => {
    const port = await freePort();
    const settings = JSON.stringify({ auth: 'noauth', udp: false });
    const inbound = { enable: true, remark: 'in', listen: '127.0.0.1', port, protocol: 'socks', settings };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, streamSettings: '{}', sniffing: '{}' }));
    const fetched = () => download(port, `${targets.url}/small`, { totalMs: 5000 });
    await untilComplete('the inbound runs', fetched);
    const coreSetting = JSON.stringify(blocking);
    expect(await admin.form('/panel/core/update', { coreSetting })).toMatchObject({ success: false });

    server.put(SOURCE, geoipFile('ZZ', [127, 0, 0, 0], 8));
    const head = headOf(panel.dataDir);
    const pid = pidOf(panel.dataDir);
    expect(await must(update('/geoip.dat'))).toMatchObject([{ file: 'geoip.dat', outcome: 'updated' }]);
    expect(pidOf(panel.dataDir)).toBe(pid);
    await must(admin.form('/panel/core/update', { coreSetting }));
    expect((await fetched()).ended).toBe('cut');
    expect(recorded(panel.dataDir, 'GeoFilesUpdated', head)).toHaveLength(1);
  });

  it('restart a core that reads them once when they change', async () => {
    server.put(SOURCE, geoipFile('ZZ', [10, 0, 0, 0], 8), new Date('2026-11-20'));
    const head = headOf(panel.dataDir);
    const answer = await admin.form('/panel/api/server/updateGeofile', { fileName: 'geoip.dat' });
    expect(answer).toMatchObject({ success: true, msg: 'Geofile updated successfully' });
    await until('the restart', () => recorded(panel.dataDir, 'CoreStarted', head).length === 1);
    expect(deeds(panel.dataDir, head)).toEqual([
      'GeoFilesUpdated',
      'CoreRestartRequested',
      'CoreStopped',
      'CoreStarted',
    ]);
    expect(await must(update('/geoip.dat'))).toMatchObject([{ outcome: 'unchanged' }]);
    const all = await update('');
    expect(all.success).toBe(false);
    expect(all.msg.split('\r\n')).toHaveLength(5);
    expect(deeds(panel.dataDir, head).filter((type) => type === 'CoreStarted')).toHaveLength(1);
  });

  it.each(['/x.dat', '/..%2f..%2fevents.db', '/geoip.DAT', '/%00', '/geoip-IR.dat'])(
    'of the name %s are rejected',
    async (name) => {
      const head = headOf(panel.dataDir);
      expect(await update(name)).toMatchObject({
        success: false,
        msg: expect.stringMatching(/^Invalid geofile name/) as string,
      });
      expect(deeds(panel.dataDir, head)).toEqual([]);
    },
  );
});

describe.skipIf(withoutCore('the update of the panel'))('the update of the panel', () => {
  let server: ReleaseServer;
  let panel: PanelProcess;
  let admin: Admin;
  const offer = (version: string, main: string): void =>
    server.release('panel', `v${version}`, panelAssets(version, zipOf(fakePanel(version, main))));

  beforeAll(async () => {
    server = await startReleaseServer();
    panel = await startPanel({ env: server.env, launcher: true });
    admin = await panel.admin();
    await until('the core has started', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
  });
  afterAll(async () => {
    await panel?.cleanUp();
    await server?.stop();
  });

  it('is listed from the release server, or the reason why it cannot be', async () => {
    const ask = () => admin.get('/panel/api/server/getPanelUpdateInfo');
    expect(await ask()).toMatchObject({ success: false, msg: expect.stringMatching(/list of releases/) as string });
    offer('0.0.1', '');
    const old = { currentVersion: '0.1.0', latestVersion: 'v0.0.1', updateAvailable: false };
    expect(await must(ask())).toEqual(old);
    expect(await admin.post('/panel/api/server/updatePanel')).toMatchObject({ success: false });
  });

  it('changes nothing if the new release does not run on this machine', async () => {
    server.release('panel', 'v0.2.0', panelAssets('0.2.0', zipOf(fakePanel('9.9.9', ''))));
    const head = headOf(panel.dataDir);
    const answer = await admin.post('/panel/api/server/updatePanel');
    expect(answer).toMatchObject({
      success: false,
      msg: expect.stringMatching(/reports version 9\.9\.9 instead of 0\.2\.0/) as string,
    });
    expect(deeds(panel.dataDir, head)).toEqual(['PanelUpdateFailed']);
    expect(readdirSync(join(panel.dataDir, 'panel'))).toEqual([]);
  });

  it('is rolled back if the new release does not become ready, while the core keeps running', async () => {
    offer('0.3.0', 'process.exit(3);');
    const head = headOf(panel.dataDir);
    const pid = pidOf(panel.dataDir);
    expect(await must(admin.post('/panel/api/server/updatePanel'))).toBe('0.3.0');
    await until('the former panel', () => recorded(panel.dataDir, 'CoreStarted', head).length === 1);
    expect(deeds(panel.dataDir, head)).toEqual([
      'PanelUpdateInstalled',
      'PanelStopped',
      'PanelUpdateRolledBack',
      'PanelStarted',
      'CoreStarted',
    ]);
    expect(recorded(panel.dataDir, 'PanelUpdateRolledBack', head)[0]?.data).toEqual({
      version: '0.3.0',
      restoredVersion: '0.1.0',
      reason: message('backup.exited', { code: 3 }),
    });
    expect(pidOf(panel.dataDir)).toBe(pid);
  });

  it('runs the new release once it is ready, while the core keeps running', async () => {
    offer('0.4.0', 'ready(); hang();');
    await until('the panel', async () => (await fetch(`${panel.opsUrl}/readyz`)).status === 200);
    admin = await panel.admin();
    const head = headOf(panel.dataDir);
    const pid = pidOf(panel.dataDir);
    expect(await must(admin.post('/panel/api/server/updatePanel'))).toBe('0.4.0');
    const starts = join(panel.dataDir, 'starts');
    await until('the newer panel', () => readFileSync(starts, 'utf8').includes('0.4.0'));
    await until('its proof', () => readFileSync(join(panel.dataDir, 'panel', 'proven'), 'utf8') === '0.4.0\n');
    expect(deeds(panel.dataDir, head)).toEqual(['PanelUpdateInstalled', 'PanelStopped']);
    process.kill(pid, 0);
    expect(await panel.stop()).toEqual({ code: 0, signal: null });
  });
});
