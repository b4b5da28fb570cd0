import type { BrowserContext, Locator, Page } from 'playwright-core';
import { HANG_MS, until } from '../wait.js';
import { openBrowser, type TestBrowser } from './browser.js';
import type { PanelProcess } from './panel-process.js';

/** An admin in the web panel, logged in, and everything the browser complained of. */
export interface WebSession {
  readonly browser: TestBrowser;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the console, violations of the policy, exceptions. */
  readonly complaints: readonly string[];
  /** Opens a screen by its address, such as `nodes/1`, and waits for its heading. */
  open(screen: string, heading: string): Promise<void>;
  /** Chooses an item of the menu of a row. */
  menu(button: string, item: string): Promise<void>;
  /** Waits for a sentence anywhere on the screen. */
  sees(text: string | RegExp): Promise<void>;
  /** Closes the toasts, which lie over the buttons of forms for some seconds. */
  closeToasts(): Promise<void>;
  /** How far the screen is wider than a phone of 390 px, in the same session, from right to left. */
  overflowOnPhone(screen: string): Promise<number>;
  close(): Promise<void>;
}

/** Opens the web panel in a real browser and logs in. */
export async function startWebSession(chromiumFile: string, panel: PanelProcess): Promise<WebSession> {
  const browser = await openBrowser(chromiumFile);
  // Each drawer and menu would slide for a fraction of a second, and the browser waits until it stands still.
  const reducedMotion = 'reduce';
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, locale: 'en', reducedMotion });
  const complaints: string[] = [];
  const page = await watchedPage(context, complaints);
  await page.goto(`${panel.url}/`);
  await page.getByLabel('User name').fill(panel.username);
  await page.locator('input[name=password]').fill(panel.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  let phone: Page | undefined;
  return {
    browser,
    context,
    page,
    complaints,
    async open(screen, heading) {
      await page.goto(`${panel.url}/#/${screen}`);
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
    },
    async menu(button, item) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('menuitem', { name: item }).click();
    },
    sees: (text) => page.getByText(text).first().waitFor(),
    closeToasts: () => closeToasts(page),
    async overflowOnPhone(screen) {
      phone ??= await phoneOf(browser, complaints);
      await phone.context().addCookies(await context.cookies());
      await phone.goto(`${panel.url}/#/${screen}`);
      await phone.getByRole('heading', { level: 1 }).waitFor();
      await phone.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      const overflow = await phone.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      // It must not stay connected. The next address then loads the page, not only another fragment.
      await phone.goto('about:blank');
      return Number(overflow);
    },
    close: () => browser.close(),
  };
}

/**
 * Replaces the text of a code editor. Before the styles of the editor apply, the browser would insert the text with a style
 * attribute of its own, which the Content-Security-Policy reports.
 */
export async function fillCode(editor: Locator, text: string): Promise<void> {
  // Its parts are loaded first.
  await editor.waitFor();
  // This style is in a theme of the editor, and not in the style sheet of the page.
  const isStyled = "getComputedStyle(document.querySelector('.cm-gutters')).borderInlineEndStyle === 'solid'";
  await until('the styles of the editor apply', () => editor.page().evaluate<boolean>(isStyled));
  // Until the permissions are known, it can only be read.
  await until('the editor takes text', async () => (await editor.getAttribute('aria-readonly')) === null);
  await editor.fill(text);
}

/** Closes the toasts of a page, which would stay for 5 to 20 seconds, or as long as the pointer is over them. */
export async function closeToasts(page: Page): Promise<void> {
  const toasts = `document.querySelectorAll('.mantine-Notification-root')`;
  const close = `${toasts}.forEach((toast) => toast.querySelector('button[aria-label="Close"]')?.click())`;
  // A toast that comes now is closed as well.
  await until('all toasts are closed', async () => {
    await page.evaluate(close);
    return (await page.evaluate(`${toasts}.length`)) === 0;
  });
}

async function phoneOf(browser: TestBrowser, complaints: string[]): Promise<Page> {
  const viewport = { width: 390, height: 844 };
  return watchedPage(await browser.newContext({ viewport, locale: 'fa', reducedMotion: 'reduce' }), complaints);
}

/** A page whose exceptions, errors of the console and violations of the policy are added to `complaints`, but those `ignored`. */
export async function watchedPage(
  context: BrowserContext,
  complaints: string[],
  ignored = /ERR_CONNECTION|WebSocket/,
): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(HANG_MS);
  await page.addInitScript(NAME_VIOLATIONS);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !ignored.test(message.text())) complaints.push(message.text());
  });
  return page;
}

/** The console says which policy was violated, but not by what. */
const NAME_VIOLATIONS = `document.addEventListener('securitypolicyviolation', ({ target, sourceFile, lineNumber, sample }) =>
  console.error('violation', sourceFile, lineNumber, sample, target instanceof Element ? target.outerHTML.slice(0, 300) : ''))`;
