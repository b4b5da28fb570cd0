import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumFlags } from './chromium.js';

/** The browser of this worker. It ends with the worker. */
let shared: Promise<Browser> | undefined;

/** How many times slower pages run: shows which tests depend on the speed of the machine. */
const SLOWDOWN = Number(process.env['PORTOLAN_TEST_BROWSER_SLOWDOWN'] ?? 1);

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
      return context;
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
  };
}

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
}
