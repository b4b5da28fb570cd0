import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { cli, must, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { openWebPanel, type WebPanel } from './support.js';
import { settled } from './walk.js';

const found = chromiumFor('the test of reconnects of the web panel');
const EXPIRY = Date.UTC(2031, 5, 15, 12);

describe.skipIf(found === null)('the web panel, after the panel was stopped', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const settings = JSON.stringify({ clients: [clientOf('ahab')], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
  });

  afterAll(async () => web?.close());

  const clientOf = (email: string) => ({ id: crypto.randomUUID(), email, enable: true, expiryTime: EXPIRY });

  it('shows what was changed meanwhile, without a reload', async () => {
    const { page, panel } = web;
    await web.open('clients');
    await settled(page);
    const row = page.getByRole('row').filter({ hasText: 'ahab' });
    await row.getByText('2031').waitFor();
    const { dataDir, ports } = panel;
    await panel.stop();
    await page.getByText('No connection to the panel.').waitFor();
    // What is on the screen stays readable.
    await row.getByText('2031').waitFor();
    const changed = await cli(['config', 'set', 'datepicker', 'jalalian'], dataDir);
    expect([changed.code, changed.stderr]).toStrictEqual([0, '']);

    const again = await startPanel({ dataDir, ports, env: { PORTOLAN_BASE_PATH: '/a/secret/path/' } });
    try {
      const admin = await again.admin();
      const settings = JSON.stringify({ clients: [clientOf('starbuck')] });
      await must(admin.post('/panel/api/inbounds/addClient', { id: 1, settings }));
      await page.getByText('No connection to the panel.').waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: 'starbuck' }).waitFor();
      // The Jalali year of the same day.
      await row.getByText('1410').waitFor();
    } finally {
      await again.stop();
    }
  });

  it('opens a screen whose files could not be loaded meanwhile', async () => {
    const { page, panel } = web;
    await page.getByText('No connection to the panel.').waitFor();
    await page.getByRole('link', { name: 'Geo files' }).click();
    await web.heading('Geo files');
    await page.getByRole('alert').filter({ hasText: 'The panel does not answer.' }).waitFor();
    const { dataDir, ports } = panel;
    const again = await startPanel({ dataDir, ports, env: { PORTOLAN_BASE_PATH: '/a/secret/path/' } });
    try {
      await page.getByText('geoip.dat').first().waitFor();
      await page.getByText('The panel does not answer.').waitFor({ state: 'detached' });
    } finally {
      await again.stop();
    }
  });

  it('raised no error in the console but those of the missing connection', () => {
    expect(web.complaints.filter((one) => !one.includes('could not be loaded'))).toStrictEqual([]);
  });
});
