import type { Page } from 'playwright-core';
import { until } from '../../kit/wait.js';
import { settled } from './walk.js';

/** What opened: the button, the item of its menu, and all texts of dialogs and messages. */
export interface Opened {
  readonly button: string;
  readonly item: string;
  /** Empty if no dialog opened. */
  readonly dialog: string;
}

/** Buttons that end the session, stop the core, request other hosts or leave the page. */
const SKIPPED =
  /^(Log out|End|End all others|Restart|Start|Stop|Print|Register|Test|Test all|Update all|Hide|Update .*)$/;

/** How long a button may be covered, in ms. */
const LATE_MS = 5000;

const ROW_MENU = /^Actions for /;

/**
 * Presses each button on a screen, and each item of the menus that open, and calls `look` after each. Dialogs are closed
 * without being confirmed. Of buttons with the same name only the first is pressed; with `oneRow`, of the menus of rows only
 * that of the last one.
 */
export async function openEverything(
  page: Page,
  start: () => Promise<void>,
  look: (opened: Opened) => Promise<void>,
  { oneRow = false } = {},
): Promise<void> {
  await start();
  const address = page.url();
  const again = async (): Promise<void> => {
    await closeAll(page);
    if (page.url() !== address) await start();
  };
  const press = async (button: string): Promise<boolean> => {
    const handle = await page.evaluateHandle(`${BUTTONS}.find(([name]) => name === ${JSON.stringify(button)})?.[1]`);
    const element = handle.asElement();
    // A dialog that waited for an answer may have opened after the others were closed.
    await element?.click({ timeout: LATE_MS }).catch(() => closeAll(page).then(() => element.click()));
    await settled(page);
    return element !== null;
  };
  const buttons = (await page.evaluate(`${BUTTONS}.map(([name]) => name)`)) as readonly string[];
  const lastRow = buttons.findLast((name) => ROW_MENU.test(name));
  const isWanted = (name: string): boolean =>
    !SKIPPED.test(name) && !(oneRow && ROW_MENU.test(name) && name !== lastRow);
  for (const button of new Set(buttons.filter(isWanted))) {
    // What an earlier button changed may have removed this one.
    if (!(await press(button))) continue;
    const items = page.getByRole('menuitem');
    const count = await items.count();
    await look({ button, item: '', dialog: await dialogText(page) });
    for (let index = 0; index < count; index += 1) {
      if (index > 0 && !(await press(button))) break;
      const item = items.nth(index);
      const name = (await item.textContent())?.trim() ?? '';
      if (SKIPPED.test(name) || (await item.isDisabled())) {
        await again();
        continue;
      }
      await item.click();
      await settled(page);
      await look({ button, item: name, dialog: await dialogText(page) });
      await again();
    }
    await again();
  }
}

/** Closes menus and dialogs, one above the other, as a person does. */
export async function closeAll(page: Page): Promise<void> {
  const open = page.locator('[role=dialog]:visible, [role=menu]:visible');
  for (let count = await open.count(); count > 0; count = await open.count()) {
    await page.keyboard.press('Escape');
    await until('one less is open', async () => (await open.count()) < count);
  }
}

async function dialogText(page: Page): Promise<string> {
  return (await page.locator('[role=dialog]:visible, [role=alertdialog]:visible').allTextContents()).join('\n');
}

/** Names and elements of the buttons that can be pressed and are not part of a form, a table header or a group. */
const BUTTONS = `[...document.querySelectorAll('#content button')]
  .filter((one) => one.checkVisibility() && !one.disabled && one.type !== 'submit' && one.tabIndex >= 0 &&
    !one.closest('[role=columnheader], [role=tablist], [role=radiogroup], .cm-editor, [inert]') && one.role !== 'switch')
  .map((one) => [(one.getAttribute('aria-label') ?? one.textContent).trim(), one])`;
