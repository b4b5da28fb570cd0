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

/** What each role sees. The first screen is the one at which the panel opens. */
const ROLES = {
  auditor: {
    screens: [
      ...['Overview', 'Clients', 'Inbounds', 'Nodes', 'Core', 'Geo files'],
      ...['Backups', 'Settings', 'Audit', 'Account'],
    ],
    below: [
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
    ofClient: ['Open', 'Links and QR code', 'Reset traffic'],
  },
  reseller: {
    screens: ['Clients', 'Account'],
    below: ['clients/bea'],
    hidden: ['inbounds/new', 'Inbounds', 'Clients'],
    ofClient: ['Open', 'Edit', 'Links and QR code', 'Delete'],
  },
} as const;
type Role = keyof typeof ROLES;

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
    for (const role of Object.keys(ROLES))
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
    await page.getByRole('button', { name: 'Sign in' }).click();
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
