import { describe, expect, it } from 'vitest';
import { appSchemes, isLink, isSafeText } from '../../../src/lib/net/links.js';

const good = [
  'https://help.example.com/vpn?a=b#c',
  'HTTP://example.com',
  'http://[2001:db8::1]:8080/',
  'https://example.com/ü',
  'tg://resolve?domain=example',
  'TG://join?invite=x',
  'mailto:help@example.com?subject=x',
];
const bad = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  'javascript&colon;alert(1)',
  '&#106;avascript:alert(1)',
  'javascript%3Aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'DATA:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://example.com/x',
  'view-source:https://example.com',
  'intent://scan/#Intent;scheme=x;end',
  'ftp://example.com/x',
];
const noAddresses = [
  '//evil.example/x',
  '\\\\evil.example\\x',
  '/\\evil.example',
  ' https://example.com',
  'https://example.com ',
  '\u00a0https://example.com',
  '\u200bhttps://example.com',
  'https://exa\tmple.com',
  'ht\ntps://example.com',
  'https:\\\\example.com',
  'https:example.com',
  'https:/example.com',
  'https:///example.com',
  'https://',
  'tg:resolve',
  'tg://',
  'mailto:',
  'mailto://x',
  'example.com',
  't.me/x',
  '@channel',
  'https',
  ':',
];

describe('an address shown to end users', () => {
  it.each(good)('may be %j', (text) => expect(isLink(text)).toBe(true));
  it.each([...bad, ...noAddresses])('is not %j', (text) => expect(isLink(text)).toBe(false));
});

describe('a text shown to end users', () => {
  it.each([
    '',
    'Maintenance on Sunday night.',
    'Note: data: 5 GB left, data:5GB',
    '// News // and more ////',
    'либо так: 1//2, и/или',
    'Write to mailto:help@example.com or https://example.com, or tg://resolve?domain=x',
  ])('may be %j', (text) => expect(isSafeText(text)).toBe(true));

  it.each(bad.filter((text) => !/&|%3A|blob|view-source/.test(text)))('must not contain the address %j', (text) => {
    expect(isSafeText(text)).toBe(false);
    expect(isSafeText(`See ${text} for more`)).toBe(false);
  });

  it.each(['//evil.example/x', 'see //evil.example', 'see "//evil.example'])(
    'must not contain the address %j',
    (text) => {
      expect(isSafeText(text)).toBe(false);
    },
  );

  it('may contain an app link where only the app reads it', () => {
    expect(isSafeText('happ://routing/add/e30=')).toBe(false);
    expect(isSafeText('happ://routing/add/e30=', appSchemes)).toBe(true);
    expect(isSafeText('javascript://%0aalert(1)', appSchemes)).toBe(false);
  });

  it.each(['x', 'data:', 'a:', 'a:/', ' //', '//a', 'javascript:'])('is checked in linear time: %j', (part) => {
    const text = part.repeat(1_000_000);
    expect(typeof isSafeText(text)).toBe('boolean');
    expect(isLink(text)).toBe(false);
  });
});
