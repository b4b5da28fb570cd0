import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { TwoFactor, TwoFactorProof } from '../../commands/ports/two-factor.js';

const ISSUER = 'Portolan';
const PERIOD_MS = 30_000;
const DIGITS = 6;
const TOKEN_BYTES = 20;
/** Steps by which the clock of a phone may be off. */
const WINDOW = [-1, 0, 1] as const;
const CODE = /^\d{6}$/;
const NO_CODE = '-'.repeat(DIGITS);

export const totp: TwoFactor = {
  prove(token, code, now) {
    const secret = secretOf(token);
    if (!secret) return null;
    const bare = code.replace(/\s/g, '');
    const given = Buffer.from(CODE.test(bare) ? bare : NO_CODE);
    const current = Math.floor(now / PERIOD_MS);
    let proof: TwoFactorProof | null = null;
    // No early exit, so that the time does not reveal which of them matched.
    for (const offset of WINDOW) {
      const step = current + offset;
      const right = TOTP.generate({ secret, digits: DIGITS, timestamp: Math.max(0, step) * PERIOD_MS });
      if (timingSafeEqual(Buffer.from(right), given)) proof = { token, step: Math.max(0, step) };
    }
    return proof;
  },

  propose(account) {
    const secret = new Secret({ size: TOKEN_BYTES });
    const otpauthUrl = new TOTP({ issuer: ISSUER, label: account, digits: DIGITS, secret }).toString();
    return { token: secret.base32, otpauthUrl, qr: renderSVG(otpauthUrl, { pixelSize: 4, border: 2 }) };
  },
};

function secretOf(token: string): Secret | null {
  if (!/^[A-Z2-7]{16,}$/.test(token)) return null;
  try {
    return Secret.fromBase32(token);
  } catch {
    return null;
  }
}
