import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../kit/real/children.js';
import { Admin, cli, panelPorts, startPanel } from '../../kit/real/panel-process.js';
import { recorded, until } from '../support.js';

/** A panel that generates its own first password. */
const NO_ACCOUNT = { PORTOLAN_ADMIN_USERNAME: '', PORTOLAN_ADMIN_PASSWORD: '' };
const PASSWORD = /^ +Password +([\w-]{20}) /m;

const listening = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

describe('a first start on a port that is taken', () => {
  const root = mkdtempSync(join(tmpdir(), 'portolan-first-start-'));
  let holder: Server;
  let taken: number;

  beforeAll(async () => {
    holder = await listening();
    taken = (holder.address() as AddressInfo).port;
  });
  afterAll(() => {
    holder.close();
    rmSync(root, { recursive: true, force: true });
  });

  it.each([
    ['PORT', 'the panel', '--port'],
    ['SUB_PORT', 'the subscription server', '--sub-port'],
    ['OPS_PORT', 'the health port of the panel', '--ops-port'],
  ])(
    '%s: names the holder and what changes it, and leaves no admin with a lost password',
    async (name, server, flag) => {
      const dataDir = join(root, name);
      const { panel, sub, ops } = await panelPorts();
      const ports = {
        HOST: '127.0.0.1',
        PORT: panel,
        SUB_HOST: '127.0.0.1',
        SUB_PORT: sub,
        OPS_PORT: ops,
        [name]: taken,
      };
      const env = Object.fromEntries(Object.entries(ports).map(([key, value]) => [`PORTOLAN_${key}`, String(value)]));
      const failed = await cli(['serve'], dataDir, { env });
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(
        `portolan: Port ${taken} of ${server} is already used by node (pid ${process.pid}): choose another with PORTOLAN_${name}\n`,
      );
      expect(recorded(dataDir, 'UserCreated')).toEqual([]);
      const { [`PORTOLAN_${name}`]: _, ...rest } = env;
      const flagged = await cli(['serve', flag, String(taken)], dataDir, { env: rest });
      expect(flagged.stderr).toContain(`choose another with ${flag}\n`);

      const started = await startPanel({ dataDir, env: NO_ACCOUNT, coreBin: '/nowhere/xray' });
      try {
        const password = await until('the password', () => PASSWORD.exec(started.stdout())?.[1]);
        expect(failed.stdout + flagged.stdout).not.toMatch(PASSWORD);
        expect(await new Admin(started.url, { username: 'admin', password }).login()).toMatchObject({ success: true });
      } finally {
        await started.stop();
      }
    },
  );

  it('names the servers of the panel that want the same port', async () => {
    const { panel, ops } = await panelPorts();
    const env = {
      ...{ PORTOLAN_HOST: '127.0.0.1', PORTOLAN_SUB_HOST: '127.0.0.1', PORTOLAN_OPS_PORT: String(ops) },
      ...{ PORTOLAN_PORT: String(panel), PORTOLAN_SUB_PORT: String(panel) },
    };
    const failed = await cli(['serve'], join(root, 'same'), { env });
    expect(failed.stderr).toContain(
      `Port ${panel} of the subscription server is already used by this panel itself: choose another with PORTOLAN_SUB_PORT\n`,
    );
  });

  it('names the variable of an address that this machine does not have', async () => {
    const env = { PORTOLAN_HOST: '192.0.2.7', PORTOLAN_PORT: '0', PORTOLAN_SUB_PORT: '0', PORTOLAN_OPS_PORT: '0' };
    const failed = await cli(['serve'], join(root, 'address'), { env });
    expect(failed.stderr).toContain(
      'portolan: 192.0.2.7 is not an address of this machine: choose another for the panel with PORTOLAN_HOST\n',
    );
  });
});

describe('a first start whose output cannot be written', () => {
  const root = mkdtempSync(join(tmpdir(), 'portolan-first-start-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('creates no admin whose password was never shown, and reports that', async () => {
    const main = join(process.cwd(), 'dist', 'main.js');
    const child = startChild('sh', ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, main, 'serve'], {
      env: {
        ...{ PATH: process.env['PATH'], PORTOLAN_DATA_DIR: root },
        ...{ PORTOLAN_HOST: '127.0.0.1', PORTOLAN_SUB_HOST: '127.0.0.1' },
        ...{ PORTOLAN_PORT: '0', PORTOLAN_SUB_PORT: '0', PORTOLAN_OPS_PORT: '0' },
      },
    });
    expect(await child.exited).toMatchObject({ code: 1 });
    expect(child.stderr()).toMatch(
      /^portolan: The password of the first admin could not be printed \(ENOSPC\), so no admin was created: /m,
    );
    expect(recorded(root, 'UserCreated')).toEqual([]);
  });

  it('serves with an account that the operator chose, though its log cannot be written', async () => {
    const panel = await startPanel({ coreBin: '/nowhere/xray', fullOutput: true });
    try {
      const admin = await panel.admin();
      expect(await admin.post('/panel/setting/update', { subAnnounce: 'still here' })).toMatchObject({ success: true });
      expect(panel.stdout()).toBe('');
      expect((await fetch(`${panel.opsUrl}/readyz`)).status).toBe(200);
    } finally {
      expect(await panel.stop()).toEqual({ code: 0, signal: null });
      await panel.cleanUp();
    }
  });
});
