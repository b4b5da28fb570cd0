import type { Page } from 'playwright-core';
import { until } from '../../kit/wait.js';

/** More steps than any screen has. */
const STEPS = 200;

/** What an admin does without a pointer. Elements are named by their accessible names. */
export interface Keyboard {
  press(...keys: readonly string[]): Promise<void>;
  /** Presses a key until the focus is on the element with this name. */
  moveTo(name: string, key?: string): Promise<void>;
  /** The name of the focused element; empty if there is none. */
  focused(): Promise<string>;
  /** Moves to a button or link and presses Enter. */
  use(name: string): Promise<void>;
  /** Moves to an input and replaces its text. */
  type(name: string, text: string): Promise<void>;
  /** Moves to a select and types its option. */
  choose(name: string, option: string): Promise<void>;
  /** Opens the menu of a button and uses an item. */
  fromMenu(button: string, item: string): Promise<void>;
  /** Uses a button of the dialog that opens, which then closes. */
  confirm(button: string): Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  const focused = async (): Promise<string> => String(await page.evaluate(FOCUSED));
  const press = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await page.keyboard.press(name);
  };
  const moveTo = async (name: string, key = 'Tab'): Promise<void> => {
    const passed = new Set<string>();
    // A list may still be loading.
    await until(`there is ${name}`, () => page.evaluate(`${NAMED}.includes(${JSON.stringify(name)})`));
    for (let step = 0; step < STEPS; step += 1) {
      const now = await focused();
      if (now === name) return;
      passed.add(now);
      await page.keyboard.press(key);
    }
    throw new Error(`${name} cannot be reached with ${key}; the focus was on: ${[...passed].join(' | ')}`);
  };
  const inDialog = () => until('a dialog has the focus', () => page.evaluate<boolean>(IS_IN_DIALOG));
  return {
    ...{ press, moveTo, focused },
    async use(name) {
      await moveTo(name);
      await press('Enter');
    },
    async type(name, text) {
      await moveTo(name);
      await press('Control+a');
      await page.keyboard.type(text);
    },
    async choose(name, option) {
      await moveTo(name);
      await page.keyboard.type(option);
    },
    async fromMenu(button, item) {
      await moveTo(button);
      await press('Enter');
      await moveTo(item, 'ArrowDown');
      await press('Enter');
    },
    async confirm(button) {
      await inDialog();
      await moveTo(button);
      await press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    },
  };
}

const IS_IN_DIALOG = `document.activeElement?.closest('[role=dialog]') != null`;

/** Without the mark of a required input, and without the help that the label of a switch contains. */
const NAME_OF = `((one) => (one.getAttribute('aria-label') || (one.labels?.[0]?.querySelector('.mantine-Switch-label') ?? one.labels?.[0])?.textContent || one.textContent).replace(/ \\*$/, '').trim())`;

const FOCUSED = `(() => {
  const one = document.activeElement;
  return !one || one === document.body ? '' : ${NAME_OF}(one);
})()`;

/** The names of all elements that may get the focus. */
const NAMED = `[...document.querySelectorAll('a, button, input, textarea, select, [tabindex]')].map(${NAME_OF})`;
