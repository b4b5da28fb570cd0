import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { openWebPanel, type WebPanel } from '../support.js';
import { settled, walk } from '../walk.js';
import { COLOR_RULES, RULES, showIn, type Theme, violations } from './axe-of.js';
import { addOneOfEach } from './one-of-each.js';
import { smallTargets } from './targets.js';

const found = chromiumFor('the test of the accessibility of the web panel');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

describe.skipIf(found === null)('the accessibility of the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    await addOneOfEach(web);
  });

  afterAll(async () => web?.close());

  /** A change of the theme draws everything again, so each screen starts with the theme in which the former one ended. */
  let theme: Theme = 'light';

  async function inBothThemesAndSizes(page: Page, where: string): Promise<readonly string[]> {
    const problems: string[] = [];
    const look = async (size: typeof PHONE, colorScheme: Theme): Promise<void> => {
      await page.setViewportSize(size);
      await settled(page);
      await showIn(page, colorScheme);
      await settled(page);
      // The dark theme has the same document in other colours.
      const rules = colorScheme === 'light' ? RULES : COLOR_RULES;
      const context = `${where}, ${size.width} px, ${colorScheme}`;
      problems.push(...(await violations(page, context, rules)));
      if (colorScheme === 'light') problems.push(...(await smallTargets(page)).map((small) => `${context}: ${small}`));
    };
    const other = theme === 'light' ? 'dark' : 'light';
    await look(DESKTOP, theme);
    await look(PHONE, theme);
    await look(PHONE, other);
    await look(DESKTOP, other);
    theme = other;
    return problems;
  }

  it('has no serious problem on any screen, in both themes, on a desktop and on a phone', async () => {
    const problems: string[] = [];
    await walk(web, web.page, async (where) => void problems.push(...(await inBothThemesAndSizes(web.page, where))), [
      'no-such-screen',
    ]);
    expect(problems).toStrictEqual([]);
  });

  it('has none in forms, menus and dialogs', async () => {
    const { page } = web;
    const problems: string[] = [];
    const overlays = [
      ['clients', 'Add client'],
      ['nodes', 'Add node'],
      ['geo', 'Add source'],
    ] as const;
    for (const [screen, button] of overlays) {
      await web.open(screen);
      await page.locator('#content').getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog').waitFor();
      problems.push(...(await inBothThemesAndSizes(page, `${screen}: ${button}`)));
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    // This one covers a part of the screen and leaves the rest usable, so it is opened where there is nothing to cover.
    await web.open('no-such-screen');
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByText('Density').waitFor();
    problems.push(...(await inBothThemesAndSizes(page, 'appearance')));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    problems.push(...(await inBothThemesAndSizes(page, 'palette')));
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    problems.push(...(await inBothThemesAndSizes(page, 'shortcuts')));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(problems).toStrictEqual([]);
  });

  it('has none where rows are selected', async () => {
    const { page } = web;
    await page.setViewportSize(DESKTOP);
    await web.open('clients');
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByText('Selected: ').first().waitFor();
    expect(await inBothThemesAndSizes(page, 'selected clients')).toStrictEqual([]);
  });

  it('has none in Persian, and none on the login', async () => {
    const persian = await web.another({ viewport: DESKTOP, locale: 'fa' });
    const problems: string[] = [];
    await walk(web, persian, async (where) => void problems.push(...(await violations(persian, where))));
    await persian.context().clearCookies();
    await persian.reload();
    await persian.locator('input[name=password]').waitFor();
    problems.push(...(await inBothThemesAndSizes(persian, 'login')));
    await persian.context().close();
    expect(problems).toStrictEqual([]);
  });

  it('shows the focus on everything that the Tab key reaches', async () => {
    const { page } = web;
    const invisible: string[] = [];
    let isFrameSeen = false;
    await walk(web, page, async (where) => {
      // The header and the navigation are the same on every screen.
      await page.evaluate(isFrameSeen ? `document.querySelector('#content').focus()` : 'document.activeElement.blur()');
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        const { unseen, isInContent } = (await page.evaluate(FOCUSED)) as Focused;
        if (unseen !== null) invisible.push(`${where}: ${unseen}`);
        if (isFrameSeen && !isInContent) break;
      }
      isFrameSeen = true;
    });
    expect([...new Set(invisible)]).toStrictEqual([]);
  });

  it('does not move anything where motion is reduced', async () => {
    const { page } = web;
    await web.open('clients');
    await settled(page);
    await page.locator('#content').getByRole('button', { name: 'Add client' }).first().click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate(MOVING)).toStrictEqual([]);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});

interface Focused {
  /** The focused element, where neither an outline nor its border says so. */
  readonly unseen: string | null;
  readonly isInContent: boolean;
}

const FOCUSED = `(() => {
  const one = document.activeElement;
  if (!one || one === document.body) return { unseen: null, isInContent: false };
  const marks = [one, one.parentElement, one.nextElementSibling, one.closest('.cm-editor')].filter(Boolean).map((each) => getComputedStyle(each));
  const isOutlined = marks.some((style) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
  const isInContent = one.closest('#content, [role=dialog]') !== null;
  return { unseen: isOutlined ? null : one.outerHTML.slice(0, 200), isInContent };
})()`;

/** Animations and transitions that run for longer than a frame. */
const MOVING = `document.getAnimations()
  .filter((one) => one.playState === 'running' && one.effect.getComputedTiming().duration > 17)
  .map((one) => one.effect.target?.outerHTML.slice(0, 120))`;
