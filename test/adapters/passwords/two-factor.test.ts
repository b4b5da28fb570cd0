import { describe, expect, it } from 'vitest';
import { totp } from '../../../src/adapters/passwords/two-factor.js';
import { codeAt, stepAt, TOKEN, wrongCode } from '../../kit/totp.js';

describe('a code', () => {
  // RFC 6238, appendix B, with the last six digits.
  it.each([
    [59_000, '287082'],
    [1_111_111_109_000, '081804'],
    [1_111_111_111_000, '050471'],
    [1_234_567_890_000, '005924'],
    [2_000_000_000_000, '279037'],
    [20_000_000_000_000, '353130'],
  ])('at %i is %s', (now, code) => {
    expect(totp.prove(TOKEN, code, now)).toStrictEqual({ token: TOKEN, step: stepAt(now) });
    expect(codeAt(TOKEN, now)).toBe(code);
  });

  const now = 1_700_000_010_000;

  it.each([-30_000, 0, 30_000])('is valid %i ms away, as a code of its own step', (away) => {
    expect(totp.prove(TOKEN, codeAt(TOKEN, now + away), now)?.step).toBe(stepAt(now + away));
  });

  it.each([-60_000, 60_000, 600_000])('is not valid %i ms away', (away) => {
    expect(totp.prove(TOKEN, codeAt(TOKEN, now + away), now)).toBeNull();
  });

  it('may contain the space that apps show', () => {
    const code = codeAt(TOKEN, now);
    expect(totp.prove(TOKEN, ` ${code.slice(0, 3)} ${code.slice(3)}`, now)).not.toBeNull();
  });

  it.each(['', '12345', '1234567', 'abcdef', '------', '١٢٣٤٥٦', '1e5000', '\0'.repeat(6), 'x'.repeat(10_000)])(
    'is not %.20j',
    (code) => expect(totp.prove(TOKEN, code, now)).toBeNull(),
  );

  it.each(['', 'A', 'not base32!', 'gezdgnbvgy3tqojq', '1'.repeat(32)])(
    'of the invalid token %j does not exist',
    (token) => {
      expect(totp.prove(token, '000000', now)).toBeNull();
    },
  );

  it('is rejected if it is wrong', () => {
    expect(totp.prove(TOKEN, wrongCode(TOKEN, now), now)).toBeNull();
  });
});

describe('a new two-factor token', () => {
  it('is random, and returned as a URL and as a QR code', () => {
    const { token, otpauthUrl, qr } = totp.propose('ad min&x');
    expect(token).toMatch(/^[A-Z2-7]{32}$/);
    expect(totp.propose('x').token).not.toBe(token);
    const url = new URL(otpauthUrl);
    expect(url.protocol).toBe('otpauth:');
    expect(decodeURIComponent(url.pathname)).toContain('ad min&x');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      issuer: 'Portolan',
      secret: token,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(qr).toMatch(/^<svg /);
    expect(qr).not.toContain('script');
  });

  it('is confirmed by a code of the app that scanned it', () => {
    const { token } = totp.propose('admin');
    expect(totp.prove(token, codeAt(token, 1e12), 1e12)).toStrictEqual({ token, step: stepAt(1e12) });
  });
});
