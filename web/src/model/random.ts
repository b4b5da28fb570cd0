/** Random bytes; unlike `crypto.randomUUID` also where the panel is served without TLS. */
const bytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

export function randomUuid(): string {
  const random = bytes(16);
  random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
  random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export const randomBase64 = (length: number): string => btoa(String.fromCharCode(...bytes(length)));

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A word of letters and digits that are not mistaken for each other. */
export const randomWord = (length: number): string =>
  [...bytes(length)].map((byte) => LETTERS[byte % LETTERS.length]).join('');

export const randomHex = (length: number): string =>
  [...bytes(length)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
