import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must, type PanelProcess, startPanel } from '../kit/real/panel-process.js';

const NAMES = ['chromium', 'chromium-headless-shell', 'google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

function executable(): string | null {
  const places = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return places.find((file) => isExecutable(file)) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const found = executable();
if (found === null) {
  process.stderr.write(
    '\n!! There is no Chromium on this machine: the browser test is SKIPPED (Debian: apt install chromium).\n\n',
  );
}

describe.skipIf(found === null)('the page, in a real browser', () => {
  let panel: PanelProcess;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    panel = await startPanel();
    browser = await chromium.launch({ executablePath: found ?? '', args: FLAGS });
    page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
  });

  afterAll(async () => {
    await browser.close();
    await panel.cleanUp();
  });

  it('refuses a wrong password and says so', async () => {
    await page.goto(panel.url);
    await page.fill('input[name=username]', panel.username);
    await page.fill('input[name=password]', 'not the password');
    await page.click('#login button');
    await page.waitForSelector('#error:not(:empty)');
    expect(await page.textContent('#error')).toContain('Invalid username or password');
  });

  it('lets the admin in, and shows what another session adds, hostile names as text', async () => {
    await page.fill('input[name=username]', panel.username);
    await page.fill('input[name=password]', panel.password);
    await page.click('#login button');
    await page.waitForSelector('#panel:not([hidden])');

    const remark = '<img src=x onerror="document.title=1">';
    const settings = { decryption: 'none', clients: [{ id: 'b831381d-6324-4d53-ad4f-8cda48b30811', email: 'a<b&c' }] };
    const admin = await panel.admin();
    await must(
      admin.post('/panel/api/inbounds/add', {
        enable: false,
        remark,
        listen: '127.0.0.1',
        port: 45_123,
        protocol: 'vless',
        settings: JSON.stringify(settings),
        streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
        sniffing: '',
      }),
    );
    await page.waitForSelector('#inbounds tr');
    expect(await page.textContent('#inbounds td')).toBe(remark);
    expect(await page.textContent('#clients td')).toBe('a<b&c');
    expect(await page.title()).not.toBe('1');
    expect(await page.textContent('#core')).not.toBe('–');
  });

  it('shows the contract, tries a request with the CSRF token, and asks no other host', async () => {
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(new URL('panel/api-docs', panel.url).href);
    const operation = page.locator('.opblock', { hasText: '/panel/api/inbounds/onlines' });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.textContent()).toMatch(/^200[^]*"success": true/);
    expect([...hosts]).toStrictEqual([new URL(panel.url).host]);
    await page.goto(panel.url);
    await page.waitForSelector('#panel:not([hidden])');
  });

  it('lets the admin out', async () => {
    await page.click('#logout');
    await page.waitForSelector('#login:not([hidden])');
    expect(complaints).toStrictEqual([]);
  });
});
