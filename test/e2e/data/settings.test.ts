import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Admin, must, startPanel } from '../../kit/real/panel-process.js';
import { codeAt, TOKEN } from '../../kit/totp.js';

const UPDATE = '/panel/setting/update';
const canary = 'canary-of-the-directory';

it('two-factor login, settings and used codes survive SIGKILL', async () => {
  const first = await startPanel({ env: { PORTOLAN_BASE_PATH: '/p3x9/' } });
  onTestFinished(() => first.cleanUp());
  const { dataDir, ports, username, password } = first;
  const admin = await first.admin();

  // The servers of the panel may exchange their ports; a port of another program is rejected, and the flags are named.
  const swap = { webPort: ports.sub, subPort: ports.panel, webListen: '127.0.0.1', subListen: '127.0.0.1' };
  const swapped = await admin.post<{ environment: object; restart?: string[] }>(UPDATE, swap);
  expect(swapped.success).toBe(true);
  expect(swapped.obj.restart).toBeUndefined();
  expect(Object.keys(swapped.obj.environment).sort()).toEqual(['subListen', 'subPort', 'webListen', 'webPort']);
  const all = await must(admin.post<Record<string, object>>('/panel/setting/all'));
  expect(all['environment']).toMatchObject({
    webPort: { variable: 'PORTOLAN_PORT', value: ports.panel },
    webBasePath: { variable: 'PORTOLAN_BASE_PATH', value: '/p3x9/' },
  });
  const taken = await admin.post(UPDATE, { webPort: ports.ops, ldapPassword: canary });
  expect(taken.obj).toEqual({
    errors: [
      {
        key: 'webPort',
        why: 'is used by another program: choose another port, or stop that program',
        code: 'settings.portTaken',
      },
    ],
  });

  await must(admin.post('/panel/setting/secret', { key: 'ldapPassword', value: canary }));
  const setUp = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: codeAt(TOKEN, Date.now()) };
  await must(admin.post(UPDATE, setUp));
  const used = codeAt(TOKEN, Date.now() + 30_000);
  const second = new Admin(first.url, { username, password });
  await must(second.login(used));

  first.kill('SIGKILL');
  await first.exited;
  const panel = await startPanel({ dataDir, ports, username, password, env: { PORTOLAN_BASE_PATH: '/p3x9/' } });
  onTestFinished(() => panel.cleanUp());
  // The session stays valid, but the code does not.
  expect((await second.post('/panel/setting/all')).obj).toMatchObject({
    ...{ twoFactorEnable: true, twoFactorToken: '', hasTwoFactorToken: true, ldapPassword: '', hasLdapPassword: true },
    ...{ webPort: ports.sub, subPort: ports.panel },
  });
  const login = (code: string) => new Admin(panel.url, { username, password }).login(code);
  expect((await login(used)).success).toBe(false);
  expect((await login(setUp.twoFactorCode)).success).toBe(false);
  for (const file of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = textOf(join(file.parentPath, file.name));
    for (const secret of [canary, TOKEN]) expect([file.name, text.includes(secret)]).toEqual([file.name, false]);
  }
});

/** The panel runs: a file may have taken the place of another one since the folder was listed, and is read there. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
