import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { message } from '../../../src/messages/message.js';
import { type ClientCore, startClientCore } from '../../kit/real/client-core.js';
import { withoutCore } from '../../kit/real/core-process.js';
import { untilComplete } from '../../kit/real/expect-transfer.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { Admin, cli, must, type PanelProcess, storeTemplate } from '../../kit/real/panel-process.js';
import { freePorts } from '../../kit/real/ports.js';
import { download, moved, startTransfer, type Transfer } from '../../kit/real/socks.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { ask, corePid, knows, startMovable } from '../servers.js';
import { addInbound, entryOf, headOf, logOf, recorded, template, until } from '../support.js';

const SUITE = 'a restart of the panel';
const RATE = 50_000;

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const alice = makeClient();
  let targets: Targets;
  let panel: PanelProcess;
  let admin: Admin;
  let client: ClientCore;
  let flow: Transfer;
  let pid: number;
  /** Where the panel is now. */
  let url: string;
  let subUrl: string;

  beforeAll(async () => {
    targets = await startTargets();
    panel = await startMovable();
    ({ url, subUrl } = panel);
    admin = await panel.admin();
    await storeTemplate(admin, template(targets));
    const context = makeContext({ ...targets, targetPort: targets.port });
    const added = await addInbound(admin, inboundCase(context, 'vless-tcp'), [alice]);
    client = await startClientCore([await entryOf(panel, added, alice)]);
    const port = client.socksPort(0);
    await untilComplete('the inbound runs', () => download(port, `${targets.url}/small`));
    flow = startTransfer(port, `${targets.url}/slow?rate=${RATE}`);
    await moved(flow, RATE / 2);
    pid = corePid(panel);
  });
  afterAll(async () => {
    flow?.stop();
    await Promise.all([client?.stop(), panel?.cleanUp(), targets?.stop()]);
  });

  /** The download was not interrupted. */
  async function flows(): Promise<void> {
    await moved(flow, flow.bytes() + 1);
    expect(corePid(panel)).toBe(pid);
    expect(recorded(panel.dataDir, 'CoreStarted').at(-1)?.data.reason).not.toBe('adopted');
  }

  async function listenTo(base: string): Promise<{ socket: WebSocket; heard: { type: string; title?: string }[] }> {
    const heard: { type: string; title?: string }[] = [];
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`, { headers: { cookie: admin.cookieHeader() } });
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as (typeof heard)[number]));
    await once(socket, 'open');
    return { socket, heard };
  }

  it('moves both servers while everything else continues', async () => {
    const [webPort = 0, subPort = 0] = await freePorts(2, 'tcp');
    const { socket, heard } = await listenTo(url);
    const gone = once(socket, 'close') as Promise<[number]>;
    const start = headOf(panel.dataDir);
    const running = ask(`${subUrl}/sub/${alice.subId}`);
    await must(admin.post('/panel/setting/update', { webPort, subPort, webBasePath: '/base-path' }));
    const asked = await admin.post('/panel/setting/restartPanel');
    expect(asked).toEqual({
      ...{ success: true, msg: 'The panel restarts in 3 seconds.', obj: null },
      code: 'settings.panelRestarting',
    });
    expect(await admin.post('/panel/setting/restartPanel')).toMatchObject({
      success: false,
      msg: 'The panel is already restarting',
    });
    // During the grace period nothing changes, including the base path.
    expect(await knows(url, admin)).toBe(true);

    const base = `http://127.0.0.1:${webPort}/base-path`;
    await until('the panel is at its new address', () => knows(base, admin));
    expect((await gone)[0]).toBe(1001);
    expect(heard.filter(({ type }) => type === 'notification').map(({ title }) => title)).toContain(
      'The panel is restarting',
    );
    await expect(ask(`${url}/`)).rejects.toThrow('ECONNREFUSED');
    await expect(ask(`${subUrl}/sub/${alice.subId}`)).rejects.toThrow('ECONNREFUSED');
    expect((await running).status).toBe(200);
    [url, subUrl] = [base, `http://127.0.0.1:${subPort}`];
    expect((await ask(`${subUrl}/sub/${alice.subId}`)).status).toBe(200);
    expect((await ask(`http://127.0.0.1:${webPort}/`)).status).toBe(404);

    const told = logOf(panel.dataDir, start).filter(({ type }) => type.startsWith('Panel'));
    expect(told.map(({ type, meta }) => [type, meta.actor.kind])).toEqual([
      ['PanelRestartRequested', 'user'],
      ['PanelRestarted', 'system'],
    ]);
    expect(told[1]?.data).toEqual({
      panel: { listen: '127.0.0.1', port: webPort, tls: false },
      subscription: { listen: '127.0.0.1', port: subPort, tls: false },
    });
    await flows();
    admin = new Admin(url, { username: panel.username, password: panel.password });
    await must(admin.login());
  });

  it('is rolled back completely when one of the new ports is in use', async () => {
    const [subPort = 0] = await freePorts(1, 'tcp');
    const start = headOf(panel.dataDir);
    const before = await must(admin.post<{ subPort: number; webPort: number }>('/panel/setting/all'));
    await must(admin.post('/panel/setting/update', { webPort: before.subPort, subPort }));
    // The panel can use the port of the other server only after that has released it, which does not happen here.
    const early = await occupy(subPort);
    expect(await admin.post('/panel/setting/restartPanel')).toEqual({
      success: false,
      msg: `The panel was not restarted and keeps running: Port already exists: ${subPort} is used by another program`,
      obj: null,
      code: 'RESTART_REFUSED',
    });
    expect(recorded(panel.dataDir, 'PanelRestartRequested', start)).toEqual([]);
    early.close();
    await once(early, 'close');
    const { socket, heard } = await listenTo(url);
    await must(admin.post('/panel/setting/restartPanel'));
    const squatter = await occupy(subPort);
    const failed = await until('it says that it failed', () => recorded(panel.dataDir, 'PanelRestartFailed', start)[0]);
    expect(failed.data).toEqual({
      server: 'subscription',
      reason: { code: 'PORT_TAKEN', params: { port: subPort, by: message('inbound.otherProgram') } },
    });
    await until('the browsers are told', () =>
      heard.some(({ title }) => title === 'The panel could not restart and keeps running as before'),
    );
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
    expect(await knows(url, admin)).toBe(true);
    expect((await ask(`${subUrl}/sub/${alice.subId}`)).status).toBe(200);
    await must(admin.post('/panel/setting/update', { webPort: before.webPort, subPort: before.subPort }));
    squatter.close();
    await flows();
  });

  it('applies a new domain, which the operator can revert', async () => {
    const start = headOf(panel.dataDir);
    const changed = await admin.post('/panel/setting/update', { webDomain: 'panel.example', subDomain: 'sub.example' });
    expect(changed).toMatchObject({ success: true, obj: { restart: ['webDomain', 'subDomain'] } });
    expect(await knows(url, admin)).toBe(true);
    expect((await ask(`${subUrl}/sub/${alice.subId}`)).status).toBe(200);
    expect((await admin.post('/panel/setting/restartPanel')).msg).toContain(
      'not at the host name that you are using now',
    );
    await until('the domain counts', async () => (await ask(`${url}/`)).status === 403);
    expect((await ask(`${subUrl}/sub/${alice.subId}`)).status).toBe(403);

    const run = (...args: string[]) => cli(['--json', 'config', ...args], panel.dataDir);
    expect(await run('unset', 'webDomain')).toMatchObject({ code: 0, stdout: '{"key":"webDomain","changed":true}\n' });
    expect(await run('set', 'subDomain', '')).toMatchObject({ code: 0 });
    expect(await run('set', 'pageSize', '50')).toMatchObject({ code: 0 });
    const refused: [string[], string][] = [
      [['set', 'pageSize', 'many'], 'SETTING_INVALID'],
      [['set', 'ldapPassword', 'x'], 'cli.settingSecret'],
      [['unset', 'constructor'], 'cli.settingUnknown'],
    ];
    for (const [args, reason] of refused) {
      const { code, stderr } = await run(...args);
      expect([code, JSON.parse(stderr)]).toMatchObject([1, { code: reason }]);
    }
    panel.kill('SIGHUP');
    await until('the session works again', () => knows(url, admin));
    await until('subscriptions too', async () => (await ask(`${subUrl}/sub/${alice.subId}`)).status === 200);
    const changes = recorded(panel.dataDir, 'SettingsChanged', start).map(({ data, meta }) => [
      meta.actor.id,
      data.changes,
    ]);
    expect(changes.slice(1)).toEqual([
      ['cli', { webDomain: '' }],
      ['cli', { subDomain: '' }],
      ['cli', { pageSize: 50 }],
    ]);
    await flows();
  });

  it('lets the two servers exchange their ports, on SIGHUP', async () => {
    const start = headOf(panel.dataDir);
    const before = await must(admin.post<{ subPort: number; webPort: number }>('/panel/setting/all'));
    await must(admin.post('/panel/setting/update', { webPort: before.subPort, subPort: before.webPort }));
    panel.kill('SIGHUP');
    const base = `http://127.0.0.1:${before.subPort}/base-path`;
    await until('the panel is at its new address', () => knows(base, admin));
    expect((await ask(`http://127.0.0.1:${before.webPort}/sub/${alice.subId}`)).status).toBe(200);
    const [asked] = recorded(panel.dataDir, 'PanelRestartRequested', start);
    expect(asked?.meta.actor).toMatchObject({ kind: 'system' });
    expect(recorded(panel.dataDir, 'PanelRestartFailed', start)).toEqual([]);
    await flows();
  });
});

function occupy(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen({ port, host: '127.0.0.1' }, () => resolve(server));
  });
}
