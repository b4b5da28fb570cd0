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
