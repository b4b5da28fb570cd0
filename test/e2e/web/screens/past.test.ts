import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { headOf, logOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of earlier moments in the web panel');

describe.skipIf(found === null)('an earlier moment in the web panel', () => {
  let web: WebPanel;
  /** The last event before the changes that the page must not show. */
  let then = 0;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const clients = [{ id: crypto.randomUUID(), email: 'ahab', comment: 'pays late' }];
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
    await must(admin.post('/panel/setting/update', { remarkModel: '-ieo' }));
    then = headOf(web.panel.dataDir);
    const later = { ...inbound, settings: '{"clients":[],"decryption":"none"}', remark: 'Lighthouse' };
    await must(admin.post('/panel/api/inbounds/add', { ...later, port: await freePort() }));
    await must(admin.post('/panel/setting/update', { remarkModel: '-oei', subTitle: 'Later' }));
    await must(admin.post('/panel/api/inbounds/1/delClientByEmail/ahab'));
  });

  afterAll(async () => web?.close());

  const banner = () => web.page.getByText(/^Showing .+, position .+ – read-only\.$/);
  const deeds = (after: number) =>
    logOf(web.panel.dataDir, after).filter(({ meta: { actor } }) => actor.kind === 'user');
  const at = (screen: string): string => `${web.panel.url}/?at=${then}#/${screen}`;

  it('is opened from an event, names its time and position, and stays while screens are opened', async () => {
    const { page } = web;
    await web.open(`audit/${then}`);
    await page.getByRole('link', { name: 'Show the panel at this moment' }).click();
    await banner().waitFor();
    expect(await banner().innerText()).toContain(`position ${then.toLocaleString('en')} `);
    await web.heading('Inbounds');
    await page.getByText('Harbour').first().waitFor();
    expect(await page.getByText('Lighthouse').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add inbound' }).count()).toBe(0);

    await page.getByRole('link', { name: 'Clients', exact: true }).click();
    await page.getByRole('link', { name: 'ahab' }).click();
    await web.heading('ahab');
    await page.getByRole('region', { name: 'Terms and usage' }).getByText('pays late').waitFor();
    await page.getByRole('region', { name: 'Usage by day' }).waitFor();
    await banner().waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(String(then));
    const content = page.locator('#content');
    for (const name of ['Edit', 'Disable', 'Export data', 'Erase data…'])
      expect(await content.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Subscription and links' }).count()).toBe(0);
  });

  it('shows nodes, settings and the core as they were, without a way to change them', async () => {
    const { page } = web;
    await page.goto(at('nodes'));
    await web.heading('Nodes');
    await page.getByText('No nodes yet').waitFor();
    expect(await page.getByRole('button', { name: 'Add node' }).count()).toBe(0);

    await page.goto(at('settings?search=subTitle'));
    await web.heading('Settings');
    const title = page.locator('#setting-subTitle');
    await title.waitFor();
    expect(await title.inputValue()).toBe('');
    expect(await title.isDisabled()).toBe(true);

    await page.goto(at('core'));
    await page.getByRole('tab', { name: 'Template' }).click();
    await page.getByRole('tabpanel').getByText('outbounds').first().waitFor();
    expect(await page.getByRole('tab', { name: 'State' }).count()).toBe(0);
    await banner().waitFor();
  });

  it('ignores what happens now, and has no screens of the present', async () => {
    const { page, panel } = web;
    let sockets = 0;
    page.on('websocket', () => (sockets += 1));
    await page.goto(at('inbounds'));
    await page.getByText('Harbour').first().waitFor();
    const admin = await panel.admin();
    await must(admin.post('/panel/api/inbounds/update/1', { remark: 'Renamed' }));
    await page.reload();
    await page.getByText('Harbour').first().waitFor();
    expect(sockets).toBe(0);
    expect(await page.getByText('Renamed').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Backups', exact: true }).count()).toBe(0);
    await page.goto(at('backups'));
    await page.getByText('Backups has no earlier time').waitFor();
    expect(deeds(then).filter(({ meta }) => meta.actor.kind === 'user').length).toBeGreaterThan(0);
  });

  it('says how many documents were erased since', async () => {
    const { page, panel } = web;
    await page.goto(at('clients'));
    await page.getByRole('link', { name: 'ahab' }).waitFor();
    expect(await page.getByText(/erased since/).count()).toBe(0);
    const admin = await panel.admin();
    await must(admin.post('/panel/api/personalData/erase/ahab', { reason: 'request' }));
    await page.reload();
    await page.getByText('The data of 1 item was erased since.').waitFor();
    await page.getByText('erased-1', { exact: true }).first().waitFor();
    expect(await page.getByRole('link', { name: 'ahab' }).count()).toBe(0);
  });

  it('is chosen by its position or its time in the view menu, and left again', async () => {
    const { page } = web;
    await page.goto(`${web.panel.url}/#/clients`);
    await page.getByText('No clients yet').waitFor();
    const before = headOf(web.panel.dataDir);
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('button', { name: 'Show an earlier time…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Show an earlier time' });
    await dialog.getByText('Position', { exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Position' }).fill(String(then));
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('erased-1', { exact: true }).first().waitFor();

    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.getByText('Time', { exact: true }).click();
    await dialog.getByLabel('Time', { exact: true }).last().fill('2001-01-01T00:00');
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('alert').first().waitFor();

    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByText('No clients yet').waitFor();
    expect(await banner().count()).toBe(0);
    expect(new URL(page.url()).search).toBe('');
    expect(deeds(before)).toStrictEqual([]);
  });

  it('raised no error in the console and broke no policy', () => {
    // The browser reports each request that the panel refuses.
    expect(web.complaints.filter((one) => !one.includes('status of 4'))).toStrictEqual([]);
  });
});
