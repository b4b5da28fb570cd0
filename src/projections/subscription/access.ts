import type { Client } from '../../events/client/client-document.js';
import type { Protocol } from '../../events/inbound/inbound.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import { type Fields, textOf } from './fields.js';
import type { ShareLink } from './share-link.js';

/** URL schemes by protocol. */
const schemes: Partial<Record<Protocol, ShareLink['scheme']>> = {
  vless: 'vless',
  vmess: 'vmess',
  trojan: 'trojan',
  shadowsocks: 'ss',
  hysteria: 'hysteria2',
  hysteria2: 'hysteria2',
};

/** The credential of a client in a link. */
interface Access extends Pick<ShareLink, 'scheme' | 'user' | 'method'> {
  /** All clients share it, so the link has the name of the inbound only. */
  readonly shared: boolean;
}

/** Null for a protocol without links, and for a client without a credential. */
export function accessOf(inbound: Inbound, { credential, spec }: Client): Access | null {
  const settings: Fields = inbound.config.settings;
  const scheme = schemes[inbound.protocol];
  switch (scheme) {
    case undefined:
      return null;
    case 'vless':
      return accessBy(scheme, credential.id);
    case 'vmess':
      // The core dropped the ciphers `none` and `zero`.
      return accessBy(scheme, credential.id, /^(none|zero)?$/.test(spec.security) ? 'auto' : textOf(spec.security));
    case 'trojan':
      return accessBy(scheme, credential.password);
    case 'ss':
      return shadowsocksAccess(settings, credential.password, spec.method);
    default:
      // The core serves version 2 only, whatever version an inbound was stored with.
      return accessBy(scheme, credential.auth);
  }
}

function shadowsocksAccess(settings: Fields, password: string, ownMethod: string): Access | null {
  const method = textOf(settings['method']);
  const serverKey = textOf(settings['password']);
  // This cipher has no users. Clients use the server key.
  if (method === '2022-blake3-chacha20-poly1305') return accessBy('ss', serverKey, method, true);
  if (method.startsWith('2022-')) {
    return serverKey === '' || password === '' ? null : accessBy('ss', `${serverKey}:${password}`, method);
  }
  const cipher = textOf(ownMethod) || method;
  return cipher === '' ? null : accessBy('ss', password, cipher);
}

function accessBy(scheme: ShareLink['scheme'], user: string, method = '', shared = false): Access | null {
  return user === '' ? null : { scheme, user, method, shared };
}
