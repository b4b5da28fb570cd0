import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { headOf, logOf } from '../support.js';
import { openWebPanel, textsOf, type WebPanel } from './support.js';
import { settled, walk } from './walk.js';

const found = chromiumFor('the test of the languages of the web panel');
const EXPIRY = Date.UTC(2031, 5, 15, 12);
const END_OF_DAY = Date.parse('2031-06-15T23:59:59+03:30');
/** The Jalali year of that day, in Persian digits. */
const JALALI_YEAR = '۱۴۱۰';

describe.skipIf(found === null)('the web panel from right to left', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const client = { id: crypto.randomUUID(), email: 'ahab', enable: true, expiryTime: EXPIRY };
    const settings = JSON.stringify({ clients: [client], decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
    await must(admin.post('/panel/setting/update', { datepicker: 'jalalian' }));
    const place = { scheme: 'http', host: '127.0.0.1', port: await freePort(), basePath: '/' };
    const node = { name: 'Oslo', remark: '', ...place, apiToken: 'token', allowPrivateAddress: true, enable: true };
    await must(admin.post('/panel/api/nodes/add', node));
  });

  afterAll(async () => web?.close());

  it.each(['fa', 'ar'])('in %s mirrors every screen, and keeps technical texts from left to right', async (locale) => {
    const page = await web.another({ viewport: { width: 1440, height: 900 }, locale });
    const problems: string[] = [];
    await walk(web, page, async (where) => {
      const found = (await page.evaluate(PROBLEMS)) as readonly string[];
      problems.push(...found.map((problem) => `${where}: ${problem}`));
    });
    await page.context().close();
    expect([...new Set(problems)]).toStrictEqual([]);
  });

  it('shows Jalali dates and Persian digits in Persian', async () => {
    const page = await web.another({ viewport: { width: 1440, height: 900 }, locale: 'fa' });
    await web.open('clients/ahab', page);
    await settled(page);
    await page.locator('#content').getByText(JALALI_YEAR).first().waitFor();
    await page.context().close();
  });

  it.each([
    ['fa', '۱۴۱۰/۰۳/۲۵', /۱۴۱۰/],
    ['ar', '25/3/1410', /1410|١٤١٠/],
  ] as const)('in %s an admin adds, extends and disables a client', async (locale, day, year) => {
    const page = await web.another({ viewport: { width: 1440, height: 900 }, locale, timezoneId: 'Asia/Tehran' });
    const t = textsOf('screens/clients', locale);
    const email = `sailor-${locale}`;
    const before = headOf(web.panel.dataDir);
    const dialog = page.getByRole('dialog');
    await web.open('clients', page);
    await page
      .locator('#content')
      .getByRole('button', { name: t('add') })
      .first()
      .click();
    await dialog.getByRole('textbox', { name: t('form.email') }).fill(email);
    await dialog.getByText(t('form.expires.date'), { exact: true }).click();
    await dialog.getByLabel(t('form.date')).fill(day);
    await dialog.getByRole('button', { name: t('add'), exact: true }).click();
    await dialog.waitFor({ state: 'detached' });

    await web.open(`clients/${email}`, page);
    await page.locator('#content').getByText(year).first().waitFor();
    // The sentences of the panel have the dates and sizes of the page.
    await settled(page);
    expect(await page.locator('#content').textContent()).not.toMatch(/\d{4}-\d\d-\d\d|\d Z/);
    await page.getByRole('button', { name: t('actionsFor').replace('{{email}}', email) }).click();
    await page.getByRole('menuitem', { name: t('action.extend') }).click();
    // The digits of Arabic depend on the version of the ICU, so they are those of the browser.
    const number = await page.evaluate((locale) => new Intl.NumberFormat(locale).format(90), locale);
    const form = new Intl.PluralRules(locale).select(90);
    const ninety = t(`form.inDays_${form}`).replace('{{count}}', number);
    await dialog.getByRole('button', { name: ninety, exact: true }).click();
    await dialog.getByRole('button', { name: t('action.extend'), exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .locator('#content')
      .getByRole('button', { name: t('disable'), exact: true })
      .click();
    await page
      .locator('#content')
      .getByRole('button', { name: t('enable'), exact: true })
      .waitFor();

    const events = logOf(web.panel.dataDir, before).filter(({ meta }) => meta.actor.kind === 'user');
    expect(events).toMatchObject([
      { type: 'ClientAdded', data: { identity: { email }, spec: { expiresAt: END_OF_DAY } } },
      { type: 'ClientUpdated', data: { changes: { expiresAt: END_OF_DAY + 90 * 86_400_000 } } },
      { type: 'ClientUpdated', data: { changes: { enabled: false } } },
    ]);
    await page.context().close();
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});

/** Where the direction of the page is wrong, and technical texts that the direction of the page reorders. */
const PROBLEMS = `(() => {
  const problems = [];
  const root = document.documentElement;
  if (root.dir !== 'rtl') problems.push('the direction is ' + root.dir);
  if (getComputedStyle(document.querySelector('#content')).direction !== 'rtl') problems.push('the content is not mirrored');
  if (root.scrollWidth > root.clientWidth) problems.push('the page is too wide');
  const TECHNICAL = /https?:\\/\\/|vless:\\/\\/|\\d+\\.\\d+\\.\\d+\\.\\d+|[\\da-f]{8}-[\\da-f]{4}-/;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    // In a sentence from right to left its letters stay in order, because it begins and ends with Latin letters or digits.
    if (!TECHNICAL.test(data) || /[\\u0590-\\u08ff\\u2068]/.test(data) || !parentElement.checkVisibility()) continue;
    if (parentElement.closest('script, style, .cm-editor')) continue;
    if (getComputedStyle(parentElement).direction !== 'ltr' && !parentElement.closest('bdi'))
      problems.push('not isolated: ' + data.slice(0, 100));
  }
  for (const input of document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file]), textarea'))
    if (TECHNICAL.test(input.value) && getComputedStyle(input).direction !== 'ltr')
      problems.push('not from left to right: ' + input.value.slice(0, 100));
  return problems;
})()`;
