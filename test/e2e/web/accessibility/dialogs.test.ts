import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../../kit/real/chromium.js';
import { must, storeTemplate } from '../../../kit/real/panel-process.js';
import { type Opened, openEverything } from '../open-everything.js';
import { openWebPanel, type WebPanel } from '../support.js';
import { settled } from '../walk.js';
import { COLOR_RULES, RULES, showIn, type Theme, violations } from './axe-of.js';
import { addOneOfEach } from './one-of-each.js';
import { smallTargets } from './targets.js';

const found = chromiumFor('the test of the accessibility of dialogs of the web panel');
/** What opens over a screen: dialogs, drawers, menus and pop-overs. */
const OVERLAYS = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox]';

/** Actions for several clients. */
const BULK = /^(Enable|Disable|Extend|Add traffic|Reset traffic|Move|Delete)$/;

describe.skipIf(found === null)('the accessibility of dialogs, drawers and menus', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    const admin = await web.panel.admin();
    await addOneOfEach(web);
    await must(
      admin.post('/panel/api/admins/add', { username: 'nora', password: crypto.randomUUID(), role: 'support' }),
    );
    await must(admin.post('/panel/api/tokens/add', { name: 'grafana', role: 'metrics' }));
    await must(admin.post('/panel/api/webhooks/add', { name: 'billing', url: 'https://receiver.example/hook' }));
    await storeTemplate(admin, {
      log: { loglevel: 'warning' },
      inbounds: [],
      outbounds: [{ tag: 'direct', protocol: 'freedom', settings: {} }],
      routing: {
        rules: [{ type: 'field', domain: ['full:example.com'], outboundTag: 'direct' }],
        balancers: [{ tag: 'all', selector: ['direct'] }],
      },
    });
  });

  afterAll(async () => web?.close());

  /** A change of the theme draws everything again, so each dialog starts with the theme in which the former one ended. */
  let theme: Theme = 'light';

  async function inBothThemes(where: string): Promise<readonly string[]> {
    const { page } = web;
    const problems: string[] = [];
    const other = theme === 'light' ? 'dark' : 'light';
    for (const scheme of [theme, other] as const) {
      if (scheme !== theme) await showIn(page, scheme);
      // The dark theme has the same document in other colours.
      const rules = scheme === 'light' ? RULES : COLOR_RULES;
      problems.push(...(await violations(page, `${where}, ${scheme}`, rules, OVERLAYS)));
    }
    theme = other;
    problems.push(...(await smallTargets(page)).map((small) => `${where}: ${small}`));
    return problems;
  }

  it.each([
    ['clients', 8],
    ['clients/ahab', 5],
    ['inbounds', 5],
    ['nodes', 4],
    ['nodes/1', 2],
    ['core?tab=routing', 4],
    ['core?tab=outbounds', 4],
    ['core?tab=balancers', 2],
    ['geo', 1],
    ['webhooks', 4],
    ['access?tab=admins', 4],
    ['access?tab=roles', 2],
    ['access?tab=tokens', 3],
    ['audit', 1],
    ['account', 1],
    ['proof', 2],
  ])('has no serious problem in both themes at %s', async (address, least) => {
    const { page } = web;
    const problems: string[] = [];
    const seen: string[] = [];
    const start = async (): Promise<void> => {
      await web.open(address);
      await settled(page);
    };
    const look = async ({ button, item }: Opened): Promise<void> => {
      if ((await page.locator(OVERLAYS).filter({ visible: true }).count()) === 0) return;
      seen.push(`${button}: ${item}`);
      problems.push(...(await inBothThemes(`${address}: ${button}: ${item}`)));
    };
    await openEverything(page, start, look, { oneRow: true });
    expect([...new Set(problems)]).toStrictEqual([]);
    expect(seen.length, seen.join(', ')).toBeGreaterThanOrEqual(least);
  });

  it('has none in the dialogs about several clients', async () => {
    const { page } = web;
    const problems: string[] = [];
    const seen: string[] = [];
    const selectAll = async (): Promise<void> => {
      await web.open('clients');
      await settled(page);
      const box = page.getByRole('columnheader').getByRole('checkbox');
      if (!(await box.isChecked())) await box.click();
      await page.getByRole('toolbar').waitFor();
    };
    await openEverything(page, selectAll, async ({ button, item }) => {
      // The dialogs of the screen itself are the same as without a selection.
      if (seen.includes(button) || !BULK.test(button)) return;
      seen.push(button);
      problems.push(...(await inBothThemes(`several clients: ${button}: ${item}`)));
    });
    expect([...new Set(problems)]).toStrictEqual([]);
    expect(seen).toEqual(expect.arrayContaining(['Disable', 'Extend', 'Move', 'Delete']));
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
