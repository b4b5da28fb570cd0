import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InfoPage, infoPage, infoPagePolicy } from '../../../src/projections/subscription/page.js';

const NOW = 1_750_000_000_000;
const DAY = 86_400_000;
const usage = { up: 1024 ** 3, down: 2 * 1024 ** 3, capBytes: 10 * 1024 ** 3, expiresAt: NOW + 3 * DAY };

function pageOf(parts: Partial<InfoPage> = {}): string {
  return infoPage({
    subId: 's1',
    title: 'My servers',
    announce: '',
    supportUrl: '',
    url: 'https://sub.example.com/sub/s1',
    active: true,
    clients: [usage],
    links: [{ name: 'DE-1', url: 'vless://id@host:443?type=tcp&security=none#DE-1' }],
    now: NOW,
    ...parts,
  });
}

describe('infoPage', () => {
  it('says what is left and gives the links', () => {
    const page = pageOf();
    expect(page).toContain('<dt>Used</dt><dd>3.00GB of 10.00GB</dd>');
    expect(page).toContain('<dt>Remaining</dt><dd>7.00GB</dd>');
    expect(page).toContain('18 Jun 2025, 15:06 UTC (3 days left)');
    expect(page).toContain('<progress aria-label="Used" max="10737418240" value="3221225472">');
    expect(page).toContain('<code>https://sub.example.com/sub/s1</code>');
    expect(page).toContain('<code>vless://id@host:443?type=tcp&amp;security=none#DE-1</code>');
  });

  it.each([
    [0, 'Never'],
    [-DAY, '1 day after the first use'],
    [NOW - DAY, '14 Jun 2025, 15:06 UTC (expired)'],
    [Number.MAX_SAFE_INTEGER, ' 275760, '],
  ])('says the end %d', (expiresAt, text) => {
    expect(pageOf({ clients: [{ ...usage, expiresAt }] })).toContain(text);
  });
  it('does not make up one end of several', () => {
    expect(pageOf({ clients: [usage, { ...usage, expiresAt: 0 }] })).toContain('Not the same for all links');
  });
  it('knows no bar without a cap and no links when there are none', () => {
    const page = pageOf({ clients: [{ ...usage, capBytes: 0 }], links: [], active: false });
    expect(page).not.toContain('<progress');
    expect(page).not.toContain('Single links');
    expect(page).toContain('Unlimited');
    expect(page).toContain('Inactive');
  });
  it('links support only where a browser may go', () => {
    expect(pageOf({ supportUrl: 'https://t.me/x' })).toContain('<a href="https://t.me/x"');
    expect(pageOf({ supportUrl: 'javascript:alert(1)' })).not.toContain('<a');
  });
  it('stays small', () => {
    const url = `vless://${'x'.repeat(600)}`;
    expect(Buffer.byteLength(pageOf({ links: Array.from({ length: 8 }, () => ({ name: 'DE', url })) }))).toBeLessThan(
      20_000,
    );
  });

  it('lets no text become markup', () => {
    const skeleton = (page: string) => page.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ .*/s, '>')) ?? [];
    const plain = skeleton(pageOf({ announce: 'a', supportUrl: 'https://a' }));
    const text = fc
      .array(fc.oneof(fc.constantFrom('<', '>', '"', "'", '&', '</style>', '<script>', ' onload=', '`'), fc.string()), {
        minLength: 1,
      })
      .map((parts) => `x${parts.join('')}`);
    fc.assert(
      fc.property(text, (hostile) => {
        const parts = {
          subId: hostile,
          title: hostile,
          announce: hostile,
          url: hostile,
          supportUrl: `https:${hostile}`,
        };
        const page = pageOf({ ...parts, links: [{ name: hostile, url: hostile }] });
        expect(skeleton(page)).toStrictEqual(plain);
        expect(page.match(/=\s*"[^"]*"/g)?.length).toBe(
          pageOf({ announce: 'a', supportUrl: 'https://a' }).match(/=\s*"[^"]*"/g)?.length,
        );
      }),
    );
  });

  it('allows its own style and nothing else', () => {
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(pageOf()) ?? [];
    expect(infoPagePolicy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(infoPagePolicy).toContain("default-src 'none'");
    expect(pageOf()).not.toMatch(/<script|style="/);
  });
});
