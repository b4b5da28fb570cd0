import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { headOf, logOf } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of roles in the web panel');
const GB = 1024 ** 3;
const PASSWORD = 'seven-bells-and-a-lantern';

/** What an auditor can press or fill in on the screens that change something: each only shows more. */
const TABS = ['routing', 'outbounds', 'balancers', 'dns', 'template'];
const READ_ONLY: Readonly<Record<string, readonly string[]>> = {
  geo: ['geoip', 'geoip_IR', 'geoip_RU', 'geosite', 'geosite_IR', 'geosite_RU'].map(
    (n) => `Copy the rule for ${n}.dat`,
  ),
  nodes: [],
  settings: ['Only changed settings'],
  'settings?group=api': ['Only changed settings'],
  ...Object.fromEntries(TABS.map((tab) => [`core?tab=${tab}`, []])),
  'core?tab=routing': ['1. To blocked', '2. To blocked'],
  'core?tab=outbounds': ['direct', 'blocked'],
  backups: [],
  webhooks: [],
  cluster: ['Copy the commands'],
  proof: ['Copy the command'],
  access: ['operator', 'auditor', 'support', 'reseller', 'desk'].map((name) => `Actions for ${name}`),
};

/** What each role sees. The first screen is the one at which the panel opens. */
const ROLES = {
  auditor: {
    screens: [
      ...['Overview', 'Clients', 'Inbounds', 'Nodes', 'Cluster', 'Core', 'Geo files'],
      ...['Backups', 'Settings', 'Webhooks', 'Audit', 'Proof', 'Access', 'Account'],
    ],
    below: [
      'audit/compare?from=2',
      ...['clients/ann', 'inbounds/1', 'core?tab=routing', 'core?tab=outbounds', 'core?tab=balancers', 'core?tab=dns'],
      ...['core?tab=template&view=running', 'core?tab=template', 'core/logs', 'settings?group=data'],
    ],
    hidden: ['setup', 'First set-up', 'Overview'],
    ofClient: ['Open', 'Links and QR code'],
  },
  support: {
    screens: ['Clients', 'Account'],
    below: ['clients/ann'],
    hidden: ['settings', 'Settings', 'Clients'],
    ofClient: ['Open', 'Links and QR code', 'Extend', 'Add traffic', 'Reset traffic'],
  },
  reseller: {
    screens: ['Clients', 'Account'],
    below: ['clients/bea'],
    hidden: ['inbounds/new', 'Inbounds', 'Clients'],
    ofClient: ['Open', 'Edit', 'Links and QR code', 'Extend', 'Add traffic', 'Move', 'Delete'],
  },
} as const;
type Role = keyof typeof ROLES | 'desk';

/** A role that an owner made. */
const DESK = [
  ...['account:read', 'core:read', 'core:update', 'geo:read', 'geo:run', 'nodes:read', 'nodes:run'],
  ...['settings:read', 'clients:read', 'clients:update'],
];

interface Watched {
  readonly page: Page;
  /** Requests that the panel refused. */
  readonly refused: string[];
  /** Waits until the screen is loaded and every request is answered. */
  readonly settled: () => Promise<boolean>;
}

describe.skipIf(found === null)('an admin with a role', () => {
  let web: WebPanel;
  const sessions = new Map<Role, Watched>();

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const owner = await web.panel.admin();
    const settings = JSON.stringify({
      clients: [{ email: 'ann', id: crypto.randomUUID(), totalGB: GB, enable: true }],
    });
    const body = { remark: 'Harbour', protocol: 'vless', port: await freePort(), listen: '127.0.0.1', enable: true };
    const stream = { streamSettings: '{"network":"tcp","security":"none"}' };
    await must(owner.post('/panel/api/inbounds/add', { ...body, ...stream, settings }));
    const grants = DESK.map((permission) => ({ permission, scope: 'all' }));
    await must(owner.post('/panel/api/roles/save', { name: 'desk', grants }));
    for (const role of [...Object.keys(ROLES), 'desk'])
      await must(owner.post('/panel/api/admins/add', { username: role, password: PASSWORD, role, inbounds: [1] }));
  });

  afterAll(async () => {
    await web?.close();
  });

  /** The admin in a browser of their own; the login is at the bare address of the panel. */
  const logIn = async (role: Role): Promise<Watched> => {
    const page = await web.another({ locale: 'en', storageState: { cookies: [], origins: [] } });
    const refused: string[] = [];
    const open = new Set<unknown>();
    page.on('request', (request) => open.add(request));
    page.on('requestfinished', (request) => open.delete(request));
    page.on('requestfailed', (request) => open.delete(request));
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(new URL(response.url()).pathname);
    });
    await page.goto(`${web.panel.url}/`);
    await page.getByLabel('User name').fill(role);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    const settled = (): Promise<boolean> =>
      until(`the screen of ${role} is loaded`, async () => {
        const isBusy = await page.locator('[aria-busy=true], .mantine-Skeleton-root').count();
        return isBusy === 0 && open.size === 0;
      });
    const watched = { page, refused, settled };
    sessions.set(role, watched);
    return watched;
  };
  const sessionOf = (role: Role): Watched => {
    const session = sessions.get(role);
    if (!session) throw new Error(`${role} is not logged in`);
    return session;
  };
  /** Messages on the screen, except that this panel knows no releases. */
  const problems = async (page: Page): Promise<readonly string[]> =>
    (await page.getByRole('alert').allTextContents()).filter((text) => !text.includes('list of releases'));
  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Sections' }).getByRole('link');

  it.each(['auditor', 'support', 'reseller'] as const)(
    '%s: opens the screens of the role and no others',
    async (role) => {
      const { screens, below } = ROLES[role];
      const { page, refused, settled } = await logIn(role);
      await web.heading(screens[0], page);
      expect(await navigation(page).allTextContents()).toStrictEqual([...screens, 'API reference']);
      for (const name of screens) {
        await navigation(page).filter({ hasText: name }).click();
        await web.heading(name, page);
        await settled();
        expect(await problems(page)).toStrictEqual([]);
      }
      // The client of the owner does not exist for a reseller.
      for (const address of below.filter((one) => one !== 'clients/bea')) {
        await web.open(address, page);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await settled();
        expect(await problems(page)).toStrictEqual([]);
      }
      expect(refused).toStrictEqual([]);
      expect(web.complaints).toStrictEqual([]);
    },
  );

  it('an auditor is offered no change, and can read everything', async () => {
    const { page, refused, settled } = sessionOf('auditor');
    for (const [address, names] of Object.entries(READ_ONLY)) {
      await web.open(address, page);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled();
      const usable = page.locator(
        '#content :is(button, input, textarea, select):enabled:not([type=search], [role=tab], [type=radio], nav *, [aria-hidden])',
      );
      const found: string[] = [];
      for (const one of await usable.all()) {
        const label = page.locator(`label[for="${await one.getAttribute('id')}"]`);
        const name =
          (await one.getAttribute('aria-label')) ?? (await ((await label.count()) > 0 ? label : one).textContent());
        found.push(name ?? '');
      }
      expect.soft([address, found]).toStrictEqual([address, names]);
    }
    expect(refused).toStrictEqual([]);
  });

  it.each(['auditor', 'support', 'reseller'] as const)(
    '%s: is led from a hidden screen to a visible one',
    async (role) => {
      const [address, screen, home] = ROLES[role].hidden;
      const { page, refused, settled } = sessionOf(role);
      await web.open(address, page);
      await page.getByText(`Your role (${role}) does not include ${screen}`).waitFor();
      await page.getByRole('link', { name: `Go to ${home}` }).click();
      await web.heading(home, page);
      await settled();
      expect(refused).toStrictEqual([]);
    },
  );

  it.each(['auditor', 'support', 'reseller'] as const)('%s: finds only these screens in the palette', async (role) => {
    const { page, settled } = sessionOf(role);
    await page.keyboard.press('Control+k');
    const search = page.getByRole('textbox', { name: /^Search screens/ });
    await search.fill('o');
    await settled();
    const options = (await page.locator('.mantine-Spotlight-action').allTextContents()).map((text) => text.trim());
    for (const name of ROLES[role].screens.filter((one) => one.includes('o'))) expect(options).toContain(name);
    for (const name of ['First set-up', 'Add inbound', 'Add node', 'Restart the core'])
      expect(options).not.toContain(name);
    expect(options.includes('Add client')).toBe(false);
    expect(options.includes('Core')).toBe(role === 'auditor');
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'hidden' });
  });

  it.each(['auditor', 'support', 'reseller'] as const)('%s: has the keys of these screens only', async (role) => {
    const { page, refused } = sessionOf(role);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    const offered = await help.getByText(/^Go to /).allTextContents();
    expect(offered).toStrictEqual(ROLES[role].screens.map((name) => `Go to ${name}`));
    // In a dialog a key opens no screen.
    for (const key of ['g', 'p']) await page.keyboard.press(key);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'hidden' });
    const start = page.url();
    for (const key of ['g', 'f']) await page.keyboard.press(key);
    if (role !== 'auditor') for (const key of ['g', 'i', 'g', 's', 'g', 'x']) await page.keyboard.press(key);
    expect(page.url()).toBe(start);
    for (const key of ['g', 'p']) await page.keyboard.press(key);
    await web.heading('Account', page);
    expect(refused).toStrictEqual([]);
  });

  it('a reseller adds a client, and sees no others', async () => {
    const { page, refused, settled } = sessionOf('reseller');
    const before = headOf(web.panel.dataDir);
    await web.open('clients', page);
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Email' }).fill('bea');
    await form.getByRole('button', { name: 'Add client' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'bea' }).waitFor();
    await settled();
    expect(await page.getByRole('link', { name: 'ann' }).count()).toBe(0);
    const events = logOf(web.panel.dataDir, before).filter(({ meta }) => meta.actor.kind === 'user');
    expect(events).toMatchObject([
      { type: 'ClientAdded', data: { inbound: 1, identity: { email: 'bea' } }, meta: { actor: { kind: 'user' } } },
    ]);
    await web.open('clients/bea', page);
    await web.heading('bea', page);
    await settled();
    // The addresses come from a route that each role with clients may read.
    const link = await page.locator('code[title*="/sub/"]').getAttribute('title');
    expect((await fetch(String(link))).status).toBe(200);
    expect(refused).toStrictEqual([]);
  });

  it.each(['auditor', 'support', 'reseller'] as const)('%s: is offered the actions of the role', async (role) => {
    const { page } = sessionOf(role);
    const email = role === 'reseller' ? 'bea' : 'ann';
    await web.open('clients', page);
    await page.getByRole('button', { name: `Actions for ${email}`, exact: true }).click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').allTextContents()).toStrictEqual([...ROLES[role].ofClient]);
    await page.keyboard.press('Escape');
    const count = (name: string): Promise<number> => page.getByRole('button', { name, exact: true }).count();
    expect(await count('Add client')).toBe(role === 'reseller' ? 1 : 0);
    expect(await page.getByRole('switch', { name: `${email} enabled` }).count()).toBe(role === 'reseller' ? 1 : 0);
  });

  it('the support extends a client, without an Undo that the panel would refuse', async () => {
    const { page, refused, settled } = sessionOf('support');
    const before = headOf(web.panel.dataDir);
    await web.open('clients/ann', page);
    await page.getByRole('button', { name: 'Actions for ann', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Add traffic' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add traffic' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Caps raised: 1').waitFor();
    await settled();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    const events = logOf(web.panel.dataDir, before).filter(({ meta }) => meta.actor.kind === 'user');
    expect(events).toMatchObject([{ type: 'ClientUpdated', data: { changes: { capBytes: 11 * GB } } }]);
    expect(refused).toStrictEqual([]);
  });

  it('a role that an owner made offers what it includes', async () => {
    const { page, refused, settled } = await logIn('desk');
    await web.heading('Clients', page);
    const screens = ['Clients', 'Nodes', 'Core', 'Geo files', 'Settings', 'Account'];
    expect(await navigation(page).allTextContents()).toStrictEqual(screens);
    const buttons = async (address: string): Promise<readonly string[]> => {
      await web.open(address, page);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await settled();
      return page.locator('#content').getByRole('button').allTextContents();
    };
    for (const tab of ['routing', 'outbounds', 'balancers', 'dns', 'template']) await buttons(`core?tab=${tab}`);
    expect(await buttons('core?tab=routing')).toContain('Add rule');
    expect(await buttons('core?tab=outbounds')).not.toContain('Test');
    expect(await buttons('geo')).toContain('Update all');
    expect(await buttons('geo')).not.toContain('Add source');
    expect(await buttons('settings')).not.toContain('Reset');
    await buttons('nodes');
    // A role that may change clients may extend them.
    await web.open('clients/ann', page);
    await page.getByRole('button', { name: 'Actions for ann', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Add traffic' }).waitFor();
    await settled();
    expect(await problems(page)).toStrictEqual([]);
    expect(refused).toStrictEqual([]);
  });

  it('a change appears in the other tab of the same session', async () => {
    const other = await web.context.newPage();
    await other.goto(`${web.panel.url}/#/clients`);
    await other.getByRole('link', { name: 'ann' }).waitFor();
    await web.open('clients');
    const state = (page: Page) => page.getByRole('switch', { name: 'ann enabled' });
    await state(web.page).click();
    await until('the other tab shows it', async () => !(await state(other).isChecked()));
    await other.close();
  });

  it('a role without the status of the machine stays connected', async () => {
    const { page, refused } = sessionOf('support');
    await web.open('clients', page);
    // The panel sends nothing for a while, and the page asks whether it is there.
    await page.waitForResponse((response) => response.url().endsWith('/panel/api/admins/me'));
    expect(await page.getByText('No connection to the panel').count()).toBe(0);
    expect(refused).toStrictEqual([]);
    expect(web.complaints).toStrictEqual([]);
  });
});
