import { hash, randomInt } from 'node:crypto';

const COUNT = 10;
const GROUPS = 3;
const GROUP_CHARS = 4;
/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** New recovery codes of 60 random bits, such as `k7wd-9xaf-p3mz`. */
export function newRecoveryCodes(): readonly string[] {
  const group = (): string => Array.from({ length: GROUP_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: COUNT }, () => Array.from({ length: GROUPS }, group).join('-'));
}

/** SHA-256 of a recovery code as an admin types it, hex. */
export function recoveryHash(typed: string): string {
  return hash('sha256', typed.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), 'hex');
}
