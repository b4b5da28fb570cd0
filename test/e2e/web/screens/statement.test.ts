import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { openWebPanel, type WebPanel } from '../support.js';
import { settled } from '../walk.js';

const found = chromiumFor('the test of the page of a client in the web panel');

describe.skipIf(found === null)('the page of a client', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const settings = JSON.stringify({ clients: [{ id: crypto.randomUUID(), email: 'ahab' }], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream, remark: 'Harbour' };
    await must((await web.panel.admin()).post('/panel/api/inbounds/add', { ...inbound, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  it('shows a QR code of each link, and an address for sing-box', async () => {
    const { page } = web;
    await web.open('clients/ahab');
    await web.heading('ahab');
    await page.getByRole('button', { name: 'Show the QR code: vless' }).click();
    await page.getByRole('dialog').getByRole('img', { name: 'QR code: vless' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('radiogroup', { name: 'Subscription' }).getByText('sing-box').click();
    await page.getByTitle(/\?format=sing-box$/).waitFor();
  });

  it('prints the statement, and nothing else of the page', async () => {
    const { page } = web;
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0);
    expect(await page.getByRole('button').count()).toBe(0);
    const text = await page.locator('body').innerText();
    expect(text).toMatch(/^Statement of traffic\s+ahab\s/);
    expect(text).toContain('Closing');
    expect(text).not.toContain('vless://');
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('navigation').first().waitFor();
  });

  it('raised no error in the console', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
