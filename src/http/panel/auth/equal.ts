import { hash, timingSafeEqual } from 'node:crypto';

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares secrets in constant time, whatever their lengths. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
