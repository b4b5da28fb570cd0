import type { Inbound } from '../api/contract.generated';
import type { WireClient } from './clients';
import { randomBase64, randomUuid, randomWord } from './random';

/** Credentials for a new client of an inbound, as its protocol wants them. */
export function newCredentials({ protocol, settings, streamSettings }: Inbound): Partial<WireClient> {
  switch (protocol) {
    case 'trojan':
      return { password: randomWord(20) };
    case 'shadowsocks': {
      const { method = '' } = JSON.parse(settings || '{}') as { readonly method?: string };
      if (!method.startsWith('2022-')) return { password: randomWord(20) };
      return { password: randomBase64(method.includes('aes-128') ? 16 : 32) };
    }
    case 'hysteria':
    case 'hysteria2':
      return { auth: randomWord(20) };
    case 'vless':
      return { id: randomUuid(), flow: takesVision(streamSettings) ? 'xtls-rprx-vision' : '' };
    default:
      return { id: randomUuid() };
  }
}

/** Vision works on raw TCP below TLS or REALITY. */
export function takesVision(streamSettings: string): boolean {
  const { network = 'tcp', security = 'none' } = JSON.parse(streamSettings || '{}') as {
    readonly network?: string;
    readonly security?: string;
  };
  return (network === 'tcp' || network === 'raw') && security !== 'none';
}
