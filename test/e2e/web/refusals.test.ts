import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { deedsOf, headOf } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of refused forms in the web panel');

/** Whether the middle of an element is in the window, and nothing covers it but the switch to which it belongs. */
const isSeen = (element: Locator): Promise<boolean> =>
  element.evaluate((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const shown = one.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
    const own = one.closest('.mantine-Switch-root') ?? one;
    return shown !== null && (own.contains(shown) || shown.contains(one));
  });
const isFocused = (element: Locator): Promise<boolean> => element.evaluate((one) => one.matches(':focus'));

describe.skipIf(found === null)('refused forms in the web panel', () => {
  let web: WebPanel;
  let phone: Page;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const settings = JSON.stringify({
      clients: [{ id: crypto.randomUUID(), email: 'harbour', enable: true }],
      decryption: 'none',
    });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, remark: 'Quay', listen: '127.0.0.1', protocol: 'vless', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
    phone = await web.another({ viewport: { width: 390, height: 844 }, locale: 'en' });
  });

  afterAll(async () => web?.close());

  it.each(['a desktop', 'a phone'])('mark the field of a client that is wrong, and focus it, on %s', async (where) => {
    const page = where === 'a phone' ? phone : web.page;
    await web.open('clients?new=1', page);
    const email = page.getByRole('textbox', { name: 'Email' });
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Add client' });
    await email.fill('harbour');
    const before = headOf(web.panel.dataDir);
    await submit.click();
    const said = page.getByText('Duplicate email: harbour');
    await said.waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => isFocused(email)).toBe(true);
    await expect.poll(() => isSeen(email)).toBe(true);
    await expect.poll(() => isSeen(said)).toBe(true);
    // What the page itself finds wrong gets the focus as well.
    await email.fill('');
    await submit.click();
    await page.getByText('Fill this in.').waitFor();
    await expect.poll(() => isFocused(email)).toBe(true);
    expect(deedsOf(web.panel.dataDir, before)).toStrictEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it.each(['a desktop', 'a phone'])('explain at the switch why a node has a private address, on %s', async (where) => {
    const page = where === 'a phone' ? phone : web.page;
    await web.open('nodes?new=1', page);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Oslo');
    await dialog.getByRole('textbox', { name: 'URL of its panel' }).fill('http://127.0.0.1:9/');
    await dialog.getByRole('textbox', { name: 'API token' }).fill('token');
    await dialog.getByRole('button', { name: 'Add node' }).click();
    const said = dialog.getByText('127.0.0.1 is a private address, or leads to one. Switch this on');
    await said.waitFor();
    const toggle = dialog.getByRole('switch', { name: 'Allow a private address' });
    await expect.poll(() => isFocused(toggle)).toBe(true);
    // The invisible input of a switch lies over all of its texts, so that a click on them changes it.
    await expect.poll(() => isSeen(said)).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('raised no error in the console', () => {
    expect(web.complaints.filter((one) => !one.includes('status of 4'))).toStrictEqual([]);
  });
});
