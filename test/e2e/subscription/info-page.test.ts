import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readQr } from '../../kit/formats/qr-reader.js';
import { chromiumFlags, chromiumFor } from '../../kit/real/chromium.js';
import { must, type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { HANG_MS } from '../../kit/wait.js';

const found = chromiumFor('the info page of a subscription');
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const GB = 1024 ** 3;
const DAY_MS = 86_400_000;
/** A name that is not loopback: a browser denies the clipboard to a page over plain HTTP. */
const PLAIN_HOST = 'sub.example';

/** The contrast of every visible text with its background, by WCAG 2. */
const CONTRAST = `(() => {
  const rgba = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
  const light = ({ rgb }) => { const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c.a === 1) return c; } return { rgb: [255, 255, 255] }; };
  return [...document.body.querySelectorAll('*')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => {
    const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    return { text: e.textContent.trim().slice(0, 30), ratio: (a + 0.05) / (b + 0.05) };
  }).filter(({ ratio }) => ratio < 4.5);
})()`;

/** The height of the smallest button or link. */
const LOWEST = `Math.min(...[...document.querySelectorAll('.apps a, button')].map((e) => e.getBoundingClientRect().height))`;

describe.skipIf(found === null)('the info page, in a real browser', () => {
  let panel: PanelProcess;
  let browser: Browser;
  let links: readonly string[];
  const pictures = process.env['PORTOLAN_SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'portolan-kit-pictures-'));

  beforeAll(async () => {
    panel = await startPanel();
    const admin = await panel.admin();
    const wanted = {
      subTitle: 'Example title',
      subAnnounce: 'Maintenance on Sunday.',
      subSupportUrl: 'https://t.me/x',
    };
    await must(admin.post('/panel/setting/update', { ...wanted, subJsonEnable: true, subShowInfo: false }));
    const clients = ['alice', 'a<b&c'].map((email, at) => ({
      ...{ id: crypto.randomUUID(), email, subId: 'subscription-1', enable: true },
      ...{ totalGB: 5 * GB * (at + 1), expiryTime: Math.floor(Date.now() / 1000) * 1000 + 20 * DAY_MS },
    }));
    const added = await must(
      admin.post<{ id: number }>('/panel/api/inbounds/add', {
        ...{
          enable: true,
          remark: '<img src=x onerror="document.title=1">',
          listen: '127.0.0.1',
          port: await freePort(),
          protocol: 'vless',
          sniffing: '',
        },
        settings: JSON.stringify({ decryption: 'none', clients }),
        streamSettings: JSON.stringify({ network: 'ws', security: 'none', wsSettings: { path: `/${'p'.repeat(80)}` } }),
      }),
    );
    expect(added.id).toBe(1);
    const text = await (await fetch(`${panel.subUrl}/sub/subscription-1?format=plain`)).text();
    links = text.trim().split('\n');
    browser = await chromium.launch({
      executablePath: found ?? '',
      args: [...chromiumFlags, `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await panel?.cleanUp();
    if (process.env['PORTOLAN_SCREENSHOTS'] === undefined) rmSync(pictures, { recursive: true, force: true });
  });

  /** The page in a browser, and the errors that the browser reported. */
  const open = async (query: string, options: BrowserContextOptions = {}, origin = panel.subUrl) => {
    const context = await browser.newContext({ viewport: PHONE, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(HANG_MS);
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    const answer = await page.goto(`${origin}/sub/subscription-1${query}`);
    expect(answer?.status()).toBe(200);
    return { context, page, complaints };
  };

  const clipboardOf = async (page: Page): Promise<string> => {
    await page.bringToFront();
    return page.evaluate<string>('navigator.clipboard.readText()');
  };

  it.each([
    ['phone', PHONE, 'light', 'en', 'ltr'],
    ['phone-fa', PHONE, 'dark', 'fa', 'rtl'],
    ['desk', DESK, 'dark', 'en', 'ltr'],
    ['desk-fa', DESK, 'light', 'fa', 'rtl'],
  ] as const)('fits a %s', async (name, viewport, colorScheme, locale, direction) => {
    const { page, complaints } = await open('', { viewport, colorScheme, locale });
    expect(await page.getAttribute('html', 'dir')).toBe(direction);
    expect(await page.getAttribute('html', 'lang')).toBe(locale);
    for (const details of await page.locator('summary').all()) await details.click();
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect(await page.evaluate(CONTRAST)).toStrictEqual([]);
    const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(dark === 'rgb(15, 19, 24)').toBe(colorScheme === 'dark');
    // The minimum size of a touch target.
    expect(await page.evaluate(LOWEST)).toBeGreaterThanOrEqual(44);
    expect(complaints).toStrictEqual([]);
  });

  it('shows the remaining traffic and time, and a hostile name as text', async () => {
    const { page } = await open('');
    expect(await page.textContent('.top')).toMatch(/Remaining15 GB.*in (19|20) days.*Active/);
    expect(await page.getAttribute('progress', 'max')).toBe(String(15 * GB));
    expect(await page.textContent('#link2')).toContain('<img src=x');
    expect(await page.title()).toBe('Example title');
    expect(await page.locator('img, iframe, object').count()).toBe(0);
    expect(await page.locator('a[href^="happ://add/http"]').count()).toBe(1);
  });

  it('copies links with its buttons, even if the browser denies access to the clipboard', async () => {
    const { context, page } = await open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    for (const [at, link] of [`${panel.subUrl}/sub/subscription-1`, ...links].entries()) {
      const button = page.getByRole('button').nth(at === 0 ? 0 : at + 2);
      await button.click();
      await page.locator('button', { hasText: 'Copied' }).first().waitFor();
      await expect.poll(() => clipboardOf(page)).toBe(link);
    }
    const plain = await context.newPage();
    const url = `http://${PLAIN_HOST}:${panel.ports.sub}/sub/subscription-1`;
    await plain.goto(url);
    expect(await plain.evaluate('isSecureContext')).toBe(false);
    await plain.getByRole('button').first().click();
    await expect.poll(() => clipboardOf(page)).toBe(url);
  });

  it('draws QR codes of the links that can be scanned in light and dark mode', async () => {
    const { context, page } = await open('', { colorScheme: 'dark', viewport: DESK });
    const reader = await context.newPage();
    const [own, shown] = [await readOf(page.locator('svg').first(), reader), `${panel.subUrl}/sub/subscription-1`];
    expect(own).toBe(shown);
    for (const [at, link] of links.entries()) {
      await page.goto(`${shown}?html=1&code=${at + 1}`);
      expect(await readOf(page.locator('details[open] svg'), reader)).toBe(link);
    }
  });

  it('can be read without scripts', async () => {
    const { page, complaints } = await open('', { javaScriptEnabled: false, locale: 'en' });
    expect(await page.locator('button:visible').count()).toBe(0);
    expect(await page.locator('code').allTextContents()).toStrictEqual([
      ...['sub', 'json', 'clash'].map((path) => `${panel.subUrl}/${path}/subscription-1`),
      ...links,
    ]);
    expect(await page.locator('svg:visible').count()).toBe(1);
    await page.locator('li summary').first().click();
    expect(await page.locator('svg:visible').count()).toBe(2);
    await page.click('nav a[lang=ar]');
    expect(await page.getAttribute('html', 'dir')).toBe('rtl');
    await page.screenshot({ path: join(pictures, 'without-script.png'), fullPage: true });
    expect(complaints).toStrictEqual([]);
  });

  it('has a policy that allows no other script', async () => {
    const { page, complaints } = await open('');
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p style="color:red">x</p>')`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'document.title = 1' }))`,
    );
    await expect.poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length).toBe(2);
    expect(await page.title()).toBe('Example title');
  });
});

/** The text of a QR code as it was drawn, module by module. */
async function readOf(code: Locator, reader: Page): Promise<string> {
  const size = Number((await code.getAttribute('viewBox'))?.split(' ')[2]);
  const png = (await code.screenshot()).toString('base64');
  const dark = await reader.evaluate<boolean[]>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    const at = (n, of) => Math.floor(((n + 0.5) * of) / ${size});
    const found = [];
    for (let y = 4; y < ${size - 4}; y++) for (let x = 4; x < ${size - 4}; x++)
      found.push(data[4 * (at(y, height) * width + at(x, width))] < 128);
    return found;
  })()`);
  const side = size - 8;
  return readQr(Array.from({ length: side }, (_, row) => dark.slice(row * side, (row + 1) * side)));
}
