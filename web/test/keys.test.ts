import { expect, it } from 'vitest';
import { shortcutKey } from '../src/model/keys';

it.each([
  ['a Latin layout', { key: 'g', code: 'KeyG', shiftKey: false }, 'g'],
  // Where G is at the place of U.
  ['a Latin layout with other places', { key: 'g', code: 'KeyU', shiftKey: false }, 'g'],
  ['Caps Lock', { key: 'G', code: 'KeyG', shiftKey: false }, 'g'],
  ['Persian', { key: 'ل', code: 'KeyG', shiftKey: false }, 'g'],
  ['Russian', { key: 'л', code: 'KeyK', shiftKey: false }, 'k'],
  ['Persian, the slash', { key: '/', code: 'Slash', shiftKey: false }, '/'],
  ['Russian, the place of the slash', { key: '.', code: 'Slash', shiftKey: false }, '/'],
  ['Russian, the question mark', { key: '?', code: 'Digit7', shiftKey: true }, '?'],
  ['Russian, the place of the question mark', { key: ',', code: 'Slash', shiftKey: true }, '?'],
  ['Persian, the question mark', { key: '؟', code: 'Slash', shiftKey: true }, '?'],
  ['a key without a character', { key: 'Enter', code: 'Enter', shiftKey: false }, 'Enter'],
] as const)('finds the key of a shortcut in %s', (_, pressed, expected) => {
  expect(shortcutKey(pressed)).toBe(expected);
});
