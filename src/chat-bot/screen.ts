import type { Keyboard } from '../commands/ports/chat-bot.js';
import type { Phrase } from './words.js';

/** A message, or several where the text is long; the buttons stand under the last. */
export interface Screen {
  readonly lines: readonly Phrase[];
  readonly keyboard: Keyboard;
}

/** Characters of a message, without its marks, with a few to spare. */
const LONGEST = 4000;

export function screen(lines: readonly Phrase[], keyboard: Keyboard = []): Screen {
  return { lines, keyboard };
}

/** The texts of the messages, as HTML. A line is never torn, so that no mark is; none is as long as a message. */
export function pagesOf({ lines }: Screen): readonly string[] {
  const pages: string[] = [];
  let page: string[] = [];
  let length = 0;
  for (const { html, plain } of lines) {
    if (page.length > 0 && length + plain.length + 1 > LONGEST) {
      pages.push(page.join('\n'));
      page = [];
      length = 0;
    }
    page.push(html);
    length += plain.length + 1;
  }
  return page.length === 0 ? pages : [...pages, page.join('\n')];
}
