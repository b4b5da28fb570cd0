import type { MessageCode } from '../../../messages/message.js';

/** A text of the page in the language of the reader. */
export type Translate = (code: Extract<MessageCode, `subscription-page.${string}`>) => string;

/** A text that is marked at once, with a button that copies it. */
export function copied(text: string, t: Translate): string {
  return `<div class="row"><code>${escaped(text)}</code><button type="button" hidden>${t('subscription-page.copy')}</button></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that never becomes markup, in an attribute or outside of one. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
