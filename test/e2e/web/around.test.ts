import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { deedsOf, headOf } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of the palette and of an ended session in the web panel');

describe.skipIf(found === null)('around the screens of the web panel', () => {
  let web: WebPanel;
  let page: Page;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    ({ page } = web);
    const admin = await web.panel.admin();
    const settings = JSON.stringify({
      clients: [{ id: crypto.randomUUID(), email: 'ishmael@example.com', enable: true }],
      decryption: 'none',
    });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, remark: 'Nantucket', listen: '127.0.0.1', protocol: 'vless', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
    const node = { name: 'Bedford', address: '127.0.0.1', port: await freePort(), scheme: 'http', basePath: '/' };
    await must(
      admin.post('/panel/api/nodes/add', { ...node, apiToken: 'token', enable: false, allowPrivateAddress: true }),
    );
  });

  afterAll(async () => web?.close());

  /** Opens the palette and types. */
  const search = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill(text);
  };

  it.each([
    ['a client', 'ishm', 'ishmael@example.com', 'ishmael@example.com'],
    ['an inbound', 'nantuck', 'Nantucket', 'Nantucket'],
    ['a node', 'bedf', 'Bedford', 'Bedford'],
    ['a screen', 'backu', 'Backups', 'Backups'],
    ['an action', 'add inb', 'Add inbound', 'Add inbound'],
  ])('the palette finds %s, and Enter opens it', async (_, text, result, heading) => {
    await web.open('overview');
    await web.heading('Overview');
    await search(text);
    await page.getByRole('dialog').getByText(result, { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await web.heading(heading);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('the palette says that nothing matches, and Escape closes it', async () => {
    await web.open('overview');
    await web.heading('Overview');
    await search('no such thing');
    await page.getByRole('dialog').getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('an ended session hides the whole screen until the next login, which keeps what was typed', async () => {
    await web.open('clients?new=1');
    const email = page.getByRole('textbox', { name: 'Email' });
    await email.fill('queequeg');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    const before = headOf(web.panel.dataDir);
    await page.getByRole('dialog').getByRole('button', { name: 'Add client' }).click();
    const login = page.getByRole('dialog').filter({ hasText: 'Log in again to continue.' });
    await login.waitFor();
    // Whatever is at the points of a grid belongs to the login or to the layer behind it, which is opaque.
    await expect
      .poll(() =>
        page.evaluate(`(() => {
          const seen = [];
          for (let x = 5; x < innerWidth; x += 60)
            for (let y = 5; y < innerHeight; y += 60) {
              const one = document.elementFromPoint(x, y);
              const root = one?.closest('[class*=Modal-root]');
              if (!root || !root.textContent.includes('Log in again')) seen.push([x, y, one?.className]);
            }
          return seen;
        })()`),
      )
      .toStrictEqual([]);
    const overlay = page.locator('[class*=Modal-root]', { hasText: 'Log in again' }).locator('[class*=Overlay-root]');
    await expect
      .poll(() => overlay.evaluate((one) => one.ownerDocument.defaultView?.getComputedStyle(one).backgroundColor))
      .toMatch(/^(?:rgb\(|color\(srgb [\d. ]+\)$)/);
    await page.keyboard.press('Escape');
    expect(await login.isVisible()).toBe(true);
    expect(deedsOf(web.panel.dataDir, before)).toStrictEqual([]);
    await page.context().addCookies(cookies);
    await login.getByLabel('User name').fill(web.panel.username);
    await login.locator('input[name=password]').fill(web.panel.password);
    await login.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'queequeg' }).waitFor();
    expect(deedsOf(web.panel.dataDir, before)).toContain('ClientAdded');
  });

  it('generated secrets of a form are hidden until they are revealed', async () => {
    const before = headOf(web.panel.dataDir);
    await web.open('inbounds/1');
    await web.heading('Nantucket');
    const field = page.getByLabel('Decryption', { exact: true });
    expect(await field.getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'X25519', exact: true }).click();
    await expect.poll(() => field.inputValue()).toMatch(/^mlkem768x25519plus\./);
    await expect.poll(() => field.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show as curl' }).click();
    const command = page.getByRole('region', { name: 'Show as curl' }).locator('pre');
    await expect.poll(() => command.textContent()).toContain('***');
    expect(await command.textContent()).not.toContain(await field.inputValue());
    await page.getByRole('button', { name: 'Show or hide' }).first().click();
    await expect.poll(() => field.getAttribute('type')).toBe('text');
    expect(deedsOf(web.panel.dataDir, before)).toStrictEqual([]);
    // Leaves the form, which asks.
    await web.open('overview');
    await page.getByRole('button', { name: 'Discard and leave' }).click();
    await web.heading('Overview');
  });

  it('raised no error in the console', () => {
    expect(web.complaints.filter((one) => !one.includes('status of 4'))).toStrictEqual([]);
  });
});
