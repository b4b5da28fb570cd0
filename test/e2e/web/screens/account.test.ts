import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { type PanelProcess, startPanel } from '../../../kit/real/panel-process.js';
import { startWebSession, type WebSession } from '../../../kit/real/web-session.js';
import { codeAt, wrongCode } from '../../../kit/totp.js';
import { HANG_MS } from '../../../kit/wait.js';
import { deedsOf, headOf, recorded } from '../../support.js';

const found = chromiumFor('the test of the account in the web panel');
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const DESK = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const NEW_PASSWORD = 'a longer password than before';

describe.skipIf(found === null)('the account in the web panel', () => {
  let panel: PanelProcess;
  let web: WebSession;
  let password: string;

  beforeAll(async () => {
    panel = await startPanel();
    password = panel.password;
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
  });

  const dialog = () => web.page.getByRole('dialog');
  const button = (name: string) => web.page.getByRole('button', { name, exact: true });
  const session = (name: string) => web.page.getByRole('listitem').filter({ hasText: name });
  const deeds = (after: number) => deedsOf(panel.dataDir, after);
  /** Logs in on another device, and opens the account there. */
  const logIn = async (userAgent: string, code = ''): Promise<Page> => {
    const context = await web.browser.newContext({ userAgent, locale: 'en', viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    page.setDefaultTimeout(HANG_MS);
    await page.goto(`${panel.url}/#/account`);
    await page.getByLabel('User name').fill(panel.username);
    await page.locator('input[name=password]').fill(password);
    if (code !== '') await page.locator('input[name=twoFactorCode]').fill(code);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    return page;
  };

  it('shows where the account is logged in, and ends one session at once', async () => {
    const phone = await logIn(PHONE);
    await web.open('account', 'Account');
    await session('Chrome on Linux').getByText('This device').waitFor();
    await session('Safari on iOS').getByText('127.0.0.1').waitFor();
    await session('Safari on iOS').getByText('in use now').waitFor();
    // A login elsewhere appears without a reload.
    const desk = await logIn(DESK);
    await session('Firefox on Windows').waitFor();
    await button('End the session: Firefox on Windows').click();
    await dialog().getByRole('button', { name: 'End', exact: true }).click();
    await session('Firefox on Windows').waitFor({ state: 'detached' });
    await desk.context().close();
    const head = headOf(panel.dataDir);
    await button('End the session: Safari on iOS').click();
    await dialog().getByRole('button', { name: 'End', exact: true }).click();
    await web.sees('The session was ended.');
    await session('Safari on iOS').waitFor({ state: 'detached' });
    await phone.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    expect(deeds(head)).toEqual(['LoggedOut']);
    await phone.context().close();
  });

  it('ends all other sessions, and keeps the own one', async () => {
    const phones = [await logIn(PHONE), await logIn(PHONE)];
    await web.open('overview', 'Overview');
    await web.open('account', 'Account');
    const head = headOf(panel.dataDir);
    await button('End all others').click();
    await web.sees('2 devices must log in again.');
    await dialog().getByRole('button', { name: 'End all others' }).click();
    await web.sees('All other sessions were ended.');
    await session('Safari on iOS').first().waitFor({ state: 'detached' });
    expect(deeds(head)).toEqual(['SessionsRevoked', 'LoggedIn']);
    expect(recorded(panel.dataDir, 'SessionsRevoked', head)[0]?.data.reason).toBe('requested');
    for (const phone of phones) {
      await phone.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      await phone.context().close();
    }
    expect(await web.page.getByRole('listitem').filter({ hasText: 'This device' }).count()).toBe(1);
  });

  it('changes the password, and keeps what was typed when the panel refuses it', async () => {
    const head = headOf(panel.dataDir);
    await web.page.getByLabel('Current password').fill('not the password');
    await web.page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await web.page.getByLabel('New password again').fill('another');
    await button('Save').click();
    await web.sees('The two passwords differ.');
    await web.page.getByLabel('New password again').fill(NEW_PASSWORD);
    await button('Save').click();
    await web.page.getByRole('main').getByRole('alert').waitFor();
    expect(await web.page.getByLabel('New password', { exact: true }).inputValue()).toBe(NEW_PASSWORD);
    await web.page.getByLabel('Current password').fill(password);
    await button('Save').click();
    await web.sees('The user name and the password have been changed.');
    password = NEW_PASSWORD;
    expect(deeds(head)).toEqual(['UserCredentialsChanged', 'DataKeyDestroyed', 'LoggedIn']);
    await expect.poll(() => web.page.getByLabel('Current password').inputValue()).toBe('');
    await (await logIn(PHONE)).context().close();
  });

  it('continues the session when a request was sent just before a change renewed it', async () => {
    const { page } = web;
    const change = async (next: string): Promise<void> => {
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password', { exact: true }).fill(next);
      await page.getByLabel('New password again').fill(next);
      await button('Save').click();
      await expect.poll(() => page.getByLabel('Current password').inputValue()).toBe('');
      password = next;
    };
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ended = { success: false, msg: 'The session has ended', obj: null, code: 'SESSION_EXPIRED' };
    const asksRole = (url: URL) => url.pathname.endsWith('/panel/api/admins/me');
    await page.route(
      asksRole,
      async (route) => {
        await released;
        await route.fulfill({ status: 401, json: ended });
      },
      { times: 1 },
    );
    await web.open('account', 'Account');
    // It ends the WebSocket, and the page asks for the role before it connects again.
    await Promise.all([
      page.waitForRequest((request) => asksRole(new URL(request.url()))),
      change(`${password}, changed`),
    ]);
    await change(`${password} again`);
    const answer = page.waitForResponse((response) => asksRole(new URL(response.url())) && response.status() !== 401);
    release();
    expect((await answer).status()).toBe(200);
    expect(await page.getByRole('dialog', { name: 'Your session has ended' }).count()).toBe(0);
  });

  it('sets up two-factor login once a code confirms it, and switches it off with a code', async () => {
    const head = headOf(panel.dataDir);
    await button('Set up').click();
    await dialog().getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const token = (await dialog().locator('code').textContent()) ?? '';
    expect(deeds(head)).toEqual([]);
    const code = (now = Date.now()) => codeAt(token, now);
    await dialog().getByLabel('Code from the app').fill(wrongCode(token, Date.now()));
    await button('Switch on').click();
    await web.sees('The two-factor code is wrong, or was used before');
    await dialog().getByLabel('Code from the app').fill(code());
    await dialog().getByRole('button', { name: 'Show as curl' }).click();
    const command = await dialog().getByRole('region', { name: 'Show as curl' }).locator('pre').textContent();
    expect(command).toMatch(/\/panel\/setting\/twoFactor\/enable'/);
    expect(command).not.toContain(token);
    await button('Switch on').click();
    const codes = web.page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.getByRole('listitem').nth(9).waitFor();
    const recovery = (await codes.getByRole('listitem').first().textContent()) ?? '';
    await codes.getByRole('button', { name: 'I have kept them' }).click();
    await web.page.getByText('On', { exact: true }).waitFor();
    await web.sees('10 recovery codes are left.');
    expect(deeds(head)).toEqual([
      ...['OwnCodeUsed', 'SecondFactorSet', 'RecoveryCodesIssued', 'SessionsRevoked', 'LoggedIn'],
    ]);
    await (await logIn(PHONE, recovery)).context().close();
    await web.sees('9 recovery codes are left.');

    const on = headOf(panel.dataDir);
    await button('Switch off').click();
    await dialog()
      .getByLabel('Code from the app')
      .fill(code(Date.now() + 30_000));
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await web.page.getByText('Off', { exact: true }).waitFor();
    expect(deeds(on)).toContain('SessionsRevoked');
    expect(recorded(panel.dataDir, 'SecondFactorRemoved', on)).toHaveLength(1);
    expect(await web.overflowOnPhone('account')).toBe(0);
    expect(web.complaints.filter((text) => !text.includes('status of 401'))).toStrictEqual([]);
  });
});
