import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../../kit/real/browser.js';
import { type PanelProcess, startPanel } from '../../kit/real/panel-process.js';
import { watchedPage } from '../../kit/real/web-session.js';

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** A panel and a browser in which an admin is logged in. */
export interface WebPanel {
  readonly panel: PanelProcess;
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went to the console as an error, and violations of the policy. */
  readonly complaints: string[];
  /** Opens a screen by its address, such as `clients?state=expired`. */
  readonly open: (address: string, page?: Page) => Promise<void>;
  readonly heading: (name: string, page?: Page) => Promise<void>;
  /** Another page with the same session, unless the options have another state. */
  readonly another: (options: ContextOptions) => Promise<Page>;
  readonly close: () => Promise<void>;
}

/** Starts a panel under a base path, and a browser without animations in which its admin is logged in. */
export async function openWebPanel(
  chromiumPath: string,
  options: ContextOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<WebPanel> {
  const panel = await startPanel({ env: { PORTOLAN_BASE_PATH: '/a/secret/path/', ...env } });
  const browser = await openBrowser(chromiumPath);
  const complaints: string[] = [];
  // A page asks for its session before it shows the login.
  const newPage = (context: BrowserContext): Promise<Page> =>
    watchedPage(context, complaints, /401|ERR_CONNECTION|WebSocket/);
  const still = { reducedMotion: 'reduce' } as const;
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ ...still, viewport, locale: 'en', ...options });
  const page = await newPage(context);
  await page.goto(`${panel.url}/#/overview`);
  await page.getByLabel('User name').fill(panel.username);
  await page.locator('input[name=password]').fill(panel.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  return {
    ...{ panel, page, context, complaints },
    open: async (address, of = page) => void (await of.goto(`${panel.url}/#/${address}`)),
    heading: (name, of = page) => of.getByRole('heading', { level: 1, name }).waitFor(),
    another: async (options) =>
      newPage(await browser.newContext({ ...still, storageState: await context.storageState(), ...options })),
    close: async () => {
      await browser.close();
      await panel.cleanUp();
    },
  };
}

/** The texts of a folder of the web panel, such as `screens/clients`, by their keys. */
export function textsOf(folder: string, locale: string): (key: string) => string {
  const file = `web/src/${folder}/texts/${locale}.json`;
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, string>>;
  return (key) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`${file} has no ${key}`);
    return text;
  };
}
