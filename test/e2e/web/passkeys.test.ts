import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { startWebSession, type WebSession } from '../../kit/real/web-session.js';
import { HANG_MS } from '../../kit/wait.js';
import { deedsOf, headOf } from '../support.js';

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

  it('is added on the account, signs in instead of the password, and is removed', async () => {
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
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    let head = headOf(panel.dataDir);
    await button('Add passkey').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.locator('input[name=secret]').fill(panel.password);
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByText('not used yet').waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['PasskeyAdded']);

    await context.clearCookies();
    await page.reload();
    head = headOf(panel.dataDir);
    await button('Sign in with a passkey').click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    expect(deedsOf(panel.dataDir, head)).toEqual(['PasskeyUsed', 'LoggedIn']);

    await button('Remove the passkey: laptop').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('The passkey has been removed.').first().waitFor();
    expect(deedsOf(panel.dataDir, head)).toContain('PasskeyRemoved');
    await context.clearCookies();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await context.close();
  });

  it('is explained where the browser cannot use it', async () => {
    await web.open('account', 'Account');
    await web.sees('Passkeys need HTTPS, a host name and a recent browser.');
    expect(await web.overflowOnPhone('account')).toBe(0);
    expect(web.complaints).toStrictEqual([]);
  });
});
