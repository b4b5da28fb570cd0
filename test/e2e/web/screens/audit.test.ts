import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type Admin, must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { headOf, recorded } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of the audit in the web panel');
/** A name that would run if it were taken for markup, and that would end the path of its screen. */
const HOSTILE = '<img src=x onerror="document.title=1"%2F?#&"';

describe.skipIf(found === null)('the audit in the web panel', () => {
  let web: WebPanel;
  let admin: Admin;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    admin = await web.panel.admin();
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
    await add('ahab', { totalGB: 1000 });
    await add(HOSTILE);
    await must(admin.post('/panel/api/inbounds/updateClientTraffic/ahab', { upload: 2000, download: 0 }));
  });

  afterAll(async () => web?.close());

  const add = async (email: string, more: object = {}): Promise<void> => {
    const clients = [{ id: crypto.randomUUID(), email, enable: true, ...more }];
    await must(admin.post('/panel/api/inbounds/addClient', { id: 1, settings: JSON.stringify({ clients }) }));
  };
  const rows = () => web.page.getByRole('table', { name: 'Audit' }).getByRole('row');
  const event = (sentence: string | RegExp) => web.page.getByRole('link', { name: sentence }).first();
  const drawer = () => web.page.getByRole('dialog');

  it('lists the log with the newest event first, and filters it in the address', async () => {
    const { page, panel } = web;
    await web.open('audit');
    await web.heading('Audit');
    await rows().filter({ hasText: HOSTILE }).first().waitFor();
    const head = headOf(panel.dataDir);
    expect(await rows().nth(1).textContent()).toContain(`#${head}`);
    expect(await page.title()).toBe('Audit · Portolan');

    await page.getByLabel('Event type').selectOption('group:inbounds');
    await page.getByText('1 event', { exact: true }).waitFor();
    expect(page.url()).toMatch(/#\/audit\?kind=group%3Ainbounds$/);
    expect(await rows().nth(1).textContent()).toContain('Harbour was added: vless on port');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('searchbox', { name: 'Client (email)' }).fill('ahab');
    await page.keyboard.press('Enter');
    await page.getByText('3 events', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('3 events', { exact: true }).waitFor();
    expect(headOf(panel.dataDir)).toBe(head);
  });

  it('undoes a command after a preview of what that would do', async () => {
    const { page, panel } = web;
    await must(admin.post('/panel/api/inbounds/setEnable/1', { enable: false }));
    await web.open(`audit/${headOf(panel.dataDir)}`);
    await drawer().getByRole('button', { name: 'Undo…' }).click();
    await drawer().getByRole('heading', { name: 'What undoing this would do' }).waitFor();
    await drawer().getByText('Could connect again').waitFor();
    expect(recorded(panel.dataDir, 'InboundEnabled')).toHaveLength(0);
    await drawer().getByRole('button', { name: 'Show as curl' }).click();
    await drawer()
      .getByText(/panel\/api\/events\/\d+\/undo/)
      .waitFor();
    await drawer().getByRole('button', { name: 'Undo now' }).click();
    await page.getByText('The change was undone').waitFor();
    expect(recorded(panel.dataDir, 'InboundEnabled')).toHaveLength(1);
  });

  it('shows the values before an event, and the cause that it leads to', async () => {
    const { page, panel } = web;
    await web.open('audit?client=ahab');
    // Until then the rows are those of the list before.
    await page.getByText('3 events', { exact: true }).waitFor();
    await event(/was cut off/).click();
    await drawer().getByRole('heading', { name: 'This happened because of' }).waitFor();
    const cause = recorded(panel.dataDir, 'ClientTrafficAdjusted').at(-1);
    await drawer()
      .getByRole('link', { name: /had its traffic counters set/ })
      .click();
    await drawer().getByRole('heading', { name: 'What it caused' }).waitFor();
    expect(page.url()).toContain(`#/audit/${cause?.position}?client=ahab`);
    const changed = drawer().getByRole('row').filter({ hasText: 'Bytes up' });
    expect((await changed.getByRole('cell').allTextContents()).join(' ')).toBe('0\u00a0B 1.95 kB');
    expect(await drawer().locator('pre').textContent()).toContain('"type": "ClientTrafficAdjusted"');
  });

  it('shows no secret, and names as text', async () => {
    const { page, panel } = web;
    const added = recorded(panel.dataDir, 'ClientAdded').at(-1);
    await web.open(`audit/${added?.position}`);
    await drawer().getByRole('row').filter({ hasText: 'Credentials' }).getByText('Secret, not shown').waitFor();
    const text = await drawer().textContent();
    expect(text).toContain(HOSTILE);
    expect(text).not.toContain(added?.data.credential.id);
    expect(await page.title()).toBe('Audit · Portolan');
    await page.keyboard.press('Escape');
    await drawer().waitFor({ state: 'hidden' });
  });

  it('says how many events are new, and shows them when the admin wants', async () => {
    const { page } = web;
    await web.open('audit');
    await event(/was cut off/).waitFor();
    const first = await rows().nth(1).textContent();
    await add('starbuck');
    const news = page.getByRole('button', { name: '1 new event' });
    await news.waitFor();
    expect(await rows().nth(1).textContent()).toBe(first);
    await news.click();
    await rows().nth(1).filter({ hasText: 'starbuck' }).waitFor();
    await news.waitFor({ state: 'hidden' });
  });

  it('exports what the filters show, and verifies the chain', async () => {
    const { page, panel } = web;
    await web.open('audit?client=ahab');
    await page.getByText('3 events', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV (spreadsheet)' }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
    const lines = readFileSync(await saved.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines.slice(1).every((line) => line.includes(',ahab,'))).toBe(true);

    await page.getByRole('button', { name: 'Hash chain' }).click();
    await drawer()
      .getByText(`#${headOf(panel.dataDir)}`, { exact: true })
      .waitFor();
    await drawer().getByRole('button', { name: 'Verify now' }).click();
    await drawer()
      .getByText(/^All hashes up to/)
      .waitFor();
    await page.keyboard.press('Escape');
    await drawer().waitFor({ state: 'hidden' });
  });

  it('shows the last published head, and that the log still contains it', async () => {
    const { page } = web;
    await web.open('audit');
    await page.getByRole('button', { name: 'Hash chain' }).click();
    const part = drawer().getByRole('region', { name: 'Last published head' });
    await part.getByText('No head has been published yet.').waitFor();
    await page.keyboard.press('Escape');
    const { head } = await must(admin.post<{ head: { position: number } }>('/panel/api/proof/publish'));
    await page.reload();
    await page.getByRole('button', { name: 'Hash chain' }).click();
    await part.getByText(`#${head.position}`, { exact: true }).waitFor();
    await part.getByText('Contains the published head').waitFor();
    await page.keyboard.press('Escape');
  });

  it('shows a refused filter with the sentence of the panel, and what no event matches', async () => {
    const { page } = web;
    await web.open('audit?client=unknown');
    await page.getByText('Client unknown not found').waitFor();
    await web.open('audit?ip=198.51.100.7');
    await page.getByText('No events match').waitFor();
    await page.locator('#content').getByRole('button', { name: 'Clear filters' }).last().click();
    await event(/was cut off/).waitFor();
  });

  it('lists the clients of an event about many', async () => {
    const { panel } = web;
    const crew = Array.from({ length: 9 }, (_, n) => `crew-${n}`);
    const clients = crew.map((email) => ({ id: crypto.randomUUID(), email, enable: true }));
    await must(admin.post('/panel/api/inbounds/addClient', { id: 1, settings: JSON.stringify({ clients }) }));
    await must(admin.post('/panel/api/clients/change', { action: 'disable', search: 'crew-' }));
    const many = recorded(panel.dataDir, 'ClientsUpdated').at(-1);
    await web.open(`audit/${many?.position}`);
    const members = drawer().getByRole('region', { name: 'Clients', exact: true });
    for (const email of crew) await members.getByText(email, { exact: true }).waitFor();
  });

  it('is usable on a phone and in Persian, without a complaint of the browser', async () => {
    const phone = await web.another({ viewport: { width: 390, height: 844 }, locale: 'en' });
    await web.open('audit?client=ahab', phone);
    await phone.getByRole('link', { name: /was cut off/ }).click();
    await phone.getByRole('dialog').getByRole('heading', { name: 'JSON' }).waitFor();
    const persian = await web.another({ viewport: { width: 1440, height: 900 }, locale: 'fa' });
    await web.open('audit?client=ahab', persian);
    await web.heading('گزارش تغییرات', persian);
    await persian.getByRole('link', { name: /قطع شد/ }).waitFor();
    expect(web.complaints).toStrictEqual([]);
  });
});
