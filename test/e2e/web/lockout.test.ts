import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type TestBrowser } from '../../kit/real/browser.js';
import { chromiumFor } from '../../kit/real/chromium.js';
import { type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { watchedPage } from '../../kit/real/web-session.js';
import { recorded } from '../support.js';

const found = chromiumFor('the test of the lockout of the login');
const LOCK_MS = 15 * 60_000;
/** The form shows the end of a lock in whole minutes. */
const MINUTE_MS = 60_000;

describe.skipIf(found === null)('the lockout of the login in the browser', () => {
  let panel: PanelProcess;
  let browser: TestBrowser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    panel = await startPanel();
    browser = await openBrowser(found ?? '');
    page = await watchedPage(await browser.newContext({ locale: 'en', timezoneId: 'UTC' }), complaints);
    await page.goto(`${panel.url}/`);
  });

  afterAll(async () => {
    await browser?.close();
    await panel?.cleanUp();
  });

  const alert = () => page.getByRole('alert');
  /** Submits the form, and waits for the answer and what the form says of it. */
  const tryWith = async (username: string, password: string): Promise<void> => {
    await page.getByLabel('User name').fill(username);
    await page.locator('input[name=password]').fill(password);
    const answered = page.waitForResponse((response) => response.url().endsWith('/login'));
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await answered;
    await alert().waitFor();
  };
  /** When the lock ends, as far as its minutes say it: the next time at which a clock shows them. */
  const lockedFor = async (): Promise<number> => {
    const shown = /Locked until (\d\d):(\d\d) (AM|PM)/.exec((await alert().textContent()) ?? '');
    if (!shown) throw new Error(`no time in ${await alert().textContent()}`);
    const [, hour = '', minute = '', half] = shown;
    const end = new Date();
    end.setUTCHours((Number(hour) % 12) + (half === 'PM' ? 12 : 0), Number(minute), 0, 0);
    if (end.getTime() < Date.now() - MINUTE_MS) end.setUTCDate(end.getUTCDate() + 1);
    return end.getTime() - Date.now();
  };

  it('says after the second failure what is locked when, and the way out', async () => {
    await tryWith(panel.username, 'wrong-1');
    expect(await alert().textContent()).not.toContain('locked');
    await tryWith(panel.username, 'wrong-2');
    await alert().getByText('this user name is locked for 15 minutes at your address').waitFor();
    await alert().getByText('It can be reset on the command line of the server').waitFor();
    expect(await alert().textContent()).not.toContain('Locked until');
  });

  it('names the lock and its end after the fifth failure, and the right password does not log in', async () => {
    for (const password of ['wrong-3', 'wrong-4', 'wrong-5']) await tryWith(panel.username, password);
    await alert().getByText('Five attempts with this user name failed within five minutes.').waitFor();
    const ms = await lockedFor();
    expect(ms).toBeGreaterThan(LOCK_MS - 5 * MINUTE_MS);
    expect(ms).toBeLessThanOrEqual(LOCK_MS);
    const failed = () => recorded(panel.dataDir, 'LoginFailed').map(({ data: { reason, count } }) => [reason, count]);
    await expect.poll(failed).toStrictEqual(Array.from({ length: 5 }, () => ['credentials', 1]));
    await tryWith(panel.username, panel.password);
    await alert().getByText('even with the right password').waitFor();
    expect(await page.locator('input[name=username]').inputValue()).toBe(panel.username);
    expect(recorded(panel.dataDir, 'LoggedIn')).toStrictEqual([]);
  });

  it('does not concern another name, until thirty attempts from the address have failed', async () => {
    await tryWith('ishmael', 'wrong');
    expect(await alert().textContent()).not.toContain('Locked until');
    // The fifth failure of a name would lock it, and 24 more failures lock the address.
    for (let attempt = 0; attempt < 24; attempt += 1) await tryWith(`guess-${attempt % 8}`, `wrong-${attempt}`);
    await alert().getByText('Thirty attempts from your address failed within five minutes.').waitFor();
    await tryWith('ishmael', 'wrong');
    await alert().getByText('every user name is refused there').waitFor();
    expect(await lockedFor()).toBeGreaterThan(LOCK_MS - 5 * MINUTE_MS);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(complaints).toStrictEqual([]);
  });
});
