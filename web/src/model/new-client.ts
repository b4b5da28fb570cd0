import type { ClientInbound, WireClient } from './clients';
import { randomBase64, randomUuid, randomWord } from './random';

/** Credentials for a new client of an inbound, as its protocol requires them. */
export function newCredentials({
  protocol,
  method,
  vision,
}: Pick<ClientInbound, 'protocol' | 'method' | 'vision'>): Partial<WireClient> {
  switch (protocol) {
    case 'trojan':
      return { password: randomWord(20) };
    case 'shadowsocks':
      if (!method.startsWith('2022-')) return { password: randomWord(20) };
      return { password: randomBase64(method.includes('aes-128') ? 16 : 32) };
    case 'hysteria':
    case 'hysteria2':
      return { auth: randomWord(20) };
    case 'vless':
      return { id: randomUuid(), flow: vision ? 'xtls-rprx-vision' : '' };
    default:
      return { id: randomUuid() };
  }
}

/** How the emails of several new clients are numbered. */
export interface Numbering {
  /** `{n}` stands for the number; without it, the number follows after a hyphen. */
  readonly pattern: string;
  readonly first: number;
  /** The least number of digits: zeros fill up. */
  readonly digits: number;
}

/** The email of the client at an index from 0. */
export function numberedEmail({ pattern, first, digits }: Numbering, index: number): string {
  const number = String(first + index).padStart(digits, '0');
  const text = pattern.trim();
  return text.includes('{n}') ? text.replaceAll('{n}', number) : `${text}-${number}`;
}

/** The first emails, and the last one after an ellipsis if others are between them. */
export function numberedSample(numbering: Numbering, count: number): string {
  const SHOWN = 3;
  const emails = Array.from({ length: Math.min(count, SHOWN) }, (_, index) => numberedEmail(numbering, index));
  if (count > SHOWN + 1) emails.push('…');
  if (count > SHOWN) emails.push(numberedEmail(numbering, count - 1));
  return emails.join(', ');
}
