import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { headOf, logOf, pause } from '../support.js';

const TOKEN = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const NAME = 'second mate';
/** Accounts need no core. */
const NO_CORE = '/no/core';

/** The current two-factor code; near its end this waits for the next one. */
async function code(): Promise<string> {
  const left = 30_000 - (Date.now() % 30_000);
  if (left < 3_000) await pause(left);
  return TOTP.generate({ secret: Secret.fromBase32(TOKEN) });
}

describe('portolan admin', () => {
  let panel: PanelProcess;

  beforeAll(async () => {
    panel = await startPanel({ coreBin: NO_CORE });
  });

  afterAll(() => panel?.cleanUp());

  const run = (...args: string[]) => cli(['admin', ...args], panel.dataDir);
  const ok = async (...args: string[]) => {
    const { code: exit, stdout, stderr } = await run('--json', ...args);
    expect([args, exit, stderr]).toEqual([args, 0, '']);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const login = (username: string, password: unknown, factor?: string) =>
    new Admin(panel.url, { username, password: String(password) }).login(factor);
  /** The types of the events after `mark` that the command line caused. */
  const eventsOfCli = (mark: number) =>
    logOf(panel.dataDir, mark)
      .filter(({ meta }) => meta.actor.id === 'cli')
      .map(({ type }) => type);

  /** A WebSocket of a session, as soon as it is open. */
  async function listen(admin: Admin): Promise<WebSocket> {
    const ws = new WebSocket(`${panel.url.replace('http', 'ws')}/ws`, { headers: { cookie: admin.cookieHeader() } });
    await once(ws, 'open');
    return ws;
  }

  /** Works the same with a running and with a stopped panel. */
  async function makesAndChangesAccounts(name: string): Promise<void> {
    const mark = headOf(panel.dataDir);
    const [made] = await ok('create', name, '--role', 'owner');
    expect(made).toEqual({ username: name, password: expect.stringMatching(/^[\w-]{20}$/) as string });
    const file = join(panel.dataDir, 'run', 'password.txt');
    writeFileSync(file, `from a file ${name}\nand no more\n`, { mode: 0o600 });
    expect(await ok('reset-password', name, '--password-file', file)).toEqual([{ username: name }]);
    expect(eventsOfCli(mark)).toEqual(['UserCreated', 'UserCredentialsChanged', 'DataKeyDestroyed']);
  }

  it('makes and changes accounts while the panel runs', async () => {
    await makesAndChangesAccounts(NAME);
    expect(await ok('list')).toContainEqual({ id: 2, username: NAME, role: 'owner' });
    expect(await login(NAME, `from a file ${NAME}`)).toMatchObject({ success: true });
  });

  it('adds admins with a role, changes it, and deletes them', async () => {
    const [made] = await ok('add', 'night shift', '--role', 'support', '--days', '31');
    const support = new Admin(panel.url, { username: 'night shift', password: String(made?.['password']) });
    expect(await support.login()).toMatchObject({ success: true });
    const me = () => support.raw('GET', '/panel/api/admins/me').then((answer) => answer.json());
    expect(await me()).toMatchObject({ obj: { role: 'support', quotas: { days: 31 } } });
    expect((await support.raw('GET', '/panel/api/nodes/list')).status).toBe(403);
    await ok('role', 'night shift', 'auditor');
    expect((await support.raw('GET', '/panel/api/nodes/list')).status).toBe(200);
    expect((await run('role', 'night shift', 'captain')).stderr).toContain('Role captain not found');
    expect(await run('remove', 'unknown')).toMatchObject({ code: 1, stderr: 'portolan: Admin unknown not found\n' });
    await ok('remove', 'night shift');
    expect((await support.raw('GET', '/panel/api/admins/me')).status).toBe(401);
  });

  it('hands the clients of a deleted admin over, while the panel runs and while it is stopped', async () => {
    const owner = await panel.admin();
    const inbound = await must(
      owner.post<{ id: number }>('/panel/api/inbounds/add', {
        ...{ port: await freePort(), protocol: 'vless', remark: 'shop' },
        ...{ settings: '{"clients":[],"decryption":"none"}', streamSettings: '{"network":"tcp"}', sniffing: '{}' },
      }),
    );
    const made = new Map<string, Admin>();
    for (const username of ['shop-one', 'shop-two', 'shop-three']) {
      const [account] = await ok('create', username, '--role', 'reseller', '--inbounds', String(inbound.id));
      made.set(username, new Admin(panel.url, { username, password: String(account?.['password']) }));
      await must(made.get(username)?.login() ?? Promise.reject(new Error('no account')));
    }
    const seller = made.get('shop-one');
    const clients = [{ id: randomUUID(), email: 'of-shop-one' }];
    const added = { id: inbound.id, settings: JSON.stringify({ clients }) };
    await must(seller?.post('/panel/api/inbounds/addClient', added) ?? Promise.reject(new Error('no account')));
    const number = async (username: string) =>
      (await ok('list')).find((account) => account['username'] === username)?.['id'];
    const since = (mark: number) =>
      logOf(panel.dataDir, mark).filter(({ meta }) => meta.actor.kind === 'system' && meta.actor.name === 'cli');

    let mark = headOf(panel.dataDir);
    expect((await run('remove', 'shop-one', '--owner', 'nobody')).stderr).toBe('portolan: Admin nobody not found\n');
    const two = await number('shop-two');
    await ok('remove', 'shop-one', '--owner', 'shop-two');
    expect(since(mark)).toMatchObject([
      { type: 'OwnerAssigned', data: { owner: two }, meta: { actor: { id: 'cli', ip: null } } },
      { type: 'AdminDeleted' },
      { type: 'DataKeyDestroyed' },
    ]);
    const list = await made.get('shop-two')?.raw('GET', '/panel/api/clients/page');
    expect(await list?.text()).toContain('of-shop-one');

    await panel.stop();
    mark = headOf(panel.dataDir);
    const three = await number('shop-three');
    await ok('remove', 'shop-two', '--owner', 'shop-three');
    expect(since(mark)).toMatchObject([
      { type: 'OwnerAssigned', data: { owner: three } },
      { type: 'AdminDeleted' },
      { type: 'DataKeyDestroyed' },
    ]);
    panel = await startPanel({ coreBin: NO_CORE, dataDir: panel.dataDir });
  });

  it('reports failures with its exit code and a message', async () => {
    const refused: [number, RegExp, string[]][] = [
      [1, /^portolan: A user named .* already exists/, ['create', panel.username, '--role', 'owner']],
      [1, /^portolan: Admin nobody not found\n$/, ['reset-password', 'nobody']],
      [1, /at least 10 characters/, ['reset-password', panel.username, '--password', 'nine-char']],
      [2, /^portolan: The argument name is missing\n$/, ['create']],
      [2, /^portolan: The admin needs a role: add --role/, ['create', 'second']],
    ];
    const before = headOf(panel.dataDir);
    const answers = await Promise.all(refused.map(async ([, , args]) => ({ args, ...(await run(...args)) })));
    for (const [index, [exit, words]] of refused.entries()) {
      expect(answers[index]).toMatchObject({ code: exit, stdout: '', stderr: expect.stringMatching(words) as string });
    }
    expect(eventsOfCli(before)).toEqual([]);
  });

  it('ends the sessions and sockets of the user with the new password, and no others', async () => {
    const first = await panel.admin();
    await ok('create', 'second-admin', '--role', 'owner', '--password', 'second-1-password');
    const second = new Admin(panel.url, { username: 'second-admin', password: 'second-1-password' });
    await must(second.login());
    const [firstSocket, secondSocket] = [await listen(first), await listen(second)];
    const closed = once(secondSocket, 'close');
    const [made] = await ok('reset-password', 'second-admin');
    await closed;
    expect((await second.raw('GET', '/panel/api/inbounds/list')).status).toBe(401);
    expect(await first.get('/panel/api/inbounds/list')).toMatchObject({ success: true });
    expect(firstSocket.readyState).toBe(WebSocket.OPEN);
    firstSocket.terminate();
    expect(await login('second-admin', 'second-1-password')).toMatchObject({ success: false });
    expect(await login('second-admin', made?.['password'])).toMatchObject({ success: true });
  });

  it('disables two-factor login for a user who has lost the app', async () => {
    const admin = await panel.admin();
    const on = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: await code() };
    await must(admin.post('/panel/setting/update', on));
    expect(await login(panel.username, panel.password)).toMatchObject({ success: false });
    const mark = headOf(panel.dataDir);
    expect(await ok('disable-2fa')).toEqual([{ changed: true }]);
    expect(await ok('disable-2fa')).toEqual([{ changed: false }]);
    expect(eventsOfCli(mark)).toEqual(
      expect.arrayContaining(['SettingsChanged', 'SecretSettingChanged', 'DataKeyDestroyed']),
    );
    const again = await panel.admin();
    const all = await must(again.post<Record<string, unknown>>('/panel/setting/all'));
    expect(all).toMatchObject({ twoFactorEnable: false, hasTwoFactorToken: false });
  });

  it('removes the second factor of one admin', async () => {
    const [made] = await ok('create', 'third-admin', '--role', 'owner');
    const account = { username: 'third-admin', password: String(made?.['password']) };
    const third = new Admin(panel.url, account);
    await must(third.login());
    const body = { twoFactorToken: TOKEN, twoFactorCode: await code() };
    await must(third.post('/panel/setting/twoFactor/enable', body));
    expect(await login(account.username, account.password)).toMatchObject({ success: false });
    const mark = headOf(panel.dataDir);
    expect(await ok('disable-2fa', 'third-admin')).toEqual([{ username: 'third-admin', changed: true }]);
    expect(await ok('disable-2fa', 'third-admin')).toEqual([{ username: 'third-admin', changed: false }]);
    expect(eventsOfCli(mark)).toEqual([
      ...['SecondFactorRemoved', 'DataKeyDestroyed', 'DataKeyDestroyed', 'SessionsRevoked'],
    ]);
    expect(await login(account.username, account.password)).toMatchObject({ success: true });
  });

  it('changes nothing while a running panel cannot be reached', async () => {
    const socket = join(panel.dataDir, 'run', 'control.sock');
    const mark = headOf(panel.dataDir);
    renameSync(socket, `${socket}.away`);
    const refused = await run('create', 'nobody', '--role', 'owner');
    renameSync(`${socket}.away`, socket);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another portolan process') as string,
    });
    expect(eventsOfCli(mark)).toEqual([]);
  });

  it('does the same while the panel is stopped, and after it was killed', async () => {
    const socket = join(panel.dataDir, 'run', 'control.sock');
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    await panel.stop();
    expect(existsSync(socket)).toBe(false);
    await makesAndChangesAccounts('third mate');

    panel = await startPanel({ coreBin: NO_CORE, dataDir: panel.dataDir });
    expect(await login('third mate', 'from a file third mate')).toMatchObject({ success: true });
    panel.kill('SIGKILL');
    await panel.exited;
    expect(existsSync(socket)).toBe(true);
    await ok('reset-password', NAME, '--password', 'after-the-kill');
    panel = await startPanel({ coreBin: NO_CORE, dataDir: panel.dataDir });
    expect(await login(NAME, 'after-the-kill')).toMatchObject({ success: true });
  });
});

describe('portolan token', () => {
  let panel: PanelProcess;

  beforeAll(async () => {
    panel = await startPanel({ coreBin: NO_CORE });
  });

  afterAll(() => panel?.cleanUp());

  const ok = async (...args: string[]) => {
    const { code: exit, stdout, stderr } = await cli(['token', '--json', ...args], panel.dataDir);
    expect([args, exit, stderr]).toEqual([args, 0, '']);
    const lines = stdout.trim().split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const status = async (secret: unknown) => {
    const headers = { authorization: `Bearer ${String(secret)}` };
    return (await fetch(`${panel.url}/panel/api/metrics`, { headers })).status;
  };

  it('creates, lists, rotates and revokes access tokens', async () => {
    const [made] = await ok('create', 'prometheus', '--role', 'metrics', '--allow', '127.0.0.1,::1', '--days', '30');
    expect(await status(made?.['secret'])).toBe(200);
    expect(await ok('list')).toMatchObject([{ name: 'prometheus', role: 'metrics', addresses: ['127.0.0.1', '::1'] }]);
    const [rotated] = await ok('rotate', 'prometheus', '--overlap', '1');
    expect(await status(made?.['secret'])).toBe(200);
    expect(await status(rotated?.['secret'])).toBe(200);
    expect(await ok('revoke', 'prometheus')).toEqual([{ name: 'prometheus' }]);
    expect(await status(rotated?.['secret'])).toBe(404);
    expect(await ok('list')).toEqual([]);
    const { code: exit, stderr } = await cli(['token', 'create', 'x', '--role', 'captain'], panel.dataDir);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('Role captain not found')]);
  });

  it('changes a token, whose secret stays valid, while the panel runs and while it is stopped', async () => {
    const [made] = await ok('create', 'shop', '--role', 'auditor');
    const secret = made?.['secret'];
    let mark = headOf(panel.dataDir);
    const events = () =>
      logOf(panel.dataDir, mark).filter(({ type }) => type.startsWith('Token') && type !== 'TokenUsed');
    const by = { meta: { actor: { kind: 'system', id: 'cli', ip: null } } };
    expect(await ok('edit', 'shop', '--name', 'kiosk', '--role', 'metrics', '--days', '30')).toEqual([
      { name: 'kiosk' },
    ]);
    expect(events()).toMatchObject([{ type: 'TokenChanged', data: { role: 'metrics' }, ...by }]);
    expect(await status(secret)).toBe(200);
    const audit = await fetch(`${panel.url}/panel/api/inbounds/list`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(audit.status).toBe(403);
    const refused = await cli(['token', 'edit', 'shop', '--days', '1'], panel.dataDir);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('shop') as string });

    await panel.stop();
    mark = headOf(panel.dataDir);
    await ok('edit', 'kiosk', '--allow', '192.0.2.1');
    expect(events()).toMatchObject([{ type: 'TokenChanged', ...by }]);
    expect(await ok('list')).toMatchObject([{ name: 'kiosk', role: 'metrics', addresses: ['192.0.2.1'] }]);
    panel = await startPanel({ coreBin: NO_CORE, dataDir: panel.dataDir });
    expect(await status(secret)).toBe(404);
    await ok('edit', 'kiosk', '--allow', '', '--days', '0');
    expect(await status(secret)).toBe(200);
  });
});
