import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { startWebSession, type WebSession } from '../../kit/real/web-session.js';
import { codeAt } from '../../kit/totp.js';
import { HANG_MS } from '../../kit/wait.js';
import { deedsOf, headOf, recorded } from '../support.js';

const found = chromiumFor('the test of passkeys in the web panel');

/** An authenticator of the device itself, which always finds a person. */
const AUTHENTICATOR = {
  ...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
  ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
};

describe.skipIf(found === null)('a passkey in the web panel', () => {
  let panel: PanelProcess;
  let web: WebSession;

  beforeAll(async () => {
    panel = await startPanel();
    web = await startWebSession(found ?? '', panel);
  });

  afterAll(async () => {
    await web?.close();
    await panel?.cleanUp();
  });

  it('is added on the account, logs in instead of the password, and is removed', async () => {
    // Browsers accept passkeys without HTTPS only at localhost.
    const url = panel.url.replace('127.0.0.1', 'localhost');
    const context = await web.browser.newContext({ locale: 'en', reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(HANG_MS);
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    await page.goto(`${url}/#/account`);
    await page.getByLabel('User name').fill(panel.username);
    await page.locator('input[name=password]').fill(panel.password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    let head = headOf(panel.dataDir);
    await button('Add passkey').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.locator('input[name=secret]').fill(panel.password);
    await dialog.getByRole('button', { name: 'Show as curl' }).click();
    const command = await dialog.getByRole('region', { name: 'Show as curl' }).locator('pre').textContent();
    expect(command).toContain('"password": "***"');
    expect(command).not.toContain(panel.password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('not used yet').waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['PasskeyAdded']);

    await context.clearCookies();
    await page.reload();
    head = headOf(panel.dataDir);
    await button('Log in with a passkey').click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['PasskeyUsed', 'LoggedIn']);

    await button('Remove the passkey: laptop').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The passkey has been removed.').first().waitFor();
    expect(deedsOf(panel.dataDir, head)).toContain('PasskeyRemoved');
    await context.clearCookies();
    await page.reload();
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await context.close();
  });

  it('is explained where the browser cannot use it', async () => {
    await web.open('account', 'Account');
    await web.sees('Passkeys need HTTPS, a host name and a recent browser.');
    expect(await web.overflowOnPhone('account')).toBe(0);
    expect(web.complaints).toStrictEqual([]);
  });

  // The last one: changes of the factors end the session of the others.
  it('logs in without a code beside two-factor login; a used recovery code is refused; all factors can be removed', async () => {
    const url = panel.url.replace('127.0.0.1', 'localhost');
    const context = await web.browser.newContext({ locale: 'en', reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(HANG_MS);
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog');
    const account = page.getByRole('heading', { level: 1, name: 'Account' });
    const logIn = async (code = ''): Promise<void> => {
      await page.getByLabel('User name').fill(panel.username);
      await page.locator('input[name=password]').fill(panel.password);
      if (code !== '') await page.locator('input[name=twoFactorCode]').fill(code);
      await button('Log in').click();
    };
    const signOut = async (): Promise<number> => {
      await context.clearCookies();
      await page.reload();
      await button('Log in').waitFor();
      return headOf(panel.dataDir);
    };

    await page.goto(`${url}/#/account`);
    await logIn();
    await account.waitFor();
    await button('Add passkey').click();
    await dialog.getByLabel('Name').fill('key');
    await dialog.locator('input[name=secret]').fill(panel.password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('not used yet').waitFor();
    await button('Set up').click();
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const token = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByLabel('Code from the app').fill(codeAt(token, Date.now()));
    await button('Switch on').click();
    const codes = page.getByRole('dialog', { name: 'Recovery codes' });
    await codes.getByRole('listitem').nth(9).waitFor();
    const [first = '', second = ''] = await codes.getByRole('listitem').allTextContents();
    await codes.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();

    let head = await signOut();
    await button('Log in with a passkey').click();
    await account.waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['PasskeyUsed', 'LoggedIn']);

    head = await signOut();
    await logIn(first);
    await page.getByText('9 recovery codes are left.').waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['RecoveryCodeUsed', 'LoggedIn']);
    head = await signOut();
    await logIn(first);
    await page.getByText(/^Invalid username or password or two-factor code/).waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual([]);
    expect(recorded(panel.dataDir, 'LoginFailed', head)).toHaveLength(1);
    await page.locator('input[name=twoFactorCode]').fill(second);
    await button('Log in').click();
    await page.getByText('8 recovery codes are left.').waitFor();

    head = headOf(panel.dataDir);
    await button('Remove the passkey: key').click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The passkey has been removed.').first().waitFor();
    await button('Switch off').click();
    await dialog.getByLabel('Code from the app').fill(codeAt(token, Date.now() + 30_000));
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(expect.arrayContaining(['PasskeyRemoved', 'SecondFactorRemoved']));
    head = await signOut();
    await logIn();
    await account.waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['LoggedIn']);
    await context.close();
  });
});
