import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import type { WebPanel } from './support.js';

/** Markup that sets `ran` if a browser takes it for markup. */
export const MARKUP = '<img src=x onerror="globalThis.ran=1">';
/** Everything after it is shown in reverse, up to the end of the element that isolates it. */
export const REVERSING = 'name\u202eeman';
/** Longer than any column. Without a place where a line may break. */
export const LONG = 'W'.repeat(500);
/** The longest email that the panel accepts. */
export const LONG_EMAIL = 'W'.repeat(256);
/** The panel refuses marks of direction in emails and names of nodes; letters from right to left are valid. */
export const RTL_EMAIL = 'שלום-1';
/** The longest name of a node. */
const LONG_NODE = 'W'.repeat(100);
/** The core does not accept `>` in the email of a client. */
export const MARKUP_EMAIL = MARKUP.replaceAll('>', '');

/** Adds an inbound, a client and a node with each of these names. */
export async function addHostileNames({ panel }: Pick<WebPanel, 'panel'>): Promise<void> {
  const admin = await panel.admin();
  const stream = { streamSettings: '{"network":"tcp","security":"none"}', sniffing: '{"enabled":false}' };
  const names = [
    [MARKUP, MARKUP_EMAIL, MARKUP],
    [REVERSING, RTL_EMAIL, RTL_EMAIL],
    [LONG, LONG_EMAIL, LONG_NODE],
  ] as const;
  for (const [name, email, nodeName] of names) {
    const expiryTime = Date.now() + 3 * 86_400_000;
    const client = { id: crypto.randomUUID(), email, comment: name, enable: true, totalGB: 1e9, expiryTime };
    const settings = JSON.stringify({ clients: [client], decryption: 'none' });
    const inbound = { enable: true, protocol: 'vless', listen: '127.0.0.1', settings, ...stream };
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, remark: name, port: await freePort() }));
    await must(
      admin.post(`/panel/api/inbounds/updateClientTraffic/${encodeURIComponent(email)}`, { upload: 5, download: 9 }),
    );
    const place = { scheme: 'http', host: '127.0.0.1', port: await freePort(), basePath: '/' };
    const node = { name: nodeName, remark: nodeName, ...place, apiToken: 'token', allowPrivateAddress: true };
    await must(admin.post('/panel/api/nodes/add', { ...node, enable: true }));
  }
}

/** Waits until nothing on the screen is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  // A frame later, because what an answer adds to the screen may load something itself.
  await expect.poll(() => page.evaluate(BUSY)).toBe(0);
}

const BUSY = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(document.querySelectorAll('[aria-busy=true]').length))))`;

/** Everything that the navigation names. */
export async function registeredScreens(page: Page): Promise<readonly string[]> {
  const hrefs = await page
    .locator('nav a[href^="#/"]')
    .evaluateAll((links) => links.map((a) => a.getAttribute('href')));
  return hrefs.map((href) => (href ?? '').slice(2));
}

/** A page of one thing stands for the pages of all things of its kind. */
function kindOf(path: string): string {
  const [screen = '', ...rest] = path.split('/');
  return [screen, ...rest.map((part) => (/\d|%|.{24}/.test(part) ? '*' : part))].join('/');
}

/**
 * Opens every screen, one page of each kind that a screen links to, and every tab on them, and looks at each.
 * `more`: addresses that no link on a screen leads to.
 */
export async function walk(
  web: WebPanel,
  page: Page,
  look: (where: string) => Promise<void>,
  more: readonly string[] = [],
): Promise<void> {
  await web.open('overview', page);
  await settled(page);
  // Only a fresh panel links to the set-up.
  const waiting = [...(await registeredScreens(page)), 'setup', ...more];
  const seen = new Set<string>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const kind = more.includes(path) ? path : kindOf(path);
    if (seen.has(kind)) continue;
    seen.add(kind);
    await web.open(path, page);
    await settled(page);
    await look(kind);
    const links = await page
      .locator('#content a[href^="#/"]')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    waiting.push(
      ...links.map((href) => (href ?? '').slice(2).split('?')[0] ?? '').filter((link) => link.includes('/')),
    );
    const tabs = page.locator('#content [role=tab]');
    for (let index = 0; index < (await tabs.count()); index += 1) {
      const tab = tabs.nth(index);
      if ((await tab.getAttribute('aria-selected')) === 'true') continue;
      await tab.click();
      await settled(page);
      await look(`${kind} (${await tab.textContent()})`);
    }
  }
}
