import { describe, expect, it } from 'vitest';
import { hiddenIn, keptName, looksLike, sameName, unclearIn } from '../../src/lib/identifiers.js';

const at = (code: number): string => String.fromCodePoint(code);

describe('an invisible character in an identifier', () => {
  it.each([
    ['zero width space', 0x200b],
    ['zero width joiner', 0x200d],
    ['word joiner', 0x2060],
    ['byte order mark', 0xfeff],
    ['soft hyphen', 0x00ad],
    ['grapheme joiner', 0x034f],
    ['Hangul filler', 0x3164],
    ['variation selector', 0xfe0f],
    ['tag', 0xe0061],
    ['empty braille', 0x2800],
    ['no-break space', 0x00a0],
    ['ideographic space', 0x3000],
    ['right-to-left override', 0x202e],
    ['right-to-left mark', 0x200f],
    ['isolate', 0x2067],
    ['line separator', 0x2028],
    ['NUL', 0],
    ['escape', 0x1b],
  ])('is reported by its code point: %s', (_, code) => {
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    for (const text of [`ad${at(code)}min`, `${at(code)}admin`, at(code)]) expect(hiddenIn(text)).toBe(name);
  });

  it.each(['admin', 'ann smith', 'Zoë', 'علی', 'שלום', '李雷', 'अमित', '🇩🇪 Berlin', 'O’Neil', 'a.b+c@d-e_f'])(
    'is not in %s',
    (text) => expect(hiddenIn(text)).toBeNull(),
  );
});

describe('letters of two directions in an identifier', () => {
  it.each([
    ['adm\u05d0in', 'U+05D0'],
    ['\u0627123abc', 'U+0627'],
    ['\u0410\u0627', 'U+0627'],
    ['\u674e\u05d0', 'U+05D0'],
    ['a\u200b\u05d0', 'U+200B'],
  ])('are reported by the one written from right to left: %j', (text, code) => expect(unclearIn(text)).toBe(code));

  it.each([
    'admin-1',
    '\u0639\u0644\u06cc-1',
    '\u05e9\u05dc\u05d5\u05dd',
    '\u674e\u96f7_2',
    'anna@example.com',
    '\u0410\u043d\u043d\u0430',
  ])('are not in %j', (text) => expect(unclearIn(text)).toBeNull());
});

describe('one spelling', () => {
  it('is that of Unicode NFC, or the stored one for the same name', () => {
    expect(sameName('Zoe\u0308', 'Zo\u00eb')).toBe(true);
    expect(keptName('Zoe\u0308', '')).toBe('Zo\u00eb');
    expect(keptName('Zo\u00eb', 'Zoe\u0308')).toBe('Zoe\u0308');
    expect(keptName('other', 'Zoe\u0308')).toBe('other');
  });
});

describe('names that look alike', () => {
  it.each([
    ['admin', 'Admin'],
    ['admin', 'аdmin'], // Cyrillic a
    ['admin', 'аԁмiп'.replace('п', 'n')],
    ['root', 'rооt'],
    ['root', 'r00t'],
    ['Helen', 'Ηelen'], // Greek Eta
    ['boss', 'вoss'],
    ['admin', 'ádmín'],
    ['admin', 'ａｄｍｉｎ'],
    ['admin', 'admln'.replace('l', 'ı')],
    ['lan', 'Ian'],
    ['modern', 'modem'],
    ['admin', 'ad\u200bmin'],
  ])('%s and %s', (one, other) => {
    expect(looksLike(one, other)).toBe(true);
    expect(looksLike(other, one)).toBe(true);
  });

  it.each([
    ['admin', 'admins'],
    ['anna', 'hanna'],
    ['олег', 'игорь'],
    ['ali', 'all'],
    ['user1', 'user2'],
  ])('are not %s and %s', (one, other) => expect(looksLike(one, other)).toBe(false));
});
