import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin, cli, must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { headOf, logOf } from '../support.js';

const LOGIN = { username: 'maria', password: 'a long pass phrase' };

describe('portolan role, session and admin hand-over', () => {
  let panel: PanelProcess;

  beforeAll(async () => {
    panel = await startPanel({ coreBin: '/no/core' });
  });

  afterAll(() => panel?.cleanUp());

  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(['--json', ...args], panel.dataDir);
    expect([args, code, stderr]).toEqual([args, 0, '']);
    const lines = stdout.trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const refused = async (...args: string[]) => (await cli(['--json', ...args], panel.dataDir)).stderr;
  /** What the command line appended. */
  const appended = async (run: () => Promise<unknown>) => {
    const mark = headOf(panel.dataDir);
    await run();
    const events = logOf(panel.dataDir, mark).filter(({ meta }) => meta.actor.id === 'cli');
    return events.map(({ type }) => type);
  };

  async function worksWith(role: string): Promise<void> {
    const grants = 'account:read,clients:read=own,audit:read=own';
    expect(await appended(() => ok('role', 'define', role, '--grants', grants))).toEqual(['RoleDefined']);
    expect(await ok('role', 'list')).toContainEqual({
      ...{ role, builtIn: false },
      grants: [
        { permission: 'account:read', scope: 'all' },
        { permission: 'clients:read', scope: 'own' },
        { permission: 'audit:read', scope: 'own' },
      ],
    });
    expect(await refused('role', 'define', role, '--grants', 'clients:fly')).toContain('clients:fly');
    expect(await refused('role', 'define', role, '--grants', 'clients:read=some')).toContain('cli.scopeUnknown');
    expect(await appended(() => ok('role', 'delete', role))).toEqual(['RoleDeleted']);
    expect(await refused('role', 'delete', 'owner')).toContain('ROLE_INVALID');

    expect(await refused('admin', 'hand-over', 'maria')).toContain('cli.handOverNothing');
    expect(await refused('admin', 'hand-over', 'maria', '--clients', 'unknown')).toContain('cli.clientUnknown');
    expect(await refused('admin', 'hand-over', 'joe', '--clients', 'ann')).toContain('cli.adminUnknown');
    expect(await ok('admin', 'hand-over', 'maria', '--clients', 'ann,#2')).toEqual([
      { owner: 'maria', clients: [1, 2] },
    ]);
    const back = ['admin', 'hand-over', '--from', 'maria'];
    expect(await appended(() => ok(...back))).toEqual(['OwnerAssigned']);
    expect(await ok(...back)).toEqual([{ owner: null, clients: [] }]);
  }

  it('work with a running panel, whose sessions end at once, and with a stopped one', async () => {
    const owner = await panel.admin();
    const inbound = { enable: true, remark: 'one', port: 20_443, protocol: 'vless', sniffing: '{}' };
    const clients = [1, 2].map((n) => ({
      id: `11111111-2222-4333-8444-00000000000${n}`,
      email: n === 1 ? 'ann' : 'bob',
    }));
    const settings = JSON.stringify({ decryption: 'none', clients });
    const streamSettings = '{"network":"tcp","security":"none"}';
    await must(owner.post('/panel/api/inbounds/add', { ...inbound, settings, streamSettings }));
    await must(owner.post('/panel/api/admins/add', { ...LOGIN, role: 'operator', inbounds: [] }));
    await worksWith('desk');

    const [first, second] = [new Admin(panel.url, LOGIN), new Admin(panel.url, LOGIN)];
    for (const one of [first, second]) await must(one.login());
    const sessions = await ok('session', 'list', 'maria');
    const used = { username: 'maria', ip: '127.0.0.1', usedAt: expect.any(Number) };
    expect(sessions).toMatchObject([used, used]);
    expect((await ok('session', 'list')).length).toBeGreaterThan(2);
    const id = String(sessions[0]?.['session']);
    expect(await refused('session', 'revoke', 'maria', '--session', id.slice(0, 4))).toContain('cli.sessionUnknown');
    const [{ username = '' } = {}] = await ok('admin', 'list');
    expect(await refused('session', 'revoke', String(username), '--session', id)).toContain('cli.sessionUnknown');
    expect(await appended(() => ok('session', 'revoke', 'maria', '--session', id))).toEqual(['LoggedOut']);
    const left = await Promise.all(
      [first, second].map(async (one) => (await one.raw('GET', '/panel/api/admins/me')).status),
    );
    expect(left.filter((status) => status === 200)).toHaveLength(1);
    expect(await ok('session', 'revoke', 'maria')).toEqual([{ username: 'maria', ended: 1 }]);
    for (const one of [first, second]) expect((await one.raw('GET', '/panel/api/admins/me')).status).toBe(401);
    expect(await ok('session', 'list', 'maria')).toEqual([]);
    await must(second.login());

    await panel.stop();
    await worksWith('counter');
    // Only a running panel knows the last use.
    expect(await ok('session', 'list', 'maria')).toMatchObject([{ username: 'maria', ip: '127.0.0.1', usedAt: null }]);
    expect(await appended(() => ok('session', 'revoke', 'maria'))).toEqual(['SessionsRevoked']);
    expect(await ok('session', 'list', 'maria')).toEqual([]);
  });
});
