import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { chromiumFlags } from './chromium.js';

/** The browser of this worker. It ends with the worker. */
let shared: Promise<Browser> | undefined;

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
      return context;
    },
    close: async () => void (await Promise.all(contexts.map((context) => context.close()))),
  };
}
