import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/events/catalog.js';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must } from '../../../kit/real/panel-process.js';
import { freePort } from '../../../kit/real/ports.js';
import { closeToasts } from '../../../kit/real/web-session.js';
import { headOf, logOf, recorded } from '../../support.js';
import { openWebPanel, type WebPanel } from '../support.js';

const found = chromiumFor('the test of the clients in the web panel');
/** A name that would run if it were taken for markup, and that would end the path of its screen. */
const HOSTILE = '<img src=x onerror="document.title=1"%2F?#&"';
const MANY = 25_000;

describe.skipIf(found === null)('the clients in the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const settings = JSON.stringify({ clients: [], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    for (const remark of ['Harbour', 'Lighthouse'])
      await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark, port: await freePort() }));
  });

  afterAll(async () => web?.close());

  /** What admins appended after a position. */
  const deeds = (after: number): readonly RecordedEvent[] =>
    logOf(web.panel.dataDir, after).filter(({ meta }) => meta.actor.kind === 'user');
  const typesSince = (after: number): readonly string[] => deeds(after).map(({ type }) => type);
  const head = (): number => headOf(web.panel.dataDir);
  const button = (name: string, exact = true) => web.page.getByRole('button', { name, exact });
  const inDialog = (name: string) => web.page.getByRole('dialog').getByRole('button', { name, exact: true });
  const undo = async (toast: string): Promise<void> => {
    const alert = web.page.getByRole('alert').filter({ hasText: toast });
    await alert.getByRole('button', { name: 'Undo' }).click();
    // A toast stays as long as the pointer is over it.
    const done = web.page.getByRole('alert').filter({ hasText: 'The change was undone.' });
    await done.getByRole('button', { name: 'Close' }).click();
    await done.waitFor({ state: 'detached' });
  };
  const menu = async (email: string, item: string): Promise<void> => {
    await web.page.getByRole('button', { name: `Actions for ${email}` }).click();
    await web.page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  it('are added with all terms, and several at once with numbers', async () => {
    const { page, panel } = web;
    await web.open('clients');
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Email' }).fill('ahab');
    await form.getByLabel('Traffic cap').fill('50');
    await form.getByText('On a date', { exact: true }).click();
    await form.getByRole('button', { name: '30 days' }).click();
    await form.getByLabel('IP limit').fill('2');
    await form.getByLabel('Subscription ID', { exact: true }).fill('captain');
    await form.getByLabel('Telegram chat ID').fill('4711');
    await form.getByRole('textbox', { name: 'Comment' }).fill('pays late');
    await inDialog('Add client').click();
    await form.waitFor({ state: 'hidden' });
    await closeToasts(page);
    const added = recorded(panel.dataDir, 'ClientAdded').at(-1);
    expect(added?.data).toMatchObject({
      spec: { capBytes: 50 * 1024 ** 3, limitIp: 2, enabled: true },
      identity: { email: 'ahab', subId: 'captain', tgId: 4711, comment: 'pays late' },
    });
    expect(added?.data.spec.expiresAt).toBeGreaterThan(Date.now() + 29 * 86_400_000);

    const before = head();
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    await form.getByRole('textbox', { name: 'Email' }).fill('sailor');
    await form.getByLabel('How many').fill('3');
    await form.getByText('sailor-1, sailor-2, sailor-3').waitFor();
    await inDialog('Add 3 clients').click();
    await form.waitFor({ state: 'hidden' });
    const emails = deeds(before).map((event) => event.type === 'ClientAdded' && event.data.identity.email);
    expect(emails).toStrictEqual(['sailor-1', 'sailor-2', 'sailor-3']);
    await page.getByText(/^4 clients/).waitFor();
    await closeToasts(page);
  });

  it('keep the form when the panel refuses, with its sentence', async () => {
    const { page } = web;
    const before = head();
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    await page.getByRole('textbox', { name: 'Email' }).fill('ahab');
    await inDialog('Add client').click();
    await page.getByRole('dialog').getByText('Duplicate email: ahab').waitFor();
    expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('ahab');
    await inDialog('Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(deeds(before)).toStrictEqual([]);
  });

  it('have a page with their state, terms, links and history, which the keyboard opens', async () => {
    const { page } = web;
    // The dialog before returns the focus to its button a moment after it has closed.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add client');
    await page.keyboard.press('/');
    await page.keyboard.type('ahab');
    await page.getByText(/^1 client/).waitFor();
    const before = head();
    await menu('ahab', 'Extend');
    await inDialog('Extend').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await undo('Clients extended: 1');
    expect(deeds(before)).toMatchObject([{ type: 'ClientUpdated' }, { type: 'ClientUpdated' }]);
    await page.getByRole('link', { name: 'ahab' }).focus();
    await page.keyboard.press('Enter');
    await web.heading('ahab');
    expect(await page.title()).toBe('ahab · Portolan');
    await page.getByText('no expiry').or(page.getByText('left of')).first().waitFor();
    await page.getByRole('img', { name: 'QR code: Subscription' }).waitFor();
    await page.getByRole('region', { name: 'Subscription and links' }).getByText('vless://').waitFor();
    await page.getByRole('region', { name: 'History' }).getByRole('listitem').first().waitFor();
    await page.getByRole('region', { name: 'Usage by day' }).getByText('No traffic in this period.').waitFor();
    const region = page.getByRole('region', { name: 'Terms and usage' });
    await region.getByText('pays late').waitFor();
    expect(await region.getByText('50 GB').count()).toBe(1);
    await page
      .getByRole('group', { name: 'Configuration for this inbound' })
      .getByRole('button', { name: 'Clash' })
      .click();
    await page.getByRole('dialog').getByText('proxy-groups').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button('Enlarge the QR code: Subscription').click();
    await page.getByRole('dialog', { name: 'Subscription' }).waitFor();
    await page.keyboard.press('Escape');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the QR code as PNG' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('ahab.png');
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'CSV' }).click()]);
    expect(csv.suggestedFilename()).toMatch(/\.csv$/);
  });

  it('are changed on their page, and each change can be undone', async () => {
    const { page } = web;
    let before = head();
    await button('Edit').click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('paid');
    await page.getByLabel('Traffic cap').fill('60');
    await inDialog('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByText('paid', { exact: true }).waitFor();
    expect(deeds(before)).toMatchObject([
      { type: 'ClientUpdated', data: { changes: { capBytes: 60 * 1024 ** 3 } } },
      { type: 'ClientIdentityChanged', data: { identity: { comment: 'paid', subId: 'captain' } } },
    ]);

    before = head();
    await button('Disable').click();
    await page.getByText('Cannot connect', { exact: true }).first().waitFor();
    await undo('ahab is disabled.');
    expect(deeds(before)).toMatchObject([
      { type: 'ClientUpdated', data: { changes: { enabled: false } } },
      { type: 'ClientUpdated', data: { changes: { enabled: true } } },
    ]);

    before = head();
    await menu('ahab', 'Add traffic');
    await page.getByRole('dialog').getByText('Changed, connection unaffected: 1').waitFor();
    await inDialog('100 GB').click();
    await inDialog('Add traffic').click();
    await page.getByRole('region', { name: 'Terms and usage' }).getByText('160 GB').waitFor();
    expect(deeds(before)).toMatchObject([{ type: 'ClientUpdated', data: { changes: { capBytes: 160 * 1024 ** 3 } } }]);
  });

  it('come back with their links and counters when a deletion is undone', async () => {
    const { page, panel } = web;
    const admin = await panel.admin();
    const counters = { upload: 1000, download: 2000 };
    await must(admin.post('/panel/api/inbounds/updateClientTraffic/ahab', counters));
    const credential = recorded(panel.dataDir, 'ClientAdded')[0]?.data.credential;
    const before = head();
    await menu('ahab', 'Delete');
    await inDialog('Delete').click();
    // The page stays, and tells the end of the client.
    await page.getByText('Cannot connect', { exact: true }).first().waitFor();
    await page.getByRole('region', { name: 'History' }).getByText('deleted').first().waitFor();
    await undo('ahab was deleted.');
    await page.getByRole('region', { name: 'Terms and usage' }).getByText('160 GB').waitFor();
    expect(typesSince(before)).toStrictEqual(['ClientDeleted', 'ClientAdded', 'ClientTrafficAdjusted']);
    expect(recorded(panel.dataDir, 'ClientAdded', before)[0]?.data).toMatchObject({
      identity: { email: 'ahab', subId: 'captain', comment: 'paid' },
      credential,
    });
    expect(recorded(panel.dataDir, 'ClientTrafficAdjusted', before)[0]?.data).toMatchObject({ up: 1000, down: 2000 });
  });

  it('with hostile names stay text, and have a page of their own', async () => {
    const { page, panel } = web;
    const admin = await panel.admin();
    const client = { id: crypto.randomUUID(), email: HOSTILE.replaceAll('>', ''), comment: HOSTILE };
    await must(admin.post('/panel/api/inbounds/addClient', { id: 2, settings: JSON.stringify({ clients: [client] }) }));
    await web.open('clients');
    await page.getByRole('link', { name: client.email }).click();
    await web.heading(client.email);
    await page.getByRole('region', { name: 'Terms and usage' }).getByText(HOSTILE).waitFor();
    expect(await page.title()).toBe(`${client.email} · Portolan`);
  });

  it('are changed together after a preview, and the change is undone as one', async () => {
    const { page } = web;
    await web.open('clients?search=sailor');
    await page.getByText(/^3 clients/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    const before = head();
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).click();
    const cut = page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'Lose the connection: 3' });
    for (const name of ['sailor-1', 'sailor-2', 'sailor-3']) await cut.getByText(name, { exact: true }).waitFor();
    await inDialog('Show as curl').click();
    await page.getByRole('dialog').getByText('/panel/api/clients/change').waitFor();
    expect(typesSince(before)).toStrictEqual([]);
    await inDialog('Disable').click();
    await undo('Clients disabled: 3');
    const changes = recorded(web.panel.dataDir, 'ClientUpdated', before).map(({ data }) => data.changes);
    expect(changes).toStrictEqual([false, false, false, true, true, true].map((enabled) => ({ enabled })));

    const after = head();
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await inDialog('Delete').click();
    await page.getByText('No client matches').waitFor();
    expect(typesSince(after)).toStrictEqual(['ClientDeleted', 'ClientDeleted', 'ClientDeleted']);
  });

  it(`are searched, scrolled and selected among ${MANY}`, async () => {
    const { page, panel } = web;
    const admin = await panel.admin();
    const clients = Array.from({ length: MANY }, (_, n) => ({ id: crypto.randomUUID(), email: `whale-${10_000 + n}` }));
    await must(admin.post('/panel/api/inbounds/addClient', { id: 1, settings: JSON.stringify({ clients }) }));
    await web.open('clients?inbound=1');
    await page.getByText(/^25,001 clients/).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('table').evaluate((table) => table.parentElement?.scrollTo(0, table.scrollHeight));
    await page.getByRole('link', { name: 'whale-34999' }).waitFor();
    await page.getByRole('searchbox').fill('whale-2000');
    await page.getByText(/^10 clients/).waitFor();
    await page.getByRole('link', { name: 'whale-20009' }).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText(/^25,001 clients/).waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('Selected: 25,001').waitFor();
    await page.getByRole('checkbox', { name: 'Select client' }).first().uncheck();
    await page.getByText('Selected: 25,000').waitFor();
    await page.getByRole('toolbar').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('Lose the connection: 25,000').waitFor();
    await inDialog('Cancel').click();
  });

  it('fit a phone, also from right to left, with a QR code on the whole screen', async () => {
    const small = await web.another({ viewport: { width: 390, height: 844 }, locale: 'fa' });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await web.open('clients?search=ahab', small);
    await web.heading('کاربران', small);
    await small.getByRole('link', { name: 'ahab' }).click();
    await web.heading('ahab', small);
    await small.getByRole('img', { name: 'کد QR' }).first().waitFor();
    expect(await small.evaluate(overflow)).toBe(0);
    await small.getByRole('button', { name: 'تمام‌صفحه' }).click();
    // It grows to its size.
    const size = async (): Promise<readonly number[]> => {
      const { width = 0, height = 0 } = (await small.getByRole('dialog').boundingBox()) ?? {};
      return [Math.round(width), Math.round(height)];
    };
    await expect.poll(size).toStrictEqual([390, 844]);
    await small.context().close();
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
