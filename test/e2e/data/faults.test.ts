import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { render } from '../../../src/messages/render.js';
import { makeCertificate } from '../../kit/real/certificate.js';
import { coreBinary, withoutCore } from '../../kit/real/core-process.js';
import { inboundCase, makeClient, makeContext } from '../../kit/real/inbounds.js';
import { type Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { startTargets, type Targets } from '../../kit/real/targets.js';
import { corePid, listeners } from '../servers.js';
import { addInbound, headOf, recorded, subscription, until } from '../support.js';

const NO_CORE = '/nowhere/xray';
const MB = 1024 * 1024;

const mayMount = process.getuid?.() === 0 && mounts();
if (!mayMount) {
  process.stderr.write('\n!! File systems cannot be mounted here: the full and the read-only disk are SKIPPED.\n\n');
}

/** A small file system of its own. */
function mount(folder: string, ...options: string[]): void {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', folder], { stdio: 'pipe' });
}

function unmount(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
}

function mounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-e2e-mount-'));
  try {
    mount(folder, 'size=64k');
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Notice {
  readonly title?: string;
  readonly body?: string;
  readonly severity?: string;
}

/** The notifications to a browser from now on. */
async function titles(panel: PanelProcess, admin: Admin): Promise<Notice[]> {
  const received: Notice[] = [];
  const url = `${panel.url.replace('http', 'ws')}/ws`;
  const socket = new WebSocket(url, { headers: { cookie: admin.cookieHeader() } });
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Notice));
  await once(socket, 'open');
  return received;
}

describe.skipIf(!mayMount)('a data directory of a running panel', () => {
  const root = mkdtempSync(join(tmpdir(), 'portolan-e2e-disk-'));
  let targets: Targets;

  beforeAll(async () => {
    targets = await startTargets();
  });
  afterAll(async () => {
    await targets.stop();
    rmSync(root, { recursive: true, force: true });
  });

  it('that is full rejects changes and serves everything else, and accepts changes again once there is space', async () => {
    const dataDir = join(root, 'full');
    mount(dataDir, 'size=16m', 'mode=0700');
    let panel: PanelProcess | undefined;
    try {
      panel = await startPanel({ dataDir, coreBin: NO_CORE });
      const admin = await panel.admin();
      const alice = makeClient();
      const one = inboundCase(makeContext({ ...targets, targetPort: targets.port }), 'vless-tcp');
      await addInbound(admin, one, [alice]);
      const fill = (): void => writeFileSync(join(dataDir, 'ballast'), Buffer.alloc(32 * MB));
      expect(fill).toThrow('ENOSPC');

      const heard = await titles(panel, admin);
      const change = (text: string) => admin.post('/panel/setting/update', { subAnnounce: text });
      // The journal of the database has allocated space; a few changes may still fit into it.
      const refused = await until(
        'a change is refused',
        async () => {
          const answer = await change(`${Math.random()}`.repeat(40));
          return answer.success ? null : answer;
        },
        1,
      );
      expect(refused).toMatchObject({ msg: 'The disk is full: nothing was changed', obj: null });
      const refusals = () => heard.filter(({ title }) => title === 'Nothing can be saved');
      await until('the browsers know', () => refusals().length > 0);
      expect(refusals()).toEqual([
        expect.objectContaining({ body: 'The disk is full: nothing was changed', severity: 'error' }),
      ]);
      const logged = await must(admin.post<string>('/panel/api/server/logs/100', { level: 'error' }));
      expect(logged).toContain('Nothing can be saved why=The disk is full: nothing was changed');
      const head = headOf(dataDir);
      const before = await must(admin.post<{ subAnnounce: string }>('/panel/setting/all'));
      expect(await change('no room '.repeat(100))).toMatchObject({ success: false });
      expect(await must(admin.post('/panel/setting/all'))).toEqual(before);
      expect(await must(admin.get<unknown[]>('/panel/api/inbounds/list'))).toHaveLength(1);
      expect(await subscription(panel, alice.subId)).toHaveLength(1);
      expect(await must(admin.get('/panel/api/server/status'))).toMatchObject({ core: { state: 'error' } });
      expect(await must((await panel.admin()).get<unknown[]>('/panel/api/inbounds/list'))).toHaveLength(1);
      const ready = async () => (await fetch(`${panel?.opsUrl}/readyz`)).status;
      expect(await ready()).toBe(503);
      expect(headOf(dataDir)).toBe(head);

      rmSync(join(dataDir, 'ballast'));
      expect(await ready()).toBe(200);
      await must(change('there is room'));
      await until('the browsers know that too', () => heard.some(({ title }) => title === 'Changes are saved again'));
      expect((await must(admin.post<{ subAnnounce: string }>('/panel/setting/all'))).subAnnounce).toBe('there is room');
      expect(await panel.stop()).toEqual({ code: 0, signal: null });
      expect(await cli(['events', 'verify'], dataDir)).toMatchObject({ code: 0 });
    } finally {
      await panel?.stop();
      unmount(dataDir);
    }
  });

  it('that is read-only ends the start with a message', async () => {
    const dataDir = join(root, 'read-only');
    mount(dataDir, 'size=16m', 'mode=0700');
    try {
      const panel = await startPanel({ dataDir, coreBin: NO_CORE });
      await panel.stop();
      execFileSync('mount', ['-o', 'remount,ro', dataDir]);
      const env = { PORTOLAN_PORT: '0', PORTOLAN_SUB_PORT: '0', PORTOLAN_OPS_PORT: '0', PORTOLAN_HOST: '127.0.0.1' };
      const { code, stderr } = await cli(['serve'], dataDir, { env });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^portolan: the data directory .* cannot be written to: it is on a read-only file system$/m,
      );
      expect(stderr).not.toContain('at ');
    } finally {
      unmount(dataDir);
    }
  });
});

const SUITE = 'a faulty core';

describe.skipIf(withoutCore(SUITE))(SUITE, () => {
  const root = mkdtempSync(join(tmpdir(), 'portolan-e2e-core-'));
  const panels: PanelProcess[] = [];

  afterAll(async () => {
    await Promise.all(panels.map((panel) => panel.cleanUp()));
    rmSync(root, { recursive: true, force: true });
  });

  /** A panel with a real core whose executable can be exchanged for a script. */
  async function begin(name: string) {
    const binary = join(root, name);
    symlinkSync(coreBinary() ?? '', binary);
    const panel = await startPanel({ coreBin: binary });
    panels.push(panel);
    const admin = await panel.admin();
    await until('the core runs', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
    const become = (body: string): void => {
      const version = 'if [ "$1" = version ]; then echo "Xray 26.7.28 (Xray, Penetrates Everything.)"; exit 0; fi';
      writeFileSync(`${binary}.new`, `#!/bin/sh\n${version}\n${body}\n`, { mode: 0o755 });
      renameSync(`${binary}.new`, binary);
    };
    return { panel, admin, become };
  }

  /** Replies of the status while the test waits for something else. */
  async function meanwhile<T>(admin: Admin, waiting: Promise<T>): Promise<T> {
    const state = { done: false };
    const marked = waiting.finally(() => (state.done = true));
    while (!state.done) {
      const status = admin.get('/panel/api/server/status');
      await must(status);
      await Promise.race([marked.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, 200))]);
    }
    return marked;
  }

  it.concurrent('that hangs when it tests a configuration is stopped, while the running core continues', async () => {
    const { panel, admin, become } = await begin('hangs-at-test');
    const pid = corePid(panel);
    const heard = await titles(panel, admin);
    // The child of the script would keep its pipes open forever.
    become('sleep 1000 & sleep 1000');
    const nonsense = { coreSetting: '{"outbounds":[{"tag":"direct","protocol":"nonsense"}]}' };
    const [answer, stored] = await meanwhile(
      admin,
      Promise.all([
        admin.post('/panel/api/server/restartCoreService'),
        admin.form('/panel/core/update', { ...nonsense, outboundTestUrl: '' }),
      ]),
    );
    const why = 'The operation failed in the core: hangs-at-test did not respond within 15 seconds';
    expect([answer, stored]).toMatchObject([0, 1].map(() => ({ success: false, msg: why })));
    expect(recorded(panel.dataDir, 'CoreTemplateChanged')).toEqual([]);
    await until('the browsers know', () => heard.find(({ title }) => title === 'The core was not restarted'));
    expect(panel.stderr()).toMatch(/"why":"[^"]*did not respond within 15 seconds.*"msg":"The core was not restarted"/);
    expect(corePid(panel)).toBe(pid);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(recorded(panel.dataDir, 'CoreFailed')).toEqual([]);
  });

  it.concurrent('that hangs at every command is not reported as missing', async () => {
    const binary = join(root, 'hangs-always');
    writeFileSync(binary, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    const panel = await startPanel({ coreBin: binary });
    panels.push(panel);
    const admin = await panel.admin();
    const failed = await until('it is given up', () => recorded(panel.dataDir, 'CoreFailed')[0]);
    const why = 'hangs-always did not respond within 15 seconds';
    expect(render(failed.data.reason, 'en')).toBe(why);
    await until('the panel says so', () => panel.stderr().includes('"msg":"The core failed"'));
    const state = await must(admin.get<{ core: { errorMsg: string } }>('/panel/api/server/status'));
    expect(state.core.errorMsg).toBe(why);
    expect(await must(admin.get('/panel/core/getCoreResult'))).toBe(why);
    const coreSetting = '{"outbounds":[{"tag":"direct","protocol":"nonsense"}]}';
    const stored = await admin.form('/panel/core/update', { coreSetting, outboundTestUrl: '' });
    expect(stored).toMatchObject({ success: false, msg: expect.stringContaining(why) as string });
    expect(recorded(panel.dataDir, 'CoreTemplateChanged')).toEqual([]);
  });

  it.concurrent('that hangs at its start is stopped and reported', async () => {
    const { panel, admin, become } = await begin('hangs-at-start');
    const heard = await titles(panel, admin);
    become('case "$*" in *-test*) exit 0;; esac\nexec sleep 1000');
    const answer = await meanwhile(admin, admin.post('/panel/api/server/restartCoreService'));
    expect(answer).toMatchObject({ success: false, msg: expect.stringContaining('has not started after') as string });
    const failed = await meanwhile(
      admin,
      until('it is given up', () => recorded(panel.dataDir, 'CoreFailed')[0]),
    );
    expect(render(failed.data.reason, 'en')).toBe('The core started but does not respond');
    await until('the browsers know', () => heard.find(({ title }) => title === 'The core failed'));
    const state = await must(admin.get<{ core: { state: string; errorMsg: string } }>('/panel/api/server/status'));
    expect(state.core).toMatchObject({ state: 'error', errorMsg: 'The core started but does not respond' });
  });

  it.concurrent('that crashes at once or prints without end is reported with the reason and not restarted in a loop', async () => {
    const { panel, admin, become } = await begin('crashes');
    const start = headOf(panel.dataDir);
    become('case "$*" in *-test*) exit 0;; esac\necho "panic: runtime error: boom" >&2; exit 2');
    const crashed = await admin.post('/panel/api/server/restartCoreService');
    expect(crashed).toMatchObject({
      success: false,
      msg: 'The operation failed in the core: The core crashed: panic: runtime error: boom',
    });
    become('case "$*" in *-test*) exit 0;; esac\necho boom; exit 7');
    for (let time = 0; time < 2; time += 1) {
      expect(await admin.post('/panel/api/server/restartCoreService')).toMatchObject({
        success: false,
        msg: 'The operation failed in the core: The core exited with code 7',
      });
    }
    become('case "$*" in *-test*) exec yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx;; esac\nexit 2');
    const flooded = await meanwhile(admin, admin.post('/panel/api/server/restartCoreService'));
    expect(flooded).toMatchObject({ success: false });
    expect(flooded.msg).toContain('The core does not stop printing');
    become('case "$*" in *-test*) exit 0;; esac\nhead -c 50000000 /dev/zero | tr "\\\\0" x; echo; exit 3');
    const noisy = await meanwhile(admin, admin.post('/panel/api/server/restartCoreService'));
    expect(noisy).toMatchObject({ success: false });
    const failures = recorded(panel.dataDir, 'CoreFailed', start).map(({ data }) => render(data.reason, 'en'));
    expect(failures.length).toBeLessThan(8);
    expect(failures.at(-1)).toMatch(/^The core exited with code 3$/);
    for (const reason of failures) expect(reason.length).toBeLessThan(400);
    for (const reason of failures) expect(panel.stderr()).toContain(reason);
  });
});

describe.skipIf(withoutCore('what a panel listens on'))('a running panel', () => {
  it('listens on its three ports only, the core on no unconfigured one, and opens no inspector', async () => {
    const panel = await startPanel();
    try {
      const admin = await panel.admin();
      await until('the core runs', () => recorded(panel.dataDir, 'CoreStarted').length > 0);
      await must(admin.get('/panel/api/server/status'));
      panel.kill('SIGUSR1');
      await must(admin.post('/panel/api/server/restartCoreService'));
      const core = corePid(panel);
      const own = listeners().filter(({ pids }) => pids.includes(panel.pid) || pids.includes(core));
      expect(own.filter(({ address }) => address !== '127.0.0.1')).toEqual([]);
      const ports = own.filter(({ pids }) => pids.includes(panel.pid)).map(({ port }) => port);
      expect(new Set(ports)).toEqual(new Set(Object.values(panel.ports)));
      expect(ports).toHaveLength(3);
      expect(own.filter(({ pids }) => pids.includes(core))).toEqual([]);
      expect(panel.stderr()).not.toContain('Debugger');
      expect(panel.stdout()).toContain(`"ops":"${panel.opsUrl}"`);
      expect(panel.stdout()).not.toContain('undefined');
      const preflight = await fetch(`${panel.url}/login`, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      });
      expect(preflight.status).toBe(404);
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    } finally {
      await panel.cleanUp();
    }
  });

  it('is examined by the doctor command, which lists core, ports, certificates and file modes', async () => {
    const panel = await startPanel();
    const certificate = await makeCertificate();
    const env = {
      PORTOLAN_CORE_BIN: coreBinary() ?? '',
      PORTOLAN_HOST: '127.0.0.1',
      PORTOLAN_SUB_HOST: '127.0.0.1',
      PORTOLAN_PORT: String(panel.ports.panel),
      PORTOLAN_SUB_PORT: String(panel.ports.sub),
    };
    const examine = () => cli(['doctor'], panel.dataDir, { env });
    try {
      const admin = await panel.admin();
      const { certFile: webCertFile, keyFile: webKeyFile } = certificate;
      await must(admin.post('/panel/setting/update', { webCertFile, webKeyFile }));
      const running = await examine();
      expect([running.code, running.stderr]).toEqual([0, '']);
      const { panel: port } = panel.ports;
      expect(running.stdout).toContain(`ok   panel port: 127.0.0.1:${port} is in use by the panel (pid ${panel.pid})`);
      expect(running.stdout).toMatch(/^ok {3}core: .*, version 26\.7\.28$/m);
      expect(running.stdout).toContain(`ok   panel certificate: ${webCertFile} is valid`);
      expect(running.stdout).toMatch(/^ok {3}file modes: files that only this account can access: \d+$/m);

      await panel.stop();
      writeFileSync(webKeyFile, 'rubbish');
      const occupant = createServer().listen(panel.ports.sub, '127.0.0.1');
      await once(occupant, 'listening');
      const noted = await examine();
      occupant.close();
      expect(noted.code).toBe(0);
      expect(noted.stdout).toContain(`ok   panel port: 127.0.0.1:${port} is free`);
      expect(noted.stdout).toMatch(/^NOTE subscription port: .* is in use by another program$/m);
      expect(noted.stdout).toMatch(/^NOTE panel certificate: .* does not contain a PEM private key/m);

      chmodSync(join(panel.dataDir, 'head.json'), 0o644);
      const bad = await examine();
      expect(bad.code).not.toBe(0);
      expect(bad.stdout).toMatch(/^BAD {2}file modes: .*head\.json \(mode 644\): run chmod go-rwx on them$/m);
    } finally {
      certificate.remove();
      await panel.cleanUp();
    }
  });
});
