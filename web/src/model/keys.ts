/** A pressed key, as an event of the keyboard has it. */
type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>;

/** The keys without a letter that the page uses, by their place, with what they type alone and with Shift. */
const OTHERS: Readonly<Record<string, readonly [string, string]>> = { Slash: ['/', '?'] };

/**
 * The character of a shortcut: what the key types in a layout with Latin letters, or else what is at its place on a
 * keyboard for English. In a Persian, Russian or Arabic layout, no key types a `g`.
 */
export function shortcutKey({ key, code, shiftKey }: Pressed): string {
  // A question mark of another layout is one; a comma or a full stop at the place of the slash is not a slash.
  if (key === '\u061f') return '?';
  if (/^[\u0021-\u007e]$/.test(key) && !(code in OTHERS && /[.,]/.test(key))) return key.toLowerCase();
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  return letter?.toLowerCase() ?? OTHERS[code]?.[shiftKey ? 1 : 0] ?? key;
}

/** Whether this is a keyboard of Apple, whose shortcuts use the Command key. */
export const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.userAgent);
