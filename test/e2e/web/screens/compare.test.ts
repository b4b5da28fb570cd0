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

  it('compares a backup of the list, and a file that the admin chooses, with the panel', async () => {
    const { page, panel } = web;
    await add('starbuck');
    await must(admin.post('/panel/api/server/backups/make'));
    const made = await admin.raw('GET', '/panel/api/server/getDb');
    const file = {
      name: 'mine.db',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(await made.arrayBuffer()),
    };
    await must(admin.post('/panel/api/inbounds/1/delClientByEmail/starbuck'));
    const head = headOf(panel.dataDir);
    const removed = page.getByText('Added: 0, removed: 1, changed: 0');
    await web.open('audit/compare');
    // The page has the list of backups from before.
    await page.reload();
    await web.heading('What changed');

    await page.getByLabel('From', { exact: true }).selectOption('Backup');
    await page.getByLabel('From: Backup', { exact: true }).selectOption({ index: 1 });
    await page.getByLabel('What to compare').selectOption('Clients');
    await page.getByRole('button', { name: 'Compare' }).click();
    await removed.waitFor();
    await page.getByRole('region', { name: 'Clients' }).getByText('starbuck', { exact: true }).first().waitFor();
    expect(page.url()).toContain('from=backup');

    await page.getByLabel('From', { exact: true }).selectOption('Backup file');
    expect(await page.getByLabel('To', { exact: true }).locator('option').allTextContents()).not.toContain(
      'Backup file',
    );
    await page.getByLabel('From', { exact: true }).focus();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toContain('Choose a file');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('Choose the file of the backup.').waitFor();
    const choosing = page.waitForEvent('filechooser');
    await page.getByLabel('File', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await (await choosing).setFiles({ ...file, buffer: Buffer.from('not a backup') });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText(/^The backup cannot be compared: /).waitFor();
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('button', { name: 'Compare' }).click();
    await removed.waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const json = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'JSON' }).click();
    expect(JSON.parse(readFileSync(await (await json).path(), 'utf8'))).toMatchObject({
      documents: [{ noun: 'client', name: 'starbuck', change: 'removed' }],
    });

    // A file is not in the address, so a reload asks for it again.
    await page.reload();
    await web.heading('What changed');
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('file');
    await page.getByText('Choose two moments').waitFor();
    expect(headOf(panel.dataDir)).toBe(head);
  });

  it('raised no error in the console and broke no policy', () => {
    // The browser reports each request that the panel refuses.
    expect(web.complaints.filter((one) => !one.includes('status of 4'))).toStrictEqual([]);
  });
});
