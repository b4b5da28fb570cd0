import type { MessageCode } from '../../../messages/message.js';

/** A translated text of the page. */
export type Translate = (code: Extract<MessageCode, `subscription-page.${string}`>) => string;

/** A text that a click selects, with a button that copies it. */
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

/** Escapes a text for markup and attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
