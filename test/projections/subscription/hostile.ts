import fc from 'fast-check';
import { expect } from 'vitest';

const characters = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 1, minLength: 1 }),
  fc.string({ unit: 'binary', maxLength: 1, minLength: 1 }),
  fc.constantFrom(
    '\0',
    '\r',
    '\n',
    '\t',
    '\x7f',
    '\x85',
    '\u2028',
    '"',
    "'",
    '\\',
    '%',
    '%2',
    '+',
    '#',
    '?',
    '/',
    '@',
    ':',
    ';',
    '=',
  ),
);
/** All printable ASCII, Unicode, control characters and quotes. */
export const hostile = fc.array(characters, { maxLength: 24 }).map((parts) => parts.join(''));
export const filled = fc.array(characters, { minLength: 1, maxLength: 24 }).map((parts) => parts.join(''));
export const lined = (text: string) => text.replace(/\p{Cc}/gu, '');

export function expectOneLine(link: string): void {
  expect(link).toMatch(/^[!-~]+$/);
}

export function vmessJson(link: string): Record<string, string> {
  return JSON.parse(Buffer.from(link.slice('vmess://'.length), 'base64').toString()) as Record<string, string>;
}
