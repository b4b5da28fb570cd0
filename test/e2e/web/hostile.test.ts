import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { problemsOf } from './hostile-names.js';
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
        problems.push(...(await problemsOf(page, where.slice(0, 60))));
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
      problems.push(...(await problemsOf(page, where)));
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
