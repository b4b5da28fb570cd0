import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languages } from '../../src/http/language/language.js';
import { infoPagePolicy } from '../../src/http/subscription-page/assets.js';
import { type InfoPage, infoPage } from '../../src/http/subscription-page/page.js';
import { qrCode } from '../../src/http/subscription-page/qr.js';

const NOW = 1_750_000_000_000;
const DAY = 86_400_000;
const usage = { up: 1024 ** 3, down: 2 * 1024 ** 3, capBytes: 10 * 1024 ** 3, expiresAt: NOW + 3 * DAY };
const REALITY = `vless://11111111-2222-4333-8444-000000000001@host.example:443?type=tcp&security=reality&pbk=${'k'.repeat(43)}&fp=chrome&sni=www.example.com&sid=0123456789abcdef&spx=%2F&flow=xtls-rprx-vision#DE-1`;

function pageOf(parts: Partial<InfoPage> = {}): string {
  return infoPage({
    subId: 's1',
    title: 'My servers',
    announce: '',
    supportUrl: '',
    url: 'https://sub.example.com/sub/s1',
    jsonUrl: null,
    clashUrl: 'https://sub.example.com/clash/s1',
    clients: [usage],
    lastOnline: 0,
    links: [{ name: 'DE-1', url: 'vless://id@host:443?type=tcp&security=none#DE-1' }],
    language: 'en',
    zone: 'UTC',
    calendar: 'gregorian',
    now: NOW,
    ...parts,
  });
}

const bodyOf = (page: string): string => page.slice(page.indexOf('<body>'));

describe('infoPage', () => {
  it('says what is left and gives the links', () => {
    const page = pageOf();
    expect(page).toContain('<dt>Used</dt><dd><bdi>3.00GB</bdi> / <bdi>10.00GB</bdi></dd>');
    expect(page).toContain('<dt>Remaining</dt><dd><bdi>7.00GB</bdi></dd>');
    expect(page).toContain('18 Jun 2025, 15:06 UTC (in 3 days)');
    expect(page).toContain('<progress aria-label="Used" max="10737418240" value="3221225472">');
    expect(page).toContain('<code>https://sub.example.com/sub/s1</code>');
    expect(page).toContain('<code>https://sub.example.com/clash/s1</code>');
    expect(page).not.toContain('<h2>JSON</h2>');
    expect(page).toContain('<code>vless://id@host:443?type=tcp&amp;security=none#DE-1</code>');
    expect(page).toContain('<dt>Last online</dt><dd>Never</dd>');
  });

  it.each([
    [0, 'Never'],
    [-DAY, '1 day (from the first use on)'],
    [NOW - DAY, '14 Jun 2025, 15:06 UTC (1 day ago)'],
    [Number.MAX_SAFE_INTEGER, ' 275760, '],
  ])('says the end %d', (expiresAt, text) => {
    expect(pageOf({ clients: [{ ...usage, expiresAt }] })).toContain(text);
  });

  it('tells times in the zone and the calendar of the settings', () => {
    const page = pageOf({ zone: 'Asia/Tehran', calendar: 'jalalian', language: 'fa' });
    expect(page).toContain('۲۸ خرداد ۱۴۰۴');
    expect(page).toContain('۱۸:۳۶');
  });

  it('does not make up one end of several', () => {
    expect(pageOf({ clients: [usage, { ...usage, expiresAt: 0 }] })).toContain('Not the same for all links');
  });

  it('knows no bar without a cap and no links when there are none', () => {
    const page = pageOf({ clients: [{ ...usage, capBytes: 0 }], links: [] });
    expect(page).not.toContain('<progress');
    expect(page).not.toContain('Single links');
    expect(page).toContain('Unlimited');
  });

  it('links support only where a browser may go', () => {
    expect(pageOf({ supportUrl: 'https://t.me/x' })).toContain('<a href="https://t.me/x"');
    expect(pageOf({ supportUrl: 'javascript:alert(1)' })).not.toContain('javascript:');
  });

  it.each(languages)('speaks %s in its direction, and nothing else', (language) => {
    const page = pageOf({ language });
    const rtl = language === 'fa' || language === 'ar';
    expect(page).toContain(`<html lang="${language}" dir="${rtl ? 'rtl' : 'ltr'}">`);
    const texts = bodyOf(page).replace(/<(style|script|code|nav|small)[^]*?<\/\1>/g, '');
    if (language !== 'en') expect(texts).not.toMatch(/Subscription|Status|Remaining|Open in|Copy|Expires|link/);
  });

  it.each([
    ['happ', 'happ://add/https://sub.example.com/sub/s1'],
    ['hiddify', 'hiddify://import/https://sub.example.com/sub/s1#My%20servers'],
    ['v2rayng', 'v2rayng://install-config?url=https%3A%2F%2Fsub.example.com%2Fsub%2Fs1&amp;name=My%20servers'],
    ['shadowrocket', 'shadowrocket://add/sub://aHR0cHM6Ly9zdWIuZXhhbXBsZS5jb20vc3ViL3Mx?remark=My%20servers'],
    ['clash', 'clash://install-config?url=https%3A%2F%2Fsub.example.com%2Fclash%2Fs1&amp;name=My%20servers'],
  ])('opens %s with the subscription', (_, address) => {
    expect(pageOf()).toContain(`<a href="${address}"`);
  });

  it('offers no app a form that is switched off', () => {
    expect(pageOf({ clashUrl: null })).not.toMatch(/(clash|stash):/);
  });

  it('stays under 20 KB, with as many codes as fit', () => {
    const links = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `DE-${i}`, url: REALITY }));
    const jsonUrl = 'https://sub.example.com/json/s1';
    expect(Buffer.byteLength(pageOf({ links: links(12), jsonUrl, announce: 'a'.repeat(200) }))).toBeLessThan(20_000);
    expect(pageOf({ links: links(1) }).match(/<svg/g)).toHaveLength(2);
    for (const language of languages) {
      expect(Buffer.byteLength(pageOf({ links: links(8), language }))).toBeLessThan(20_000);
    }
  });

  it('lets no text become markup', () => {
    const skeleton = (page: string) => page.match(/<(?!svg|path)[^>]*>/g)?.map((tag) => tag.replace(/ .*/s, '>')) ?? [];
    const given = (text: string): Partial<InfoPage> => ({
      subId: text,
      title: text,
      announce: text,
      url: text,
      jsonUrl: text,
      clashUrl: text,
      supportUrl: `https:${text}`,
      links: [{ name: text, url: text }],
    });
    const plain = pageOf(given('x'));
    const text = fc
      .array(fc.oneof(fc.constantFrom('<', '>', '"', "'", '&', '</style>', '<script>', ' onload=', '`'), fc.string()), {
        minLength: 1,
      })
      .map((parts) => `x${parts.join('')}`);
    fc.assert(
      fc.property(text, (hostile) => {
        const page = pageOf(given(hostile));
        expect(skeleton(page)).toStrictEqual(skeleton(plain));
        expect(page.match(/=\s*"[^"]*"/g)?.length).toBe(plain.match(/=\s*"[^"]*"/g)?.length);
      }),
    );
  });

  it('allows its own style and script and nothing else', () => {
    const hashed = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const page = pageOf();
    expect(infoPagePolicy).toContain(`style-src ${hashed(/<style>(.*)<\/style>/s.exec(page)?.[1])};`);
    expect(infoPagePolicy).toContain(`script-src ${hashed(/<script>(.*)<\/script>/s.exec(page)?.[1])};`);
    expect(infoPagePolicy).toContain("default-src 'none'");
    expect(page.match(/<script|<style/g)).toHaveLength(2);
    expect(page).not.toMatch(/style="|\son\w+=/);
  });
});

describe('qrCode', () => {
  it('draws the finder in the corner, with quiet around it', () => {
    // Seven dark modules, then one dark at both ends of the next row.
    expect(qrCode('https://sub.example.com/sub/s1', 'x')).toContain('d="M4 4.5h7');
    expect(qrCode('https://sub.example.com/sub/s1', 'x')).toMatch(/M4 5\.5h1M10 5\.5h1/);
  });

  it('gives nothing for a text that no code holds', () => {
    expect(qrCode('x'.repeat(3000), 'x')).toBe('');
  });
});
