import { createHmac } from 'node:crypto';

/** The token of the examples in RFC 6238: the ASCII text 12345678901234567890. */
export const TOKEN = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** Another token. */
export const OTHER_TOKEN = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const stepAt = (ms: number): number => Math.floor(ms / 30_000);

/** The code that an app with this token shows at a time (ms), computed as in RFC 4226. */
export function codeAt(token: string, ms: number): string {
  const bits = [...token].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(stepAt(ms)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that is invalid at all times near `ms`. */
export function wrongCode(token: string, ms: number): string {
  const near = [-2, -1, 0, 1, 2].map((steps) => codeAt(token, ms + steps * 30_000));
  for (let n = 0; ; n += 1) {
    const code = String(n).padStart(6, '0');
    if (!near.includes(code)) return code;
  }
}
