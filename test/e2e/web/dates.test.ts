import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { headOf, logOf } from '../support.js';
import { openWebPanel, textsOf, type WebPanel } from './support.js';
import { settled } from './walk.js';

const found = chromiumFor('the test of the dates of the web panel');
/** The zone is half an hour off most others, and has no daylight saving time. */
const tehran = { viewport: { width: 1440, height: 900 }, locale: 'fa', timezoneId: 'Asia/Tehran' } as const;
const clientText = textsOf('screens/clients', 'fa');
const shellText = textsOf('shell', 'fa');
const END_OF_30_ESFAND_1408 = Date.parse('2030-03-20T23:59:59+03:30');

describe.skipIf(found === null)('dates in the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    const clients = ['ahab', 'ishmael'].map((email) => ({ id: crypto.randomUUID(), email, enable: true }));
    const settings = JSON.stringify({ clients, decryption: 'none' });
    const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: 'Harbour', port: await freePort() }));
  });

  afterAll(async () => web?.close());

  /** Opens the form of a client, with the choice of a last day. */
  async function edit(page: Page, email: string): Promise<void> {
    await web.open(`clients/${email}`, page);
    await page.getByRole('button', { name: 'ویرایش' }).click();
    await page.getByText('در تاریخ', { exact: true }).click();
  }

  async function save(page: Page): Promise<void> {
    await page.getByRole('dialog').getByRole('button', { name: 'ذخیره' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  const head = (): number => headOf(web.panel.dataDir);
  /** What the admin appended after a position: the terms of a client. */
  const expiriesSince = (after: number): readonly unknown[] =>
    logOf(web.panel.dataDir, after).flatMap((event) =>
      event.meta.actor.kind === 'user'
        ? [event.type === 'ClientUpdated' ? event.data.changes.expiresAt : event.type]
        : [],
    );

  it('are typed in Persian by the Jalali calendar, and the panel stores the end of that day', async () => {
    const page = await web.another(tehran);
    const before = head();
    await edit(page, 'ahab');
    const field = page.getByLabel('آخرین روز');
    await field.fill('1407/12/30');
    await field.blur();
    await page.getByText('تاریخ درست نیست').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'ذخیره', exact: true }).click();
    expect(head()).toBe(before);
    await field.fill('۱۴۰۸/۱۲/۳۰');
    await save(page);
    expect(expiriesSince(before)).toStrictEqual([END_OF_30_ESFAND_1408]);
    await page.locator('#content').getByText('۱۴۰۸').first().waitFor();
    await page.context().close();
  });

  it('are chosen from a month with the keyboard alone', async () => {
    const page = await web.another(tehran);
    const before = head();
    await edit(page, 'ishmael');
    const field = page.getByLabel('آخرین روز');
    await field.fill('1408/12/28');
    await field.press('Alt+ArrowDown');
    const active = page.locator('[role=grid] button:focus');
    await active.getByText('۲۸', { exact: true }).waitFor();
    // In a page from right to left, the next day is to the left.
    await page.keyboard.press('ArrowLeft');
    await active.getByText('۲۹', { exact: true }).waitFor();
    expect(await active.getAttribute('aria-label')).toBe('سه‌شنبه ۲۹ اسفند ۱۴۰۸');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('grid', { name: 'فروردین ۱۴۰۹' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('grid').waitFor({ state: 'detached' });
    // The form stays open, with what it had.
    expect(await field.inputValue()).toBe('۱۴۰۸/۱۲/۲۸');
    await page.keyboard.press('Alt+ArrowDown');
    await active.getByText('۲۸', { exact: true }).waitFor();
    await page.keyboard.press('PageDown');
    await page.getByRole('grid', { name: 'فروردین ۱۴۰۹' }).waitFor();
    await page.keyboard.press('PageUp');
    await page.getByRole('grid', { name: 'اسفند ۱۴۰۸' }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await active.getByText('۳۰', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('grid').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('۱۴۰۸/۱۲/۳۰');
    await save(page);
    expect(expiriesSince(before)).toStrictEqual([END_OF_30_ESFAND_1408]);
    await page.context().close();
  });

  it('and numbers are typed and pasted in the digits of the language', async () => {
    const page = await web.another(tehran);
    const before = head();
    await web.open('clients/ahab', page);
    await page.getByRole('button', { name: 'ویرایش' }).click();
    const cap = page.getByLabel(clientText('form.cap'));
    await cap.pressSequentially('۱٫۵');
    await page.getByLabel(clientText('form.limitIp')).fill('٢');
    const renewal = page.getByLabel(clientText('form.reset'));
    await renewal.fill('31');
    await page.keyboard.insertText('۰');
    await page.keyboard.insertText('۲');
    expect(await cap.inputValue()).toBe('1.5 GB');
    await save(page);
    const changes = logOf(web.panel.dataDir, before).flatMap((event) =>
      event.type === 'ClientUpdated' ? [event.data.changes] : [],
    );
    expect(changes).toStrictEqual([{ capBytes: 1.5 * 1024 ** 3, limitIp: 2, renewalDays: 3102 }]);
    // An empty date shows an example, which is not mistaken for a date.
    await web.open('inbounds/1', page);
    await page.getByPlaceholder('مثلاً').first().waitFor();
    await page.context().close();
  });

  it('limit the list of the audit to the minute', async () => {
    const page = await web.another(tehran);
    await web.open('audit?from=2031-06-15T08:30', page);
    const from = page.getByLabel('از', { exact: true });
    await from.waitFor();
    expect(await from.inputValue()).toBe('۱۴۱۰/۰۳/۲۵ ۰۸:۳۰');
    await from.fill('1410/3/25 9:05');
    await page.waitForURL(/from=2031-06-15T09(:|%3A)05/);
    const to = page.getByLabel('تا', { exact: true });
    await to.fill('1410/3/20');
    await to.blur();
    await page.getByText('نخستین روز ممکن').waitFor();
    await page.context().close();
  });

  it('choose the moments to compare, to the second', async () => {
    const page = await web.another(tehran);
    const now = Math.floor(Date.now() / 1000) * 1000;
    await web.open(`audit/compare?from=${new Date(now).toISOString()}`, page);
    const from = page.getByLabel('از: زمان');
    await from.waitFor();
    expect(latin(await from.inputValue())).toBe(jalali(now));
    await from.fill(jalali(now - 1000));
    await page.getByRole('button', { name: 'مقایسه', exact: true }).click();
    await page.waitForURL((url) => decodeURIComponent(url.hash).includes(new Date(now - 1000).toISOString()));
    await settled(page);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  });

  it('choose an earlier moment of the panel', async () => {
    const page = await web.another(tehran);
    await web.open('inbounds', page);
    await page.getByRole('button', { name: shellText('view') }).click();
    await page.getByRole('button', { name: shellText('past.open') }).click();
    const dialog = page.getByRole('dialog');
    const time = dialog.getByRole('textbox');
    expect(latin(await time.inputValue()).slice(0, 10)).toBe(jalali(Date.now()).slice(0, 10));
    const show = dialog.getByRole('button', { name: shellText('past.show'), exact: true });
    await time.fill('1404/12/30 8:00');
    expect(await show.isDisabled()).toBe(true);
    const now = Math.floor(Date.now() / 1000) * 1000;
    await time.fill(jalali(now));
    await show.click();
    await page.waitForURL((url) => url.searchParams.get('at') === new Date(now).toISOString());
    await page.context().close();
  });

  it('limit a legal hold', async () => {
    const page = await web.another(tehran);
    const before = head();
    await web.open('clients/ahab', page);
    await page.getByRole('button', { name: clientText('hold.place') }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(clientText('hold.reason'), { exact: true }).fill('case 117');
    await dialog.getByLabel(clientText('hold.from')).fill('1405/1');
    await dialog.getByRole('button', { name: clientText('hold.now') }).click();
    expect(head()).toBe(before);
    await dialog.getByLabel(clientText('hold.from')).fill('1405/1/1');
    await dialog.getByLabel(clientText('hold.to')).fill('۱۴۰۵/۰۱/۳۱');
    await dialog.getByRole('button', { name: clientText('hold.now') }).click();
    await dialog.waitFor({ state: 'detached' });
    const period = { from: Date.parse('2026-03-21T00:00+03:30'), to: Date.parse('2026-04-20T23:59:59.999+03:30') };
    expect(logOf(web.panel.dataDir, before).filter(({ meta }) => meta.actor.kind === 'user')).toMatchObject([
      { type: 'LegalHoldPlaced', data: { ...period } },
    ]);
    await page.context().close();
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});

const JALALI = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const),
  timeZone: tehran.timezoneId,
});

/** A time as an admin in Tehran types it, such as `1405/09/02 14:05:09`. */
function jalali(at: number): string {
  const parts = new Map(JALALI.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (...types: readonly Intl.DateTimeFormatPartTypes[]) => types.map((type) => parts.get(type));
  return `${of('year', 'month', 'day').join('/')} ${of('hour', 'minute', 'second').join(':')}`;
}

const latin = (text: string): string =>
  text.replaceAll(/[۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x6f0));
