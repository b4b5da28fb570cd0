import type { Page } from 'playwright-core';
import { must, storeTemplate } from '../../kit/real/panel-process.js';
import type { WebPanel } from './support.js';
import { LONG, MARKUP, REVERSING, RTL_EMAIL } from './walk.js';

/** The longest names of admins and tokens, and of webhooks. */
const LONG_ADMIN = 'W'.repeat(64);
const LONG_WEBHOOK = 'W'.repeat(100);

/** Adds admins, access tokens, webhooks, outbounds, rules and balancers with these names. */
export async function addHostileParts({ panel }: Pick<WebPanel, 'panel'>): Promise<void> {
  const admin = await panel.admin();
  // The panel refuses marks of direction in names of admins and tokens; letters from right to left are valid.
  for (const name of [MARKUP, RTL_EMAIL, LONG_ADMIN]) {
    const password = crypto.randomUUID();
    await must(admin.post('/panel/api/admins/add', { username: name, password, role: 'support' }));
    await must(admin.post('/panel/api/tokens/add', { name, role: 'metrics' }));
  }
  for (const name of [MARKUP, REVERSING, LONG_WEBHOOK])
    await must(admin.post('/panel/api/webhooks/add', { name, url: 'https://receiver.example/hook' }));
  const tags = [MARKUP, REVERSING, LONG];
  await storeTemplate(admin, {
    log: { loglevel: 'warning' },
    inbounds: [],
    outbounds: ['direct', ...tags].map((tag) => ({ tag, protocol: 'freedom', settings: {} })),
    routing: {
      rules: tags.map((tag) => ({ type: 'field', domain: [`full:${tag}`], outboundTag: tag })),
      balancers: tags.map((tag) => ({ tag: `b${tag}`, selector: [tag] })),
    },
  });
}

/** How long a problem must last, in ms: a message that slides in begins outside of the window. */
const LASTING_MS = 15_000;

/** What hostile names did to the page, with the place. */
export async function problemsOf(page: Page, where: string): Promise<readonly string[]> {
  const look = (): Promise<readonly string[]> => page.evaluate(PROBLEMS);
  let found = await look();
  for (const end = Date.now() + LASTING_MS; found.length > 0 && Date.now() < end; found = await look())
    await page.waitForTimeout(50);
  return found.map((problem) => `${where}: ${problem}`);
}

/**
 * What hostile names did to the page: markup that ran, a page wider than its window, a control that is cut or outside of
 * the window, a text that leaves the box of an element around it, and a mark of direction whose isolating element continues after the name.
 */
const PROBLEMS = `(() => {
  const problems = [];
  const root = document.documentElement;
  if (globalThis.ran) problems.push('markup ran');
  if (document.querySelector('img[src=x]')) problems.push('markup became an element');
  const wider = root.scrollWidth - root.clientWidth;
  if (wider > 0) problems.push('the page is ' + wider + ' px too wide');
  for (const control of document.querySelectorAll('button, a, input, select, [role=switch]')) {
    const { left, right, width } = control.getBoundingClientRect();
    if (!control.checkVisibility() || width < 2) continue;
    let [start, end] = [0, root.clientWidth];
    for (let box = control.parentElement; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      // A table that scrolls sideways brings it into view.
      if (/auto|scroll/.test(style.overflowX) && box.scrollWidth > box.clientWidth) {
        [start, end] = [-Infinity, Infinity];
        break;
      }
      if (style.position === 'fixed') break;
      if (style.overflowX === 'visible' && !/paint|strict|content/.test(style.contain)) continue;
      const outer = box.getBoundingClientRect();
      start = Math.max(start, outer.left);
      end = Math.min(end, outer.right);
    }
    if (left < start - 1 || right > end + 1)
      problems.push('a control is cut or outside of the window: ' + control.outerHTML.slice(0, 160));
  }
  const nameOf = (one) => one.tagName.toLowerCase() + '.' + one.className;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    if (!parent.checkVisibility() || parent.closest('script, style, textarea, .cm-editor')) continue;
    if (/W{40}/.test(text.data)) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { left, right } = range.getBoundingClientRect();
      for (let box = parent; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (style.overflowX !== 'visible') break;
        if (style.display === 'inline' || style.display === 'contents') continue;
        const outer = box.getBoundingClientRect();
        if (right > outer.right + 1 || left < outer.left - 1) {
          problems.push('a long name leaves ' + nameOf(box));
          break;
        }
      }
    }
    const mark = text.data.indexOf('\\u202e');
    if (mark < 0 || text.data.lastIndexOf('\\u2069') > mark) continue;
    let around = parent;
    while (getComputedStyle(around).display === 'inline' && !/isolate|plaintext/.test(getComputedStyle(around).unicodeBidi))
      around = around.parentElement;
    const after = around.textContent.slice(around.textContent.lastIndexOf(text.data) + text.data.length);
    // The name of a clone ends with a number.
    const own = text.data.slice(mark + 1);
    if (after.trim() !== '' || !/^(eman)?( 2)?("|})*$/.test(own.trim()))
      problems.push('a reversing name reorders ' + nameOf(around) + ': ' + around.textContent.slice(0, 120));
  }
  return problems;
})()`;
