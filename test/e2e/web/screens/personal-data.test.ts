import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { closeToasts } from '../../../kit/real/web-session.js';
import { headOf, logOf } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of personal data in the web panel');

describe.skipIf(found === null)('personal data on the page of a client', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const clients = [{ id: crypto.randomUUID(), email: 'ahab', subId: 'captain', comment: 'pays late' }];
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
    await web.open('clients/ahab');
    await web.heading('ahab');
  });

  afterAll(async () => web?.close());

  const head = (): number => headOf(web.panel.dataDir);
  const deeds = (after: number): readonly RecordedEvent[] =>
    logOf(web.panel.dataDir, after).filter(({ meta }) => meta.actor.kind === 'user');
  const section = () => web.page.getByRole('region', { name: 'Personal data' });
  const inDialog = (name: string) => web.page.getByRole('dialog').getByRole('button', { name, exact: true });

  it('is downloaded as JSON, with credentials or masked, and each export is recorded', async () => {
    const { page } = web;
    const before = head();
    const saved = async (item: string): Promise<Record<string, unknown>> => {
      await section().getByRole('button', { name: 'Export data' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: item, exact: true }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('personal-data-ahab.json');
      return JSON.parse(await readFile(await file.path(), 'utf8')) as Record<string, unknown>;
    };
    expect(await saved('JSON with credentials')).toMatchObject({
      ...{ email: 'ahab', masked: false },
      accounts: [{ identity: { subId: 'captain', comment: 'pays late' } }],
    });
    expect(await saved('JSON with masked credentials')).toMatchObject({
      ...{ email: 'ahab', masked: true },
      accounts: [{ identity: { subId: '••••tain' } }],
    });
    expect(deeds(before)).toMatchObject([
      { type: 'PersonalDataExported', data: { masked: false } },
      { type: 'PersonalDataExported', data: { masked: true } },
    ]);
    await closeToasts(page);
  });

  it('is kept by a legal hold, which refuses an erasure until its release', async () => {
    const { page } = web;
    const before = head();
    await section().getByRole('button', { name: 'Legal hold…' }).click();
    await inDialog('Place the hold').click();
    await page.getByRole('dialog').getByText('Fill this in.').waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).fill('case 117');
    await page.getByLabel('Measurements from').fill('2026-03-01');
    await page.getByLabel('Measurements to').fill('2026-03-31');
    await inDialog('Place the hold').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await section().getByText('case 117').waitFor();
    await closeToasts(page);

    await section().getByRole('button', { name: 'Erase data…' }).click();
    await inDialog('Erase for good').click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'hold 1' }).waitFor();
    await inDialog('Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await section().getByRole('button', { name: 'Release' }).click();
    await page.getByRole('textbox', { name: 'Reason for the release' }).fill('closed');
    await inDialog('Release').click();
    await section().getByText('No legal hold.').waitFor();
    expect(deeds(before)).toMatchObject([
      { type: 'LegalHoldPlaced', data: { clients: [1], details: { reason: 'case 117' } } },
      { type: 'LegalHoldReleased', data: { hold: 1 } },
    ]);
    await closeToasts(page);
  });

  it('is erased after one question, and the certificate is shown and saved', async () => {
    const { page } = web;
    const before = head();
    await section().getByRole('button', { name: 'Erase data…' }).click();
    const question = page.getByRole('dialog', { name: 'Erase the personal data of ahab?' });
    await question.getByText('All accounts with this email').waitFor();
    expect(deeds(before)).toStrictEqual([]);
    await question.getByRole('textbox', { name: 'Reason' }).fill('request of 3 March');
    await inDialog('Erase for good').click();
    const certificate = page.getByRole('dialog', { name: 'The personal data was erased' });
    await certificate.getByText('request of 3 March').waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), inDialog('Save as text').click()]);
    const text = await readFile(await file.path(), 'utf8');
    expect(text).not.toContain('ahab');
    const types = deeds(before).map(({ type }) => type);
    expect(types).toContain('ClientDeleted');
    expect(types).toContain('DataKeyDestroyed');
    const [erased] = deeds(before).filter(({ type }) => type === 'PersonalDataErased');
    expect(erased?.data).toMatchObject({ clients: [1], details: { reason: 'request of 3 March' } });
    expect(text).toContain(String(erased?.position));
    await inDialog('Done').click();
    await web.heading('Clients');
    await page.getByText('No clients yet').waitFor();
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
