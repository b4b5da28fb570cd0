import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFor } from '../../kit/real/chromium.js';
import { closeToasts } from '../../kit/real/web-session.js';
import { addHostileParts, problemsOf } from './hostile-names.js';
import { type Opened, openEverything } from './open-everything.js';
import { openWebPanel, type WebPanel } from './support.js';
import { addHostileNames, LONG_EMAIL, MARKUP_EMAIL, RTL_EMAIL, settled } from './walk.js';

const found = chromiumFor('the test of hostile names in dialogs of the web panel');
/** Actions whose question names what is lost. */
const DESTRUCTIVE = /^(Delete|Remove|Revoke|Erase)/;

describe.skipIf(found === null)('hostile names in the dialogs of the web panel', () => {
  let web: WebPanel;

  beforeAll(async () => {
    web = await openWebPanel(found ?? '');
    await addHostileNames(web);
    await addHostileParts(web);
  });

  afterAll(async () => web?.close());

  const at = (address: string) => async (): Promise<void> => {
    await web.open(address);
    await settled(web.page);
  };

  const client = (email: string): string => `clients/${encodeURIComponent(email)}`;
  it.each([
    ['clients', 9],
    [client(MARKUP_EMAIL), 5],
    [client(RTL_EMAIL), 5],
    [client(LONG_EMAIL), 5],
    ['inbounds', 9],
    ['nodes', 6],
    ['nodes/1', 2],
    ['nodes/2', 2],
    ['nodes/3', 2],
    ['core?tab=routing', 4],
    ['core?tab=outbounds', 6],
    ['core?tab=balancers', 3],
    ['webhooks', 9],
    ['access?tab=admins', 9],
    ['access?tab=roles', 5],
    ['access?tab=tokens', 6],
    ['audit', 1],
    ['account', 1],
    ['proof', 2],
    ['geo', 1],
  ])('run nothing, overflow nothing and reorder nothing at %s', async (address, least) => {
    const { page } = web;
    const problems: string[] = [];
    const dialogs: Opened[] = [];
    await openEverything(page, at(address), async (opened) => {
      const where = `${address.slice(0, 30)}: ${opened.button.slice(0, 40)}: ${opened.item}`;
      problems.push(...(await problemsOf(page, where)));
      if (opened.dialog !== '') dialogs.push(opened);
      const name = /^Actions for (?!rule)(.*)$/s.exec(opened.button)?.[1];
      // What is removed on the screen of the core is only in the draft, and listed before it is saved.
      if (
        name !== undefined &&
        !address.startsWith('core') &&
        DESTRUCTIVE.test(opened.item) &&
        !opened.dialog.includes(name)
      )
        problems.push(`${where} does not name what is lost: ${opened.dialog.slice(0, 200)}`);
    });
    expect([...new Set(problems)]).toStrictEqual([]);
    expect(
      dialogs.length,
      JSON.stringify(dialogs.map(({ button, item }) => [button.slice(0, 40), item])),
    ).toBeGreaterThanOrEqual(least);
  });

  it('stay text in the questions about several clients', async () => {
    const { page } = web;
    const problems: string[] = [];
    const asked = new Set<string>();
    const selectAll = async (): Promise<void> => {
      await at('clients')();
      const box = page.getByRole('columnheader').getByRole('checkbox');
      if (!(await box.isChecked())) await box.click();
      await page.getByRole('toolbar').waitFor();
    };
    await openEverything(page, selectAll, async ({ button, item, dialog }) => {
      problems.push(...(await problemsOf(page, `${button.slice(0, 40)}: ${item}`)));
      if (dialog !== '') asked.add(button);
    });
    expect([...new Set(problems)]).toStrictEqual([]);
    expect([...asked]).toEqual(expect.arrayContaining(['Disable', 'Extend', 'Move', 'Delete']));
  });

  it.each([
    ['clients', 'Delete', 'Delete'],
    ['inbounds', 'Delete', 'Delete'],
    ['nodes', 'Delete', 'Delete'],
    ['webhooks', 'Delete', 'Delete'],
    ['access?tab=tokens', 'Revoke', 'Revoke'],
  ])('stay text in what is said after a deletion at %s', async (address, item, confirm) => {
    const { page } = web;
    await at(address)();
    const menus = page.getByRole('button', { name: /^Actions for.*(img|name|שלום|WWWW)/ });
    const count = await menus.count();
    expect(count).toBeGreaterThanOrEqual(3);
    const problems: string[] = [];
    for (let rest = count; rest > 0; rest -= 1) {
      await menus.first().click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect.poll(() => menus.count()).toBe(rest - 1);
      problems.push(...(await problemsOf(page, address)));
      await closeToasts(page);
    }
    expect(problems).toStrictEqual([]);
  });

  it('raised no error in the console and broke no policy', () => {
    expect(web.complaints).toStrictEqual([]);
  });
});
