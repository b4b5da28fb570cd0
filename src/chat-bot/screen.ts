import type { Keyboard } from '../commands/ports/chat-bot.js';
import type { Phrase } from './words.js';

/** A message, split into several when it is long; the buttons are under the last one. */
export interface Screen {
  readonly lines: readonly Phrase[];
  readonly keyboard: Keyboard;
}

/** Characters of a message without its HTML tags; the bot API allows 4096. */
const MAX_TEXT_CHARS = 4000;

export function screen(lines: readonly Phrase[], keyboard: Keyboard = []): Screen {
  return { lines, keyboard };
}

/** The messages as HTML. Split only between lines, which are shorter than a message, so that no tag is cut. */
export function pagesOf({ lines }: Screen): readonly string[] {
  const pages: string[] = [];
  let page: string[] = [];
  let length = 0;
  for (const { html, plain } of lines) {
    if (page.length > 0 && length + plain.length + 1 > MAX_TEXT_CHARS) {
      pages.push(page.join('\n'));
      page = [];
      length = 0;
    }
    page.push(html);
    length += plain.length + 1;
  }
  return page.length === 0 ? pages : [...pages, page.join('\n')];
}
