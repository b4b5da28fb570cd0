import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { ClientCredential } from '../../../events/client/client.js';
import type { Protocol } from '../../../events/inbound/inbound.js';

const SMALL = 'abcdefghijklmnopqrstuvwxyz0123456789';
const BASE62 = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${SMALL}`;

const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** The id of a subscription; too long to be guessed. */
export const freshSubId = (): string => randomText(16, SMALL);
export const freshApiToken = (): string => randomText(48, BASE62);

/** A new credential that is valid for an inbound of this protocol. */
export function freshCredential(protocol: Protocol, settings: Readonly<Record<string, unknown>>): ClientCredential {
  const none: ClientCredential = { id: '', password: '', auth: '' };
  switch (protocol) {
    case 'trojan':
      return { ...none, password: randomBytes(16).toString('hex') };
    case 'shadowsocks': {
      const method = String(settings['method'] ?? '');
      if (!method.startsWith('2022-')) return { ...none, password: randomBytes(16).toString('hex') };
      return { ...none, password: randomBytes(method.includes('aes-128') ? 16 : 32).toString('base64') };
    }
    case 'hysteria':
    case 'hysteria2':
      return { ...none, auth: randomBytes(16).toString('hex') };
    default:
      return { ...none, id: randomUUID() };
  }
}
