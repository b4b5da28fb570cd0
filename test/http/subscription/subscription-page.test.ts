import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemOf } from '../../../src/http/subscription/page/apps.js';
import { infoPagePolicy } from '../../../src/http/subscription/page/assets.js';
import { type InfoPage, infoPage } from '../../../src/http/subscription/page/page.js';
import { qrCode } from '../../../src/http/subscription/page/qr.js';
import type { SingleLink } from '../../../src/http/subscription/page/single-links.js';
import { languages } from '../../../src/messages/language.js';
import { readQr } from '../../kit/formats/qr-reader.js';

const NOW = 1_750_000_000_000;
const DAY = 86_400_000;
const usage = { up: 1024 ** 3, down: 2 * 1024 ** 3, capBytes: 10 * 1024 ** 3, expiresAt: NOW + 3 * DAY };
const REALITY = `vless://11111111-2222-4333-8444-000000000001@host.example:443?type=tcp&security=reality&pbk=${'k'.repeat(43)}&fp=chrome&sni=www.example.com&sid=0123456789abcdef&spx=%2F&flow=xtls-rprx-vision#DE-1`;

const single = (name: string, url: string, code = url): SingleLink => ({ name, url, code });

function pageOf(parts: Partial<InfoPage> = {}): string {
  return infoPage({
    subId: 's1',
    title: 'My servers',
    announce: '',
    supportUrl: '',
    url: 'https://sub.example.com/sub/s1',
    jsonUrl: null,
    otherUrls: [],
    clashUrl: 'https://sub.example.com/clash/s1',
    clients: [usage],
    lastOnline: 0,
    singBoxUrl: 'https://sub.example.com/sub/s1?format=sing-box',
    links: [single('DE-1', 'vless://id@host:443?type=tcp&security=none#DE-1')],
    language: 'en',
    zone: 'UTC',
    calendar: 'gregorian',
    now: NOW,
    system: null,
    code: 0,
    ...parts,
  });
}

const bodyOf = (page: string): string => page.slice(page.indexOf('<body>'));

describe('infoPage', () => {
  it('shows the remaining traffic and the links', () => {
    const page = pageOf();
    expect(page).toContain('<dt>Used</dt><dd><bdi>3 GB</bdi> / <bdi>10 GB</bdi></dd>');
    expect(page).toContain('<dt>Remaining</dt><dd><bdi>7 GB</bdi></dd>');
    expect(page).toContain('<dt>Expires</dt><dd>in 3 days</dd>');
    expect(page).toContain('<dt>Expires</dt><dd>18 Jun 2025, 15:06 UTC</dd>');
    expect(page).toContain('<progress aria-label="Used" max="10737418240" value="3221225472">');
    expect(page).toContain('<code>https://sub.example.com/sub/s1</code>');
    expect(page).toContain('<code>https://sub.example.com/clash/s1</code>');
    expect(page).not.toContain('<h2>JSON</h2>');
    expect(page).toContain('<code>vless://id@host:443?type=tcp&amp;security=none#DE-1</code>');
    expect(page).toContain('<dt>Last online</dt><dd>Never</dd>');
  });

  it.each([
    [0, 'Never'],
    [-DAY, '1 day (from first use)'],
    [NOW - DAY, '<dd>1 day ago</dd>'],
    [NOW + DAY - 1, '<dd>in 23 hours</dd>'],
    [NOW + 90_000, '<dd>in 1 minute</dd>'],
    [NOW - 3_600_000, '<dd>1 hour ago</dd>'],
    [Number.MAX_SAFE_INTEGER, ' 275760, '],
  ])('shows the expiry %d', (expiresAt, text) => {
    expect(pageOf({ clients: [{ ...usage, expiresAt }] })).toContain(text);
  });

  it('shows times in the configured zone and calendar', () => {
    const page = pageOf({ zone: 'Asia/Tehran', calendar: 'jalalian', language: 'fa' });
    expect(page).toContain('۲۸ خرداد ۱۴۰۴');
    expect(page).toContain('۱۸:۳۶');
  });

  it('shows no single expiry if the clients differ', () => {
    expect(pageOf({ clients: [usage, { ...usage, expiresAt: 0 }] })).toContain('Differs between links');
  });

  it('shows no bar without a cap, and no list without links', () => {
    const page = pageOf({ clients: [{ ...usage, capBytes: 0 }], links: [] });
    expect(page).not.toContain('<progress');
    expect(page).not.toContain('Individual links');
    expect(page).toContain('Unlimited');
  });

  it('links to support only with a safe URL', () => {
    expect(pageOf({ supportUrl: 'https://t.me/x' })).toContain('<a href="https://t.me/x"');
    for (const supportUrl of [
      'javascript:alert(1)',
      ' javascript:x',
      'java\nscript:x',
      '//evil.example',
      'data:text/html,x',
    ])
      expect(pageOf({ supportUrl })).not.toContain('Support</a>');
  });

  it('shows an announcement unless it contains an unsafe URL', () => {
    expect(pageOf({ announce: 'See https://example.com' })).toContain('See https://example.com');
    expect(pageOf({ announce: 'See javascript:alert(1)' })).not.toContain('See');
  });

  it.each(languages)('is completely in %s, in its direction', (language) => {
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

  it('offers no app with a disabled format or without a link', () => {
    expect(pageOf({ clashUrl: null })).not.toMatch(/(clash|stash):/);
    expect(pageOf({ singBoxUrl: null })).not.toMatch(/"sing-box:/);
    const withoutUrls = pageOf({ links: [] });
    expect(withoutUrls.match(/<a href="[\w-]+(?=:)/g)).toStrictEqual(
      ['sing-box', 'flclash', 'clash', 'stash'].map((app) => `<a href="${app}`),
    );
    expect(pageOf({ links: [], clashUrl: null, singBoxUrl: null })).not.toContain('Open in an app');
  });

  it('shows the apps of the system first, then those of all others', () => {
    const page = pageOf({ system: 'iOS' });
    const [first = '', others = ''] = page.split('<summary>Apps for other devices</summary>');
    expect(first).toContain('streisand://');
    expect(first).not.toContain('v2rayng://');
    expect(others).toContain('v2rayng://');
    expect(pageOf({ system: null })).not.toContain('Apps for other devices');
  });

  const links = (count: number) => Array.from({ length: count }, (_, i) => single(`DE-${i}`, REALITY));
  const jsonUrl = 'https://sub.example.com/json/s1';
  const codes = (page: string) => page.match(/<svg/g)?.length ?? 0;

  it.each(languages)('stays under 20 KB in %s, with as many QR codes as fit', (language) => {
    const shown = (count: number) => pageOf({ links: links(count), jsonUrl, announce: 'a'.repeat(200), language });
    for (const count of [1, 2, 3, 5, 8, 12, 15])
      expect(Buffer.byteLength(shown(count)), `${count}`).toBeLessThan(20_000);
    expect(codes(shown(1))).toBe(2);
    expect(codes(shown(2))).toBeGreaterThanOrEqual(2);
  });

  const WS_TLS =
    'vless://8c8fe7a5-2f3e-4a3e-9d3b-2f3a4f6f7a10@sub.example.com:8443?encryption=none&fp=chrome&host=cdn.example.com&path=%2Fsome%2Fpath&security=tls&sni=cdn.example.com&type=ws&alpn=h2%2Chttp%2F1.1#DE-1-alice';

  it.each(languages)('stays under 20 KB in %s with the requested QR code and its complete link', (language) => {
    for (const url of [REALITY, WS_TLS]) {
      for (const count of [1, 2, 5, 12, 15, 25]) {
        const all = Array.from({ length: count }, (_, i) => single(`DE-${i}`, `${url}-${i}.`));
        for (const code of new Set([1, Math.ceil(count / 2), count])) {
          const page = pageOf({ links: all, jsonUrl, announce: 'a'.repeat(200), language, code });
          expect([count, code, Buffer.byteLength(page) < 20_000]).toStrictEqual([count, code, true]);
          expect(codes(page)).toBe(2);
          expect(page).toMatch(new RegExp(`id="link${code}">.*-${code - 1}\\..*<details open>.*<svg`, 's'));
          // A link that is not shown in full has a link to its full form.
          for (const at of all.keys())
            expect(page.includes(`-${at}.<`) || page.includes(`code=${at + 1}#link${at + 1}"`)).toBe(true);
        }
      }
    }
  });

  it.each(languages)('stays under 20 KB in %s with a post-quantum key, which its QR code omits', (language) => {
    const url = REALITY.replace('&sid', `&pqv=${'k'.repeat(2603)}&sid`);
    const all = Array.from({ length: 3 }, (_, i) => single(`DE-${i}`, url, REALITY));
    for (const shown of [
      { links: all.slice(0, 1) },
      { links: all.slice(0, 1), code: 1 },
      { links: all, code: 2 },
      { links: all, code: 3 },
    ]) {
      const page = pageOf({ ...shown, jsonUrl, announce: 'a'.repeat(200), language });
      expect([shown, Buffer.byteLength(page) < 20_000]).toStrictEqual([shown, true]);
      expect(page).toContain(`<code>${url.replaceAll('&', '&amp;')}</code>`);
      if (shown.code === undefined) continue;
      const [, svg = '', after = ''] =
        /id="link\d".*<details open>.*?(<svg.*?<\/svg>)(.*?)<\/details>/s.exec(page) ?? [];
      expect(
        readQr(
          modulesOf(svg)
            .slice(4, -4)
            .map((row) => row.slice(4, -4)),
        ),
      ).toBe(REALITY);
      expect(after).toMatch(/^<p>[^<]+<\/p>$/);
    }
  });

  it('has little more than the text of very many links, and draws the requested QR code', () => {
    const page = pageOf({ links: links(50) });
    expect(Buffer.byteLength(page)).toBeLessThan(9000 + 50 * (Buffer.byteLength(REALITY) + 350));
    expect(gzipSync(page).length).toBeLessThan(8000);
    expect(codes(page)).toBe(1);
    expect(page).toContain('href="?html=1&amp;lang=en&amp;code=50#link50"');
    const asked = pageOf({ links: links(50), code: 50 });
    expect(codes(asked)).toBe(2);
    expect(asked).toMatch(/id="link50".*<details open>.*<svg.*<\/li><\/ul>/s);
    for (const code of [51, 0]) expect(codes(pageOf({ links: links(50), code }))).toBe(1);
  });

  it('offers no QR code for a link that is too long for one', () => {
    const page = pageOf({ links: [single('x', 'x'.repeat(3000))], code: 1 });
    expect(page).not.toContain('QR code</');
  });

  it('escapes all texts', () => {
    const skeleton = (page: string) => page.match(/<(?!svg|path)[^>]*>/g)?.map((tag) => tag.replace(/ .*/s, '>')) ?? [];
    const given = (text: string): Partial<InfoPage> => ({
      subId: text,
      title: text,
      announce: text,
      url: text,
      jsonUrl: text,
      clashUrl: text,
      supportUrl: `https:${text}`,
      singBoxUrl: text,
      links: [single(text, text, `${text}.`)],
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

  it('allows only its own style and script', () => {
    const hashed = (text = '') => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const page = pageOf();
    expect(infoPagePolicy).toContain(`style-src ${hashed(/<style>(.*)<\/style>/s.exec(page)?.[1])};`);
    expect(infoPagePolicy).toContain(`script-src ${hashed(/<script>(.*)<\/script>/s.exec(page)?.[1])};`);
    expect(infoPagePolicy).toContain("default-src 'none'");
    expect(page.match(/<script|<style/g)).toHaveLength(2);
    expect(page).not.toMatch(/style="|\son\w+=/);
  });
});

describe('the operating system of a browser', () => {
  it.each([
    ['Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36', 'Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605', 'iOS'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'macOS'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
    ['curl/8', null],
    ['', null],
  ])('%s is %s', (userAgent, system) => {
    expect(systemOf(userAgent)).toBe(system);
  });
});

describe('qrCode', () => {
  it('decodes to its text, with a quiet zone', () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 400, unit: 'binary' }),
      fc.constantFrom(REALITY, 'x'.repeat(2900), 'HTTPS://A.EXAMPLE/1'),
    );
    fc.assert(
      fc.property(text, (said) => {
        // An unpaired surrogate is no text, and the reader does not support numeric mode.
        fc.pre(!/\p{Cs}|^\d*$/u.test(said));
        const modules = modulesOf(qrCode(said, 'x'));
        expect(readQr(modules.slice(4, -4).map((row) => row.slice(4, -4)))).toBe(said);
        const edge = [...modules.slice(0, 4), ...modules.slice(-4)].flat();
        expect(edge.includes(true) || modules.some((row) => row.slice(0, 4).includes(true))).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it('is empty for a text that is too long', () => {
    expect(qrCode('x'.repeat(3000), 'x')).toBe('');
  });
});

/** The modules that the path of a QR code draws. */
function modulesOf(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const modules = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  let [x, y] = [0, 0];
  for (const [, move = '', first, second] of svg.matchAll(/([Mmh])(\d+)(?: (\d+)(?:\.5)?)?/g)) {
    if (move === 'M') [x, y] = [Number(first), Number(second)];
    else if (move === 'm') x += Number(first);
    else for (const end = x + Number(first); x < end; x += 1) modules[y]?.splice(x, 1, true);
  }
  return modules;
}
