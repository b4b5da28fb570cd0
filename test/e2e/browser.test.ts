import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFlags, chromiumFor } from '../kit/real/chromium.js';
import { withoutCore } from '../kit/real/core-process.js';
import { must, type PanelProcess, startPanel } from '../kit/real/panel-process.js';
import { freePort } from '../kit/real/ports.js';
import { codeAt, wrongCode } from '../kit/totp.js';
import { HANG_MS } from '../kit/wait.js';
import { recorded } from './support.js';

/** How long one code of an app is valid. */
const STEP_MS = 30_000;

const found = chromiumFor('the browser test');

describe.skipIf(found === null)('the classic page, in a real browser', () => {
  let panel: PanelProcess;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    panel = await startPanel();
    browser = await chromium.launch({ executablePath: found ?? '', args: [...chromiumFlags] });
    page = await browser.newPage();
    page.setDefaultTimeout(HANG_MS);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    page.on('dialog', (dialog) => void dialog.accept());
  });

  afterAll(async () => {
    await browser?.close();
    await panel?.cleanUp();
  });

  const tab = async (name: string): Promise<void> => {
    await page.click(`nav a[href="#/${name}"]`);
    await page.waitForSelector(`#tab-${name}:not([hidden])`);
  };
  const logIn = async (code?: string): Promise<void> => {
    await page.fill('input[name=username]', panel.username);
    await page.fill('input[name=password]', panel.password);
    if (code !== undefined) await page.fill('input[name=twoFactorCode]', code);
    await page.click('button[type=submit]');
  };
  /** After a login: the page before the one of `web/`. */
  const classic = async (): Promise<void> => {
    await page.waitForSelector('[data-page-title]');
    await page.goto(`${panel.url}/classic`);
    await page.waitForSelector('#panel');
  };
  const toast = (text: string) => page.locator('#toasts p', { hasText: text }).first().waitFor();

  it('rejects a wrong password with a message, and shows only the login before that', async () => {
    await page.goto(panel.url);
    expect(await page.locator('nav, #panel, #settings').count()).toBe(0);
    expect(await page.isVisible('#second')).toBe(false);
    await page.fill('input[name=username]', panel.username);
    await page.fill('input[name=password]', 'not the password');
    await page.click('button[type=submit]');
    await page.waitForSelector('[role=alert]');
    expect(await page.textContent('[role=alert]')).toContain('Invalid username or password');
  });

  it('logs the admin in, and shows what another session adds, with hostile names as text', async () => {
    await logIn();
    await classic();
    await tab('inbounds');

    const remark = '<img src=x onerror="document.title=1">';
    const settings = { decryption: 'none', clients: [{ id: 'b831381d-6324-4d53-ad4f-8cda48b30811', email: 'a<b&c' }] };
    const admin = await panel.admin();
    await must(
      admin.post('/panel/api/inbounds/add', {
        enable: false,
        remark,
        listen: '127.0.0.1',
        port: await freePort(),
        protocol: 'vless',
        settings: JSON.stringify(settings),
        streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
        sniffing: '',
      }),
    );
    await page.waitForSelector('#inbounds tr');
    expect(await page.textContent('#inbounds td')).toBe(remark);
    await tab('clients');
    await page.waitForSelector('#clients tr');
    expect(await page.textContent('#clients td')).toBe('a<b&c');
    expect(await page.title()).not.toBe('1');
  });

  it('shows why a client may not connect, and its link', async () => {
    await page.getByRole('button', { name: 'Why? a<b&c' }).click();
    await page.waitForSelector('#dialog[open]');
    expect(await page.textContent('#dialogTitle')).toBe('a<b&c');
    expect(await page.textContent('#dialogBody')).toContain('May not connect');
    await page.click('#dialogClose');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy link a<b&c' }).click();
    await toast('Link copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^vless:\/\/b831381d/);
  });

  it('adds an inbound from its JSON, and deletes it', async () => {
    await tab('inbounds');
    await page.click('#tab-inbounds summary');
    await page.fill('#newInbound', '{ no');
    await page.click('#addInbound button');
    await toast('This is not valid JSON.');
    const place = { listen: '127.0.0.1', port: await freePort() };
    const inbound = { remark: 'example', ...place, protocol: 'vless', enable: false };
    await page.fill('#newInbound', JSON.stringify({ ...inbound, settings: { decryption: 'none', clients: [] } }));
    await page.click('#addInbound button');
    await toast('Inbound has been successfully created');
    await page.getByRole('button', { name: 'Delete example' }).click();
    await expect.poll(() => page.locator('#inbounds tr').count()).toBe(1);
  });

  it.skipIf(withoutCore('the core by its button'))('restarts the core by its button, and notifies', async () => {
    await tab('status');
    await expect.poll(() => page.textContent('#core')).toMatch(/^running /);
    const before = recorded(panel.dataDir, 'CoreStarted').length;
    await page.click('#restartCore');
    await toast('The core is running');
    expect(recorded(panel.dataDir, 'CoreStarted').length).toBeGreaterThan(before);
  });

  it('saves a template, and shows what is wrong with an invalid one', async () => {
    await tab('core');
    await expect.poll(() => page.inputValue('#template')).toContain('outbounds');
    const template = await page.inputValue('#template');
    await page.fill('#template', `${template} x`);
    await page.click('#templateForm button');
    await toast('This is not valid JSON.');
    await page.fill('#template', template);
    await page.click('#templateForm button');
    await toast('The parameters have been changed.');
  });

  it('downloads a backup, and rejects a file that is not one', async () => {
    await tab('backups');
    await expect.poll(() => page.textContent('#lastGood')).toBe('none');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#tab-backups a')]);
    expect(download.suggestedFilename()).toMatch(/^portolan-.*\.db$/);
    await download.delete();
    await page.click('#tab-backups summary');
    const file = { name: 'x.db', mimeType: 'application/octet-stream', buffer: Buffer.from('no database at all') };
    await page.setInputFiles('#importDb input[type=file]', file);
    await page.click('#importDb button');
    await toast('An error occurred while importing the database');
  });

  it('shows the log of the panel', async () => {
    await tab('logs');
    await page.waitForSelector('#log:not(:empty)');
  });

  it('sends only the settings that were changed, and shows each problem beside its field', async () => {
    await tab('settings');
    await page.waitForSelector('#settings[data-filled=yes]');
    await page.fill('#s-subPort', '70000');
    await page.fill('#s-webBasePath', '/../');
    await page.click('#settings button:not([type])');
    await page.waitForSelector('#e-subPort:not(:empty)');
    await page.waitForSelector('#e-webBasePath:not(:empty)');
    expect(await page.textContent('#e-subTitle')).toBe('');

    const { subPort, webBasePath } = await settingsNow();
    await page.fill('#s-subPort', String(subPort));
    await page.fill('#s-webBasePath', String(webBasePath));
    await page.fill('#s-subTitle', 'Example title');
    await page.fill('#s-pageSize', '50');
    await page.uncheck('#s-subShowInfo');
    await page.fill('#s-ldapPassword', 'anchor-chain');
    await page.click('#settings button:not([type])');
    await page.waitForSelector('#h-ldapPassword button');
    expect(recorded(panel.dataDir, 'SettingsChanged').at(-1)?.data).toEqual({
      changes: { subTitle: 'Example title', pageSize: 50, subShowInfo: false },
    });
    expect(await page.inputValue('#s-ldapPassword')).toBe('');
    expect(await page.textContent('#e-subPort')).toBe('');
    await page.click('#h-ldapPassword button');
    await expect.poll(() => page.textContent('#h-ldapPassword')).toBe('not set');
  });

  const settingsNow = async () =>
    must((await panel.admin()).post<Record<string, string | number | boolean>>('/panel/setting/all'));

  it('shows the API token', async () => {
    await page.click('#showToken');
    await expect.poll(() => page.inputValue('#apiToken')).toMatch(/^\S{32,}$/);
  });

  it('shows the API reference, sends a request with the CSRF token, and connects to no other host', async () => {
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(new URL('panel/api-docs', panel.url).href);
    const operation = page.locator('.opblock', { hasText: '/panel/api/inbounds/onlines' });
    // The page draws only the operations near the visible part.
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 200);
        return operation.count();
      })
      .toBe(1);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.textContent()).toMatch(/^200[^]*"success": true/);
    expect([...hosts]).toStrictEqual([new URL(panel.url).host]);
    await page.goto(`${panel.url}/classic`);
    await page.waitForSelector('#panel');
  });

  it('uses the chosen language and its direction, and fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.selectOption('#language', 'fa');
    await page.waitForSelector('html[dir=rtl] #panel');
    for (const name of ['status', 'inbounds', 'clients', 'core', 'logs', 'settings', 'account']) {
      await tab(name);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(390);
    }
    await page.selectOption('#language', 'en');
    await page.waitForSelector('html[dir=ltr] #panel');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('sets up two-factor login, after which a login requires a code', async () => {
    await tab('account');
    await page.click('#setUp');
    await expect.poll(() => page.evaluate("document.getElementById('qr').naturalWidth")).toBeGreaterThan(0);
    const token = (await page.textContent('#secondToken')) ?? '';
    await page.fill('#confirm input', codeAt(token, Date.now()));
    await page.click('#confirm button');
    await page.waitForSelector('#switchOff:not([hidden])');

    await page.click('#logout');
    await page.waitForSelector('input[name=twoFactorCode]');
    const field = page.locator('input[name=twoFactorCode]');
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await field.getAttribute('inputmode')).toBe('numeric');
    await logIn(wrongCode(token, Date.now()));
    await page.waitForSelector('[role=alert]');
    // A code is accepted once, and the code of the next step is accepted already.
    await logIn(codeAt(token, Date.now() + STEP_MS));
    await classic();
  });

  it('logs the admin out', async () => {
    await page.click('#logout');
    await page.waitForSelector('input[name=username]');
    expect(await page.locator('#panel').count()).toBe(0);
    expect(complaints).toStrictEqual([]);
  });
});
