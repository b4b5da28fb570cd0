import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { openWebPanel, type WebPanel } from './support.js';
import { settled, walk } from './walk.js';

const found = chromiumFor('the test of the languages of the web panel');
const EXPIRY = Date.UTC(2031, 5, 15, 12);
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
