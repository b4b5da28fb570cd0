import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { openWebPanel, type WebPanel } from './support.js';
import { addHostileNames, LONG_EMAIL, MARKUP_EMAIL, RTL_EMAIL, settled, walk } from './walk.js';

const found = chromiumFor('the test of hostile names in the web panel');

describe.skipIf(found === null)('hostile names in the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    await addHostileNames(web);
  });

  afterAll(async () => web?.close());

  const pages = [MARKUP_EMAIL, RTL_EMAIL, LONG_EMAIL].map((email) => `clients/${encodeURIComponent(email)}`);
  const more = [...pages, 'inbounds/2', 'inbounds/3', 'nodes/2', 'nodes/3'];

  it.each([
    ['a desktop', { viewport: { width: 1440, height: 900 }, locale: 'en' }],
    ['a phone, from right to left', { viewport: { width: 390, height: 844 }, locale: 'fa' }],
  ])('run nothing, overflow nothing and reorder nothing on %s', async (_, options) => {
    const page = await web.another(options);
    const problems: string[] = [];
    await walk(
      web,
      page,
      async (where) => {
        const found = (await page.evaluate(PROBLEMS)) as readonly string[];
        problems.push(...found.map((problem) => `${where.slice(0, 60)}: ${problem}`));
      },
      more,
    );
    await page.context().close();
    expect([...new Set(problems)]).toStrictEqual([]);
  });

  it('stay text in the palette, in menus and in questions', async () => {
    const { page } = web;
    const problems: string[] = [];
    const look = async (where: string): Promise<void> => {
      const found = (await page.evaluate(PROBLEMS)) as readonly string[];
      problems.push(...found.map((problem) => `${where}: ${problem}`));
    };
    for (const text of ['img', 'שלום', 'WWWW']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('textbox').fill(text);
      // A client, an inbound and a node.
      await expect
        .poll(() => page.getByRole('dialog').getByText(text).count())
        .toBeGreaterThanOrEqual(text === 'שלום' ? 2 : 3);
      await look(`palette, ${text}`);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    for (const screen of ['inbounds', 'nodes', 'clients']) {
      await web.open(screen);
      await settled(page);
      const menus = page.getByRole('button', { name: /^Actions for/ });
      for (let index = 0; index < (await menus.count()); index += 1) {
        await menus.nth(index).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('dialog').waitFor();
        await look(`${screen}: delete ${index}`);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
      }
    }
    expect([...new Set(problems)]).toStrictEqual([]);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});

/**
 * What hostile names did to the page: markup that ran, a page wider than its window, a text that leaves the box of an
 * element around it, and a mark of direction whose isolating element continues after the name.
 */
const PROBLEMS = `(() => {
  const problems = [];
  const root = document.documentElement;
  if (globalThis.ran) problems.push('markup ran');
  if (document.querySelector('img[src=x]')) problems.push('markup became an element');
  const wider = root.scrollWidth - root.clientWidth;
  if (wider > 0) problems.push('the page is ' + wider + ' px too wide');
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
    const own = text.data.slice(mark + 1);
    if (after.trim() !== '' || !/^(eman)?("|})*$/.test(own.trim()))
      problems.push('a reversing name reorders ' + nameOf(around) + ': ' + around.textContent.slice(0, 120));
  }
  return problems;
})()`;
