import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { Admin } from '../../../kit/real/panel-admin.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { closeToasts } from '../../../kit/real/web-session.js';
import { headOf, logOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of admins, roles and tokens in the web panel');
const GB = 1024 ** 3;
/** Markup that a browser must not take for markup. */
const SELLER = 'Seller <b>North</b>';

describe.skipIf(found === null)('the screen of access', () => {
  let web: WebPanel;
  let before = 0;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const owner = await web.panel.admin();
    const settings = JSON.stringify({
      clients: ['ann', 'bea'].map((email) => ({ email, id: crypto.randomUUID(), totalGB: GB, enable: true })),
    });
    const body = { remark: 'Harbour', protocol: 'vless', port: await freePort(), listen: '127.0.0.1', enable: true };
    const stream = { streamSettings: '{"network":"tcp","security":"none"}' };
    await must(owner.post('/panel/api/inbounds/add', { ...body, ...stream, settings }));
  });

  afterAll(async () => {
    await web?.close();
  });

  /** The events of admins since the last call. */
  const events = (): readonly { readonly type: string; readonly data: object }[] => {
    const appended = logOf(web.panel.dataDir, before);
    before = headOf(web.panel.dataDir);
    return appended.filter(({ meta }) => meta.actor.kind === 'user');
  };
  const start = async (tab: string): Promise<void> => {
    await web.open(`access?tab=${tab}`);
    await web.heading('Access');
    before = headOf(web.panel.dataDir);
  };
  const button = (name: string): Locator => web.page.getByRole('button', { name, exact: true });
  const dialog = (): Locator => web.page.getByRole('dialog');
  const submit = async (name: string): Promise<void> => {
    const form = dialog();
    await form.getByRole('button', { name, exact: true }).click();
    await form.waitFor({ state: 'hidden' });
  };
  const choose = async (row: string, item: string): Promise<void> => {
    await button(`Actions for ${row}`).click();
    await web.page.getByRole('menuitem', { name: item }).click();
  };
  const undo = async (): Promise<void> => {
    await button('Undo').last().click();
    await web.page.getByText('Undone').waitFor();
    // The next Undo has the same text.
    await closeToasts(web.page);
  };

  it('adds a reseller with an inbound and quotas', async () => {
    await start('admins');
    await button('Add admin').click();
    const form = dialog();
    await form.getByRole('textbox', { name: 'User name' }).fill(SELLER);
    await form.getByRole('button', { name: 'Generate' }).click();
    await form.getByLabel('Role').selectOption('reseller');
    await form.getByRole('button', { name: 'Add admin' }).click();
    await form.getByText('Choose at least one inbound.').waitFor();
    await form.getByLabel('Inbounds').first().click();
    await web.page.getByRole('option', { name: 'Harbour' }).click();
    await form.getByRole('textbox', { name: 'Clients' }).fill('5');
    await form.getByRole('textbox', { name: 'Cap of a client' }).fill('2');
    await form.getByRole('button', { name: 'Show as curl' }).click();
    expect(await form.locator('pre, code').first().textContent()).toContain('/panel/api/admins/add');
    await submit('Add admin');
    await web.page.getByText('at most 5 clients').waitFor();
    const quotas = { clients: 5, totalBytes: 0, clientBytes: 2 * GB, days: 0 };
    expect(events()).toMatchObject([
      { type: 'UserCreated', data: { user: 2 } },
      { type: 'AdminAccessChanged', data: { user: 2, role: 'reseller', inbounds: [1], quotas } },
    ]);
  });

  it('changes a role, and takes it back', async () => {
    await start('admins');
    await choose(SELLER, 'Change access');
    await dialog().getByLabel('Role').selectOption('auditor');
    await submit('Save');
    expect(events()).toMatchObject([{ type: 'AdminAccessChanged', data: { user: 2, role: 'auditor', inbounds: [] } }]);
    await undo();
    expect(events()).toMatchObject([
      { type: 'AdminAccessChanged', data: { user: 2, role: 'reseller', inbounds: [1] } },
    ]);
  });

  it('hands clients over, and takes it back', async () => {
    await start('admins');
    await choose(web.panel.username, 'Hand over clients');
    await dialog().getByText('2 clients get another owner').waitFor();
    await submit('Hand over clients');
    expect(events()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [1, 2], owner: 2 } }]);
    await undo();
    expect(events()).toMatchObject([{ type: 'OwnerAssigned', data: { clients: [1, 2], owner: 1 } }]);
    await choose(web.panel.username, 'Hand over clients');
    await submit('Hand over clients');
    await web.page.getByText('2 clients, caps of 2 GB').waitFor();
    events();
  });

  it('sets a password, and says why a weak one is refused', async () => {
    await start('admins');
    await choose(SELLER, 'Set password');
    await dialog().getByLabel('Password', { exact: true }).fill('short');
    await dialog().getByRole('button', { name: 'Set password' }).click();
    await dialog().getByRole('alert').waitFor();
    expect(events()).toStrictEqual([]);
    await dialog().getByLabel('Password', { exact: true }).fill('seven-bells-and-a-lantern');
    await submit('Set password');
    expect(events()).toMatchObject([
      { type: 'UserCredentialsChanged', data: { user: 2 } },
      { type: 'DataKeyDestroyed' },
    ]);
  });

  it('shows where another admin is logged in, and ends a session', async () => {
    await start('admins');
    const name = 'purser';
    const password = 'a long pass phrase';
    const owner = await web.panel.admin();
    await must(owner.post('/panel/api/admins/add', { username: name, password, role: 'support' }));
    const other = new Admin(web.panel.url, { username: name, password });
    await must(other.login());
    await choose(name, 'Sessions');
    const session = dialog().getByRole('listitem');
    await session.getByText('127.0.0.1').waitFor();
    before = headOf(web.panel.dataDir);
    await session.getByRole('button', { name: /^End the session/ }).click();
    await web.page
      .getByRole('dialog', { name: /^End the session/ })
      .getByRole('button', { name: 'End' })
      .click();
    await dialog().getByText('No sessions.').waitFor();
    expect(events()).toMatchObject([{ type: 'LoggedOut', meta: { actor: { name: web.panel.username } } }]);
    expect((await other.raw('GET', '/panel/api/admins/me')).status).toBe(401);
    await web.page.keyboard.press('Escape');
    const admins = await must(owner.get<{ id: number; username: string }[]>('/panel/api/admins/list'));
    const id = admins.find(({ username }) => username === name)?.id ?? expect.fail();
    await must(owner.post(`/panel/api/admins/del/${id}`, { owner: 0 }));
  });

  it('deletes an admin and gives the clients to another one', async () => {
    await start('admins');
    await choose(SELLER, 'Delete');
    await dialog().getByText('2 clients stay and remain connected.').waitFor();
    await dialog()
      .getByLabel('New owner')
      .selectOption({ label: `${web.panel.username} (owner)` });
    await submit('Delete');
    await web.page.getByText(`${SELLER} is deleted.`).waitFor();
    expect(events()).toMatchObject([
      { type: 'OwnerAssigned', data: { clients: [1, 2], owner: 1 } },
      { type: 'AdminDeleted', data: { user: 2 } },
      { type: 'DataKeyDestroyed' },
    ]);
  });

  it('keeps the last owner', async () => {
    await start('admins');
    await choose(web.panel.username, 'Change access');
    await dialog().getByLabel('Role').selectOption('auditor');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(events()).toStrictEqual([]);
  });

  it('makes a role from permissions, changes it and deletes it', async () => {
    await start('roles');
    await button('Add role').click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('night-shift');
    const clients = dialog().getByRole('group', { name: 'Clients' });
    await clients.getByLabel('View').selectOption('inbounds');
    await clients.getByLabel('Reset counters').selectOption('own');
    // The nodes would show the other clients.
    expect(await dialog().getByRole('group', { name: 'Nodes' }).getByLabel('View').isDisabled()).toBe(true);
    await submit('Add role');
    const limited = [
      { permission: 'clients:read', scope: 'inbounds' },
      { permission: 'clients:reset', scope: 'own' },
    ];
    const basic = ['account:read', 'account:update', 'docs:read'].map((permission) => ({ permission, scope: 'all' }));
    const defined = { type: 'RoleDefined', data: { role: 'night-shift', grants: [...basic, ...limited] } };
    expect(events()).toMatchObject([defined]);
    await web.page.getByText('5 permissions').waitFor();
    await choose('night-shift', 'Edit');
    await dialog().getByRole('group', { name: 'API reference' }).getByLabel('View').uncheck();
    await submit('Save');
    expect(events()).toMatchObject([{ type: 'RoleDefined', data: { grants: [...basic.slice(0, 2), ...limited] } }]);
    await web.page.getByText('4 permissions').waitFor();
    await choose('night-shift', 'Delete');
    await web.page.getByText('night-shift', { exact: true }).waitFor({ state: 'detached' });
    expect(events()).toMatchObject([{ type: 'RoleDeleted', data: { role: 'night-shift' } }]);
    await undo();
    expect(events()).toMatchObject([{ type: 'RoleDefined', data: { role: 'night-shift' } }]);
    await choose('auditor', 'Show permissions');
    expect(await dialog().getByRole('group', { name: 'Nodes' }).getByLabel('View').isDisabled()).toBe(true);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  it('creates a token whose secret is shown once, rotates and revokes it', async () => {
    await start('tokens');
    await button('Add token').click();
    await dialog().getByRole('textbox', { name: 'Name' }).fill('billing');
    await dialog().getByLabel('Role').selectOption('auditor');
    await dialog().getByRole('button', { name: 'Add token' }).click();
    const secretOf = async (name: string): Promise<string> => {
      const shown = web.page.getByRole('dialog', { name: `Secret of ${name}` });
      const secret = (await shown.locator('code').first().textContent()) ?? '';
      await shown.getByRole('button', { name: 'I have stored it' }).click();
      await shown.waitFor({ state: 'hidden' });
      return secret;
    };
    const status = async (secret: string): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}`, 'x-requested-with': 'XMLHttpRequest' };
      return (await fetch(`${web.panel.url}/panel/api/nodes/list`, { headers })).status;
    };
    const first = await secretOf('billing');
    expect(events()).toMatchObject([{ type: 'TokenCreated', data: { token: 1, role: 'auditor' } }]);
    expect(await status(first)).toBe(200);
    await choose('billing', 'Edit');
    await dialog().getByRole('textbox', { name: 'Name' }).fill('invoices');
    await dialog().getByLabel('Role').selectOption('monitoring');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await web.page.getByText('invoices', { exact: true }).waitFor();
    expect(events().filter(({ type }) => type !== 'TokenUsed')).toMatchObject([
      { type: 'TokenChanged', data: { token: 1, label: { name: 'invoices' }, role: 'monitoring', addresses: [] } },
    ]);
    expect(await status(first)).toBe(200);
    await choose('invoices', 'Rotate');
    await dialog().getByLabel('Previous secret').selectOption('0');
    await dialog().getByRole('button', { name: 'Rotate' }).click();
    const second = await secretOf('invoices');
    expect(events().filter(({ type }) => type !== 'TokenUsed')).toMatchObject([{ type: 'TokenRotated' }]);
    expect([await status(first), await status(second)]).toStrictEqual([401, 200]);
    await choose('invoices', 'Revoke');
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await web.page.getByText('No tokens yet').waitFor();
    expect(events().filter(({ type }) => type !== 'TokenUsed')).toMatchObject([{ type: 'TokenRevoked' }]);
    expect(await status(second)).toBe(401);
  });

  it('switches the API token of 3x-ui off, and on again', async () => {
    await start('tokens');
    await button('Switch off').click();
    await web.page.getByText('Switched off').waitFor();
    expect(events()).toMatchObject([{ type: 'SettingsChanged', data: { changes: { apiTokenEnable: false } } }]);
    await undo();
    expect(events()).toMatchObject([{ type: 'SettingsChanged', data: { changes: { apiTokenEnable: true } } }]);
    expect(web.complaints).toStrictEqual([]);
  });
});
