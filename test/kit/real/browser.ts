import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Route,
} from 'playwright-core';
import { pause } from '../wait.js';
import { chromiumFlags } from './chromium.js';

/** The browser of this worker. It ends with the worker. */
let shared: Promise<Browser> | undefined;

/** How many times slower pages run. */
const SLOWDOWN = Number(process.env['PORTOLAN_TEST_BROWSER_SLOWDOWN'] ?? 1);
/** How much later a page gets each answer, in ms. Unlike the slowdown, it uses no processor time. */
const LATENCY_MS = Number(process.env['PORTOLAN_TEST_BROWSER_LATENCY'] ?? 0);

/** Contexts of the shared browser. Contexts have no cookies, caches or connections in common. */
export interface TestBrowser {
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Closes all contexts made here. The browser keeps running for the next test file. */
  close(): Promise<void>;
}

/** Starts the browser, unless another test file of this worker has started it. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const running = await shared?.catch(() => undefined);
  if (!running?.isConnected()) shared = chromium.launch({ executablePath, args: [...chromiumFlags] });
  const browser = await shared;
  if (!browser) throw new Error('the browser did not start');
  const contexts: BrowserContext[] = [];
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      contexts.push(context);
      if (SLOWDOWN > 1) context.on('page', (page) => slowDown(context, page));
      if (LATENCY_MS > 0) await context.route('**/*', delayed);
      return context;
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
  };
}

/** A page that closed meanwhile needs no slowdown. */
async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  try {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  } catch (error) {
    if (!page.isClosed()) throw error;
  }
}

/** Passes a request on later, unless its page has closed meanwhile. */
async function delayed(route: Route): Promise<void> {
  try {
    await pause(LATENCY_MS);
    await route.fallback();
  } catch (error) {
    if (!route.request().frame().page().isClosed()) throw error;
  }
}
