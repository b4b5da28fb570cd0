import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../kit/real/browser.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { fillCode } from '../../kit/real/web-session.js';
import { HANG_MS } from '../../kit/wait.js';
import { headOf, logOf, recorded } from '../support.js';

const found = chromiumFor('the test of the web panel');
/** A name that would run if it were taken for markup, and one that would turn the line around it. */
const HOSTILE = '<img src=x onerror="document.title=1"> \u202e olleh';

describe.skipIf(found === null)('the web panel, in a real browser', () => {
  let panel: PanelProcess;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    panel = await startPanel({ env: { PORTOLAN_BASE_PATH: '/a/secret/path/' } });
    browser = await openBrowser(found ?? '');
    context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' });
    page = await newPage(context);
  });

  afterAll(async () => {
    await browser?.close();
    await panel?.cleanUp();
  });

  /** A page whose errors and policy violations fail the test. */
  async function newPage(of: BrowserContext): Promise<Page> {
    const made = await of.newPage();
    made.setDefaultTimeout(HANG_MS);
    made.on('pageerror', (error) => complaints.push(error.message));
    made.on('console', (message) => {
      // A refused login and an ended session are answers with their status; one test takes the browser offline.
      if (message.type() === 'error' && !/401|ERR_CONNECTION|ERR_INTERNET_DISCONNECTED|WebSocket/.test(message.text()))
        complaints.push(message.text());
    });
    return made;
  }

  const toast = (text: string) => page.getByText(text).first().waitFor();
  const heading = (name: string, of = page) => of.getByRole('heading', { level: 1, name }).waitFor();
  const logIn = async (of = page, password = panel.password): Promise<void> => {
    await of.getByLabel('User name').fill(panel.username);
    await of.locator('input[name=password]').fill(password);
    await of.getByRole('button', { name: 'Log in' }).click();
  };
  const menuOf = async (name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('shows nothing but the login before it, and opens the wanted screen after it', async () => {
    await page.goto(`${panel.url}/#/clients?state=expired`);
    await heading('Log in');
    const html = await (await fetch(`${panel.url}/`)).text();
    expect(html).not.toMatch(/assets\/panel|\d+\.\d+\.\d+/);
    const scripts = [...html.matchAll(/src="\.\/([^"]+\.js)"/g)].map(([, name]) => name);
    for (const name of scripts)
      expect(await (await fetch(`${panel.url}/${name}`)).text()).not.toContain('panel/api/inbounds');

    await logIn(page, 'not the password');
    await page.getByText('Invalid username or password').waitFor();
    await logIn();
    await heading('Clients');
    expect(page.url()).toContain('#/clients?state=expired');
    expect(await page.title()).toBe('Clients · Portolan');
    expect(await page.locator('h1').count()).toBe(1);
  });

  it('gives the files of the panel to sessions alone, compressed and for ever', async () => {
    const assets = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const script = assets.find((name) => /assets\/panel\/panel-.*\.js$/.test(name)) ?? 'none';
    expect((await fetch(script)).status).toBe(404);
    const answer = await context.request.get(script, { headers: { 'accept-encoding': 'br' } });
    expect(answer.status()).toBe(200);
    expect(answer.headers()).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'private, max-age=31536000, immutable',
    });
  });

  it('adds an inbound from a preset with two clicks, and its keys', async () => {
    await page.getByRole('link', { name: 'Inbounds', exact: true }).click();
    await heading('Inbounds');
    await page.getByRole('link', { name: 'Add inbound' }).first().click();
    await page.getByRole('button', { name: 'VLESS + REALITY' }).click();
    await page.getByLabel('Name', { exact: false }).first().fill(HOSTILE);
    await page.getByRole('button', { name: 'All options' }).click();
    await page.getByLabel('Listen address').fill('127.0.0.1');
    await page
      .getByLabel('Port')
      .first()
      .fill(String(await freePort()));
    await page.getByRole('button', { name: 'Add inbound' }).click();
    await heading('Inbounds');
    const { data } = recorded(panel.dataDir, 'InboundAdded').at(-1) ?? { data: null };
    expect(data).toMatchObject({ spec: { remark: HOSTILE, protocol: 'vless' } });
    expect(await page.getByRole('row').nth(1).textContent()).toContain(HOSTILE);
    expect(await page.title()).toBe('Inbounds · Portolan');
  });

  it('keeps what the form has no field for, and marks a field that is missing', async () => {
    await page.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const json = page.getByRole('textbox', { name: 'JSON' });
    const [stored] = await must((await panel.admin()).get<{ id: number }[]>('/panel/api/inbounds/list'));
    const form = `/panel/api/inbounds/overview/${stored?.id}`;
    const draft = await must((await panel.admin()).get<{ streamSettings: Record<string, unknown> }>(form));
    const sockopt = { tcpFastOpen: true, mark: 7 };
    await fillCode(json, JSON.stringify({ streamSettings: { ...draft.streamSettings, sockopt } }));
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByLabel('Name', { exact: false }).first().fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Fill this in.').waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill('harbour');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await heading('Inbounds');
    const [inbound] = await must((await panel.admin()).get<{ streamSettings: string }[]>('/panel/api/inbounds/list'));
    expect(JSON.parse(inbound?.streamSettings ?? '')).toMatchObject({ sockopt, realitySettings: { show: false } });
  });

  it('adds a client, changes it, switches it off and on again by Undo, resets and deletes it', async () => {
    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await heading('Clients');
    await page
      .getByRole('button', { name: 'Clear the filters' })
      .or(page.getByText('No clients yet'))
      .first()
      .waitFor();
    await page.goto(`${panel.url}/#/clients`);
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    await page.getByRole('textbox', { name: 'Email' }).fill('a<b&c');
    await page.getByLabel('Traffic cap').fill('10');
    await page.getByRole('dialog').getByRole('button', { name: 'Add client' }).click();
    await page.getByRole('cell', { name: 'a<b&c', exact: true }).waitFor();
    const added = recorded(panel.dataDir, 'ClientAdded').at(-1);
    expect(added?.data).toMatchObject({ spec: { capBytes: 10 * 1024 ** 3, enabled: true, flow: 'xtls-rprx-vision' } });

    const before = headOf(panel.dataDir);
    await page.getByRole('switch', { name: 'a<b&c enabled' }).click();
    await toast('a<b&c is disabled.');
    await page
      .getByRole('alert')
      .filter({ hasText: 'a<b&c is disabled.' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await toast('The change was undone.');
    const changes = logOf(panel.dataDir, before).filter((event) => event.type === 'ClientUpdated');
    expect(changes.map(({ data }) => data.changes.enabled)).toStrictEqual([false, true]);

    await menuOf('a<b&c', 'Edit');
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('paid until spring');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => recorded(panel.dataDir, 'ClientIdentityChanged').length).toBe(1);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await menuOf('a<b&c', 'Links and QR code');
    await page.getByRole('img', { name: 'QR code: Subscription' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await menuOf('a<b&c', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No clients yet').waitFor();
    expect(recorded(panel.dataDir, 'ClientDeleted')).toHaveLength(1);
  });

  it('shows what another session adds, finds it in the search, and keeps the filter in the address', async () => {
    const admin = await panel.admin();
    const [inbound] = await must(admin.get<{ id: number }[]>('/panel/api/inbounds/list'));
    const clients = Array.from({ length: 300 }, (_, n) => ({
      id: crypto.randomUUID(),
      email: `sailor-${n}`,
      comment: n === 77 ? 'Ahab' : '',
    }));
    await must(admin.post('/panel/api/inbounds/addClient', { id: inbound?.id, settings: JSON.stringify({ clients }) }));
    await page.getByText('300 clients').waitFor();
    // Only the rows in view are in the document.
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    // The one menu of all rows moves with the row, even while it is closing.
    for (const email of ['sailor-100', 'sailor-0']) {
      const dots = page.getByRole('button', { name: `Actions for ${email}`, exact: true });
      await dots.click();
      const distance = async (): Promise<number> => {
        const [below, above] = await Promise.all([page.getByRole('menu').boundingBox(), dots.boundingBox()]);
        return (below?.y ?? Number.NaN) - (above?.y ?? 0);
      };
      await expect.poll(distance).toBeLessThan(60);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('ahab');
    await page.getByText(/^1 client ·/).waitFor();
    await page.getByRole('cell', { name: 'sailor-77', exact: true }).waitFor();
    await expect.poll(() => page.url(), { timeout: HANG_MS }).toContain('search=ahab');
    await page.reload();
    await page.getByRole('cell', { name: 'sailor-77', exact: true }).waitFor();
  });

  it('keeps what was typed when the session ends, and continues after a login', async () => {
    await page.locator('#content').getByRole('button', { name: 'Add client' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('queequeg');
    await context.clearCookies();
    await page.getByRole('dialog').getByRole('button', { name: 'Add client' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('User name').fill(panel.username);
    await dialog.locator('input[name=password]').fill(panel.password);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await expect
      .poll(async () => {
        const admin = await panel.admin();
        return (await admin.get<{ email: string } | null>('/panel/api/inbounds/getClientTraffics/queequeg')).obj?.email;
      })
      .toBe('queequeg');
    // Until the form is closed, leaving the screen asks about the changes.
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });

  it('shows that it is offline with the time of its data, and refreshes it after the reconnect', async () => {
    await page.goto(`${panel.url}/#/overview`);
    await heading('Overview');
    await page.getByText('Running').waitFor();
    await context.setOffline(true);
    await page.getByText(/No connection to the panel\. The data is from .*\d:\d\d/).waitFor();
    await context.setOffline(false);
    await page.getByText('No connection to the panel.').waitFor({ state: 'detached' });
  });

  it('is shown in Persian from right to left, and fits a phone', async () => {
    const phone = await browser.newContext({
      viewport: { width: 390, height: 844 },
      locale: 'fa',
      storageState: await context.storageState(),
    });
    const small = await newPage(phone);
    await small.goto(`${panel.url}/#/clients`);
    await heading('کاربران', small);
    expect(await small.evaluate('document.documentElement.dir')).toBe('rtl');
    const overflow = await small.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
    await phone.close();
  });

  it('finds a screen by the palette and by the keyboard alone', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search screens').fill('inbou');
    await page.keyboard.press('Enter');
    await heading('Inbounds');
    await page.getByPlaceholder('Search screens').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await heading('Overview');
  });

  it('raised no error in the console and broke no policy', () => {
    expect(complaints).toStrictEqual([]);
  });
});
