import { once } from 'node:events';
import { existsSync, lstatSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
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
    const [made] = await ok('create', name);
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

  it('reports failures with its exit code and a message', async () => {
    const refused: [number, RegExp, string[]][] = [
      [1, /^portolan: A user named .* already exists/, ['create', panel.username]],
      [1, /^portolan: Admin nobody not found\n$/, ['reset-password', 'nobody']],
      [1, /at least 10 characters/, ['reset-password', panel.username, '--password', 'nine-char']],
      [2, /^portolan: The argument name is missing\n$/, ['create']],
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
    await ok('create', 'second-admin', '--password', 'second-1-password');
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
    const [made] = await ok('create', 'third-admin');
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
    const refused = await run('create', 'nobody');
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
});
