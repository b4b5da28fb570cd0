import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../kit/real/browser.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { HANG_MS } from '../../kit/wait.js';
import { deedsOf, headOf, recorded } from '../support.js';
import { type Keyboard, keyboardOf } from './keyboard-of.js';

const found = chromiumFor('the test of the keyboard in the web panel');

describe.skipIf(found === null)('the web panel by keyboard alone', () => {
  let panel: PanelProcess;
  let browser: TestBrowser;
  let page: Page;
  let keys: Keyboard;
  const complaints: string[] = [];

  beforeAll(async () => {
    panel = await startPanel();
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must((await panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
    browser = await openBrowser(found ?? '');
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en' });
    page = await context.newPage();
    page.setDefaultTimeout(HANG_MS);
    keys = keyboardOf(page);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  });

  afterAll(async () => {
    await browser?.close();
    await panel?.cleanUp();
  });

  const press: Keyboard['press'] = (...names) => keys.press(...names);
  const moveTo: Keyboard['moveTo'] = (name, key) => keys.moveTo(name, key);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  const dialog = () => page.getByRole('dialog');

  const search = () => page.getByPlaceholder('Search screens');
  /** Opens the palette, which takes the focus. */
  async function openPalette(): Promise<void> {
    await press('Control+k');
    await search().and(page.locator(':focus')).waitFor();
  }

  it('logs in', async () => {
    await page.goto(`${panel.url}/`);
    await heading('Log in');
    await page.keyboard.type(panel.username);
    await press('Tab');
    await page.keyboard.type(panel.password);
    await press('Enter');
    await heading('Overview');
  });

  it('skips the navigation', async () => {
    await page.reload();
    await heading('Overview');
    await press('Tab');
    expect(await keys.focused()).toBe('Skip to the content');
    await press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
  });

  it('opens the palette when its file is loaded, and says so when it cannot be', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const file = '**/Palette-*.js';
    await page.route(file, async (route) => {
      await released;
      await route.fallback();
    });
    await page.reload();
    await heading('Overview');
    const asked = page.waitForRequest(file);
    await press('Control+k');
    await asked;
    expect(await search().count()).toBe(0);
    // What is typed meanwhile is not lost, and no shortcut: `g` and `c` would open another screen.
    await page.keyboard.type('gc');
    release();
    await search().and(page.locator(':focus')).waitFor();
    await page.keyboard.type('x');
    expect(await search().inputValue()).toBe('gcx');
    await heading('Overview');
    await press('Escape');
    await search().waitFor({ state: 'hidden' });
    await page.unroute(file);
    await page.route(file, (route) => route.abort());
    await page.reload();
    await heading('Overview');
    await press('Control+k');
    await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
    // The screen stays.
    await heading('Overview');
    await page.unroute(file);
    await page.reload();
    await heading('Overview');
    // The browser reports the file.
    expect(complaints.splice(0).filter((text) => !text.includes('ERR_FAILED'))).toStrictEqual([]);
  });

  it('adds a client with the palette and the form', async () => {
    const before = headOf(panel.dataDir);
    await openPalette();
    await page.keyboard.type('add client');
    await page.getByText('Add client', { exact: true }).first().waitFor();
    await press('ArrowDown', 'Enter');
    await dialog().getByRole('textbox', { name: 'Email' }).waitFor();
    await moveTo('Email');
    await press('Control+a');
    await page.keyboard.type('ahab');
    await moveTo('Comment');
    await page.keyboard.type('pays late');
    await moveTo('Show as curl');
    await press('Enter');
    const command = await page.getByRole('region', { name: 'Show as curl' }).locator('pre').textContent();
    expect(command).toContain('/panel/api/inbounds/addClient');
    expect(command).toContain('Authorization: Bearer $TOKEN');
    expect(command).toContain(String.raw`\"id\":\"***\"`);
    await moveTo('Add client');
    await press('Enter');
    await dialog().waitFor({ state: 'hidden' });
    expect(recorded(panel.dataDir, 'ClientAdded', before)[0]?.data.identity).toMatchObject({
      email: 'ahab',
      comment: 'pays late',
    });
  });

  it('opens the first match of the palette, also when Enter comes before the matches', async () => {
    const matches = '**/panel/api/clients/search';
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(matches, async (route) => {
      if (route.request().postData()?.includes('"ha"')) await released;
      await route.continue();
    });
    await openPalette();
    await page.keyboard.type('ha');
    // The name of the inbound contains the text as well, and is shown at once.
    await page.locator('[data-action]', { hasText: 'Harbour' }).waitFor();
    await press('Enter');
    release();
    await heading('ahab');
    await page.unroute(matches);
    await search().waitFor({ state: 'hidden' });
    await press('g', 'c');
    await heading('Clients');
  });

  it('searches the list, opens a client, and goes back', async () => {
    await press('g', 'i');
    await heading('Inbounds');
    await press('g', 'c');
    await heading('Clients');
    await page.getByRole('link', { name: 'ahab' }).waitFor();
    await press('/');
    await page.keyboard.type('ahab');
    await moveTo('ahab');
    await press('Enter');
    await heading('ahab');
    await moveTo('Clients', 'Shift+Tab');
    await press('Enter');
    await heading('Clients');
  });

  it('switches a client with the space bar, and sorts by a header', async () => {
    const before = headOf(panel.dataDir);
    await page.getByRole('link', { name: 'ahab' }).waitFor();
    await moveTo('ahab enabled');
    await press('Space');
    await expect.poll(() => recorded(panel.dataDir, 'ClientUpdated', before).length).toBe(1);
    await moveTo('Email', 'Shift+Tab');
    await press('Enter');
    await page.getByRole('columnheader', { name: 'Email' }).and(page.locator('[aria-sort=descending]')).waitFor();
  });

  it('returns the focus to what opened a dialog, when it is closed', async () => {
    const closed = async (opener: string): Promise<void> => {
      await dialog().waitFor();
      await expect.poll(async () => page.evaluate(IS_IN_DIALOG)).toBe(true);
      await press('Escape');
      await dialog().waitFor({ state: 'hidden' });
      await expect.poll(() => keys.focused()).toBe(opener);
    };
    await moveTo('Add client', 'Shift+Tab');
    await press('Enter');
    await closed('Add client');
    for (const item of ['Edit', 'Links and QR code', 'Delete']) {
      await moveTo('Actions for ahab');
      await press('Enter');
      await moveTo(item, 'ArrowDown');
      await press('Enter');
      await closed('Actions for ahab');
    }
    await press('g', 'i');
    await heading('Inbounds');
    await moveTo('Import');
    await press('Enter');
    await closed('Import');
    await press('g', 'a');
    await heading('Audit');
    await moveTo('Hash chain');
    await press('Enter');
    await closed('Hash chain');
    await press('g', 'c');
    await heading('Clients');
  });

  it('deletes a client from the menu of its row, after a question', async () => {
    const before = headOf(panel.dataDir);
    await moveTo('Actions for ahab');
    await press('Enter');
    await moveTo('Delete', 'ArrowDown');
    await press('Enter');
    await dialog().getByRole('button', { name: 'Delete' }).waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    expect(deedsOf(panel.dataDir, before)).toStrictEqual([]);
    await moveTo('Actions for ahab');
    await press('Enter');
    await moveTo('Delete', 'ArrowDown');
    await press('Enter');
    await dialog().waitFor();
    await moveTo('Delete');
    await press('Enter');
    await expect.poll(() => deedsOf(panel.dataDir, before)).toStrictEqual(['ClientDeleted']);
    await dialog().waitFor({ state: 'hidden' });
  });

  it('shows the shortcuts, and signs out', async () => {
    await press('g', 'o');
    await heading('Overview');
    await press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await moveTo('Appearance');
    await press('Enter');
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await moveTo('Log out');
    await press('Enter');
    await heading('Log in');
  });

  it('raised no error in the console and broke no policy', () => {
    expect(complaints).toStrictEqual([]);
  });
});

const IS_IN_DIALOG = `document.activeElement?.closest('[role=dialog]') != null`;
