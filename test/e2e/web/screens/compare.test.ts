import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type Admin, must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { headOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of the comparison in the web panel');

describe.skipIf(found === null)('the comparison of two moments in the web panel', () => {
  let web: WebPanel;
  let admin: Admin;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    admin = await web.panel.admin();
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const add = async (email: string, more: object = {}): Promise<void> => {
    const clients = [{ id: crypto.randomUUID(), email, enable: true, ...more }];
    await must(admin.post('/panel/api/inbounds/addClient', { id: 1, settings: JSON.stringify({ clients }) }));
  };

  it('compares two moments by field, with who changed it, and saves the result', async () => {
    const { page, panel } = web;
    const from = headOf(panel.dataDir);
    await must(admin.post('/panel/api/inbounds/update/1', { remark: 'Port of call' }));
    const renamed = headOf(panel.dataDir);
    await add('queequeg');
    await must(admin.post('/panel/api/inbounds/1/delClientByEmail/queequeg'));
    await add('pip', { totalGB: 5000 });
    const to = headOf(panel.dataDir);
    await web.open('audit');
    await page.getByRole('link', { name: 'Compare' }).click();
    await web.heading('What changed');
    await page.getByText('Choose two moments').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('Choose the first moment.').waitFor();

    await page.getByLabel('From', { exact: true }).selectOption('Event number');
    await page.getByLabel('From: Event number').fill(String(from));
    await page.keyboard.press('Enter');
    await page.getByText('Added: 1, removed: 0, changed: 1').waitFor();
    await page.getByRole('region', { name: 'Clients' }).getByText('pip', { exact: true }).first().waitFor();
    const fields = page.getByRole('region', { name: 'Inbounds' }).getByRole('row').filter({ hasText: 'Name' });
    expect((await fields.getByRole('cell').allTextContents()).join(' → ')).toBe('Harbour → Port of call');
    expect(await fields.textContent()).toContain(panel.username);

    await page.getByRole('button', { name: 'Export' }).click();
    const text = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Text' }).click();
    expect(readFileSync(await (await text).path(), 'utf8')).toContain('Port of call');
    await page.getByRole('button', { name: 'Export' }).click();
    const json = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'JSON' }).click();
    const saved = JSON.parse(readFileSync(await (await json).path(), 'utf8'));
    expect(saved).toMatchObject({ from: { position: from }, to: { position: to }, counts: { added: 1, changed: 1 } });

    await page.getByLabel('To', { exact: true }).selectOption('Event number');
    await page.getByLabel('To: Event number').fill(String(from - 1));
    await page.keyboard.press('Enter');
    await page.getByText(/^The first moment \(position \d+\) is after the second one/).waitFor();
    expect(await page.getByLabel('To: Event number').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('From: Event number').fill('999999');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText(/^"999999" is not a moment of the log/).waitFor();
    expect(await page.getByLabel('From: Event number').getAttribute('aria-invalid')).toBe('true');

    await page.getByRole('button', { name: 'Last hour' }).click();
    await page.getByText(/^Added: 2, removed: 0, changed: /).waitFor();
    await page.getByLabel('What to compare').selectOption('Inbounds');
    await page.getByText('Added: 1, removed: 0, changed: 0').waitFor();
    await page
      .getByRole('region', { name: 'Inbounds' })
      .getByRole('link', { name: `#${renamed}` })
      .first()
      .click();
    await page.waitForURL(new RegExp(`#/audit/${renamed}$`));
    await page.getByRole('dialog').getByRole('heading', { name: 'JSON' }).waitFor();
    expect(headOf(panel.dataDir)).toBe(to);
  });

  it('is opened from the palette and restored from its address', async () => {
    const { page, panel } = web;
    await web.open('overview');
    await web.heading('Overview');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search screens').fill('compare');
    await page.getByText('Compare two moments').waitFor();
    await page.keyboard.press('Enter');
    await web.heading('What changed');
    await web.open(`audit/compare?from=${headOf(panel.dataDir)}&noun=client`);
    await page.getByText('Nothing differs').waitFor();
    expect(await page.getByLabel('What to compare').inputValue()).toBe('client');
  });
});
