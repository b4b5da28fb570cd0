import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../src/events/catalog.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { headOf, logOf } from '../support.js';
import { openWebPanel, type WebPanel } from './support.js';

const found = chromiumFor('the test of two admins and of the messages');

/** Buttons, links and inputs that a message covers in part. What has scrolled below the strip of the messages is not visible. */
const COVERED = `[...document.querySelectorAll('button, a[href], input, select, textarea, [role=tab]')]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const points = [[left + 1, top + 1], [right - 1, bottom - 1], [(left + right) / 2, (top + bottom) / 2]];
    return points.some(([x, y]) => {
      const stack = document.elementsFromPoint(x, y);
      const above = stack.slice(0, Math.max(0, stack.indexOf(one)));
      const isCovered = above.some((other) => other.closest('.mantine-Notifications-root'));
      return isCovered && !one.closest('.mantine-Notifications-root') && !above.some((other) => 'toasts' in other.dataset);
    });
  })
  .map((one) => one.getAttribute('aria-label') ?? one.textContent)`;

describe.skipIf(found === null)('two admins, and Undo in the messages', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const client = (email: string) => ({ email, id: crypto.randomUUID(), subId: `sub-${email}`, enable: true });
    for (const remark of ['Harbour', 'Quay']) {
      const clients = ['ada', 'ben'].map((name) => client(`${name}-${remark}`.toLowerCase()));
      const settings = JSON.stringify({ clients, decryption: 'none' });
      const stream = { streamSettings: '{"network":"tcp","security":"none"}' };
      const body = { remark, protocol: 'vless', port: await freePort(), listen: '127.0.0.1', enable: true, settings };
      await must(admin.post('/panel/api/inbounds/add', { ...body, ...stream }));
    }
  });

  afterAll(async () => {
    await web?.close();
  });

  const deeds = (after: number): readonly RecordedEvent[] =>
    logOf(web.panel.dataDir, after).filter(({ meta }) => meta.actor.kind === 'user');
  const row = (name: string, page: Page) => page.getByRole('row').filter({ hasText: name });
  const menu = async (name: string, item: string, page: Page): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };
  /** An admin in another browser. */
  const logIn = async (): Promise<Page> => {
    const page = await web.another({ locale: 'en', storageState: { cookies: [], origins: [] } });
    await web.open('clients', page);
    await page.getByLabel('User name').fill(web.panel.username);
    await page.locator('input[name=password]').fill(web.panel.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    return page;
  };
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
  const undo = (text: string, page: Page) =>
    page.getByRole('alert').filter({ hasText: text }).getByRole('button', { name: 'Undo' });

  it('shows the later one what changed in the client meanwhile, and overwrites nothing', async () => {
    const first = web.page;
    const second = await logIn();
    for (const page of [first, second]) {
      await web.open('clients', page);
      await menu('ada-harbour', 'Edit', page);
      await page.getByLabel('Traffic cap').waitFor();
    }
    await first.getByRole('textbox', { name: 'Comment', exact: true }).fill('mine');
    await first.getByLabel('IP limit').fill('3');
    await second.getByRole('textbox', { name: 'Comment', exact: true }).fill('theirs');
    await second.getByLabel('Traffic cap').fill('5');
    const before = headOf(web.panel.dataDir);
    await save(second).click();
    await second.getByRole('dialog').waitFor({ state: 'hidden' });

    const notice = first.getByRole('alert').filter({ hasText: 'Another admin has changed this client' });
    await notice.waitFor();
    expect(await save(first).isDisabled()).toBe(true);
    expect(await notice.textContent()).toMatch(/Traffic cap.*5 GB.*Comment.*theirs.*mine/);
    await notice.getByRole('button', { name: 'Continue with these values' }).click();
    await save(first).click();
    await first.getByRole('dialog').waitFor({ state: 'hidden' });
    const changes = deeds(before).map(({ type, data }) => ({ type, data }));
    expect(changes).toMatchObject([
      { type: 'ClientUpdated', data: { changes: { capBytes: 5 * 1024 ** 3 } } },
      { type: 'ClientIdentityChanged', data: { identity: { comment: 'theirs' } } },
      { type: 'ClientUpdated', data: { changes: { limitIp: 3 } } },
      { type: 'ClientIdentityChanged', data: { identity: { comment: 'mine' } } },
    ]);
    expect(changes).toHaveLength(4);

    // Undo takes back the own save alone.
    await first.getByRole('button', { name: 'Undo' }).first().click();
    await first.getByText('The change was undone.').waitFor();
    const admin = await web.panel.admin();
    const [details] = await must(admin.get<{ client: object }[]>('/panel/api/clients/ada-harbour/details'));
    expect(details?.client).toMatchObject({ comment: 'theirs', limitIp: 0, totalGB: 5 * 1024 ** 3 });
    await second.close();
  });

  it('brings a deleted inbound back with its clients and their links', async () => {
    const { page } = web;
    const admin = await web.panel.admin();
    const links = async () => must(admin.get<string[]>('/panel/api/inbounds/getSubLinks/sub-ada-quay'));
    const former = await links();
    expect(former).toHaveLength(1);
    await web.open('inbounds');
    const before = headOf(web.panel.dataDir);
    await menu('Quay', 'Delete', page);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row('Quay', page).waitFor({ state: 'detached' });
    expect(await links()).toStrictEqual([]);
    await undo('Inbound has been successfully deleted', page).click();
    await page.getByText('The change was undone.').waitFor();
    await row('Quay', page).waitFor();
    expect(await links()).toStrictEqual(former);
    expect(deeds(before).map(({ type }) => type)).toStrictEqual([
      ...['ClientDeleted', 'ClientDeleted', 'InboundDeleted'],
      ...['CommandUndone', 'InboundAdded', 'ClientAdded', 'ClientAdded'],
    ]);
  });

  it.each([
    ['a phone', 'ben-harbour', { width: 390, height: 844 }],
    ['a wide screen', 'ben-quay', { width: 1440, height: 900 }],
  ])('covers no button with a message on %s', async (_, email, viewport) => {
    const page = await web.another({ viewport, locale: 'en' });
    const covered = async () => page.evaluate(COVERED);
    await web.open('clients', page);
    await page.getByRole('switch', { name: `${email} enabled` }).click();
    await undo(`${email} is disabled.`, page).waitFor();
    await expect.poll(covered).toStrictEqual([]);
    await menu(email, 'Edit', page);
    await page.getByLabel('Traffic cap').waitFor();
    await save(page).waitFor();
    await expect.poll(covered).toStrictEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await undo(`${email} is disabled.`, page).click();
    await page.getByText('The change was undone.').waitFor();
    await page.goto(`${web.panel.url}/#/settings`);
    await page.getByRole('searchbox').waitFor();
    await expect.poll(covered).toStrictEqual([]);
    await page.close();
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
