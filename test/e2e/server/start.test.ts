import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accepts, coreBinary, withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { Admin, cli, must, type PanelProcess, processesOf, startPanel } from '../../kit/real/panel-process.js';
import { addInbound, clientBody, logOf, recorded, subscription, until, wireOf } from '../support.js';

/** A panel that generates its own first password, as `npm start` on a new machine. */
const NO_ACCOUNT = { PORTOLAN_ADMIN_USERNAME: '', PORTOLAN_ADMIN_PASSWORD: '' };
const context = makeContext({
  certificate: { certFile: '', keyFile: '', certPem: '', keyPem: '', pin: '', remove: () => {} },
  realityTarget: '127.0.0.1:1',
  targetPort: 1,
});

const line = (panel: PanelProcess, label: string) => new RegExp(`^ +${label} +(.*)$`, 'm').exec(panel.stdout())?.[1];
const banner = (panel: PanelProcess) => until('the banner', () => line(panel, 'Health'));

/** Every path below a folder. */
function pathsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsIn(path)] : [path];
  });
}

describe.skipIf(withoutCore('a panel from its first start to its shutdown'))(
  'a panel from its first start to its shutdown',
  () => {
    let panel: PanelProcess;
    let password: string;

    beforeAll(async () => {
      panel = await startPanel({ env: NO_ACCOUNT });
      await banner(panel);
      password = line(panel, 'Password')?.split(' ')[0] ?? '';
    });
    afterAll(() => panel?.cleanUp());

    it('prints address, admin, password, subscriptions and the state of the core, and the password works', async () => {
      expect(line(panel, 'Panel')).toBe(`${panel.url}/`);
      expect(line(panel, 'Admin')).toBe('admin');
      expect(password).toMatch(/^[\w-]{20}$/);
      expect(line(panel, 'Subscriptions')).toBe(`${panel.subUrl}/sub/<subId>`);
      expect(line(panel, 'Core')).toMatch(/^running, version 26\.7\.28$/);
      expect(await new Admin(panel.url, { username: 'admin', password }).login()).toMatchObject({ success: true });
      expect(panel.stderr()).not.toContain(password);
    });

    it('answers healthz and readyz on a separate port, and nothing else there', async () => {
      const ask = async (path: string) => {
        const response = await fetch(panel.opsUrl + path);
        return [response.status, (await response.text()).trim()];
      };
      expect(await ask('/healthz')).toEqual([200, 'ok']);
      expect(await ask('/readyz')).toEqual([200, 'ready']);
      expect((await ask('/panel/api/inbounds/list'))[0]).toBe(404);
      const { status } = await fetch(`${panel.url}/healthz`);
      expect(status).toBe(404);
    });

    it('makes its data directory private', () => {
      const paths = [panel.dataDir, ...pathsIn(panel.dataDir)];
      const open = paths.filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0);
      expect(open).toEqual([]);
      expect(lstatSync(panel.dataDir).mode & 0o777).toBe(0o700);
      expect(lstatSync(join(panel.dataDir, 'events.db')).mode & 0o777).toBe(0o600);
      expect(lstatSync(join(panel.dataDir, 'keys', 'master.key')).mode & 0o777).toBe(0o600);
    });

    it('rejects a second panel with a message, and continues', async () => {
      const before = logOf(panel.dataDir).length;
      const second = await cli(['serve'], panel.dataDir, { env: { PORTOLAN_PORT: '0', PORTOLAN_SUB_PORT: '0' } });
      expect(second.code).toBe(1);
      expect(second.stderr).toMatch(/^portolan: another portolan process .*uses this data directory/m);
      expect(second.stdout).not.toContain('Password');
      expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(200);
      expect(logOf(panel.dataDir)).toHaveLength(before);
      expect(recorded(panel.dataDir, 'CoreStarted')).toHaveLength(1);
    });

    it('stops on SIGTERM with code 0 and no core left, and then starts again without printing a password', async () => {
      expect(processesOf(panel.dataDir)).not.toEqual([]);
      expect(await panel.stop()).toEqual({ code: 0, signal: null });
      expect(processesOf(panel.dataDir)).toEqual([]);
      expect(
        logOf(panel.dataDir)
          .slice(-2)
          .map(({ type }) => type),
      ).toEqual(['CoreStopped', 'PanelStopped']);

      const again = await startPanel({ dataDir: panel.dataDir, env: NO_ACCOUNT });
      try {
        await banner(again);
        expect(line(again, 'Admin')).toBe('admin');
        expect(line(again, 'Core')).toMatch(/^running/);
        expect(again.stdout()).not.toMatch(/password/i);
        expect(again.stdout()).not.toContain(password);
      } finally {
        expect(await again.stop()).toEqual({ code: 0, signal: null });
      }
      expect(processesOf(panel.dataDir)).toEqual([]);
    });
  },
);

describe.skipIf(withoutCore('a signal that is received twice'))('a signal that is received twice', () => {
  it('at the same time counts once: the panel and its core shut down in order', async () => {
    const panel = await startPanel();
    try {
      await until('the core runs', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
      for (let time = 0; time < 3; time += 1) panel.kill('SIGTERM');
      expect(await panel.exited).toMatchObject({ code: 0 });
      expect(recorded(panel.dataDir, 'PanelStopped')).toHaveLength(1);
      expect(processesOf(panel.dataDir)).toEqual([]);
    } finally {
      await panel.cleanUp();
    }
  });
});

describe('a panel without a core', () => {
  let panel: PanelProcess;

  beforeAll(async () => {
    panel = await startPanel({ coreBin: '/nowhere/xray' });
    await banner(panel);
  });
  afterAll(() => panel?.cleanUp());

  it('reports that, and does everything that needs no core', async () => {
    expect(line(panel, 'Core')).toMatch(/^failed: .*no core/i);
    const admin = await panel.admin();
    const one = inboundCase(context, 'vless-tcp');
    const [alice, bob] = [makeClient(), makeClient()];
    const added = await addInbound(admin, one, [alice]);
    await must(admin.post('/panel/api/inbounds/addClient', clientBody(added.id, wireOf(one, bob))));
    expect(await subscription(panel, bob.subId)).toHaveLength(1);
    expect(await must(admin.get<unknown[]>('/panel/api/inbounds/list'))).toHaveLength(1);
    expect(await must(admin.get(`/panel/api/inbounds/getClientTraffics/${alice.email}`))).toMatchObject({ up: 0 });
    await must(admin.get('/panel/api/server/getConfigJson'));
    const state = await must(admin.get<{ core: { state: string } }>('/panel/api/server/status'));
    expect(state.core.state).toBe('error');
  });

  it('rejects a start or stop of the core with a reason', async () => {
    const admin = await panel.admin();
    const restart = await admin.post('/panel/api/server/restartCoreService');
    expect(restart).toMatchObject({ success: false, msg: expect.stringMatching(/no core/i) as string });
    expect(await admin.post('/panel/api/server/stopCoreService')).toMatchObject({ success: false });
    expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(200);
  });

  it.skipIf(coreBinary() === undefined)('has its inbounds in the core once it is started with one', async () => {
    await panel.stop();
    const again = await startPanel({ dataDir: panel.dataDir });
    try {
      await banner(again);
      expect(line(again, 'Core')).toBeDefined();
      const admin = await again.admin();
      await must(admin.post('/panel/api/server/restartCoreService'));
      const [{ port } = { port: 0 }] = await must(admin.get<{ port: number }[]>('/panel/api/inbounds/list'));
      await until('the inbound listens', () => accepts(port));
    } finally {
      await again.stop();
    }
  });
});
