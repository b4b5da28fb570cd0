import { api } from '../../api/client';
import { randomBase64, randomHex, randomUuid, randomWord } from '../../model/random';

/** Two kinds that need no certificate. */
export const KINDS = ['reality', 'shadowsocks'] as const;
export type Kind = (typeof KINDS)[number];

export interface FirstInbound {
  readonly kind: Kind;
  readonly port: number | string;
  /** A site with TLS 1.3 whose handshake REALITY borrows. */
  readonly site: string;
  /** The name of the first client. */
  readonly email: string;
}

const METHOD = '2022-blake3-aes-256-gcm';
const KEY_BYTES = 32;

/** The inbound with its first client, as the API takes it. */
export async function bodyOf({ kind, port, site, email }: FirstInbound) {
  const client = { email, enable: true, subId: randomWord(16) };
  const shared = {
    enable: true,
    listen: '',
    port: Number(port),
    total: 0,
    expiryTime: 0,
    trafficReset: 'never',
  } as const;
  const sniffing = JSON.stringify({ enabled: true, destOverride: ['http', 'tls', 'quic'] });
  if (kind === 'shadowsocks') {
    const clients = [{ ...client, password: randomBase64(KEY_BYTES) }];
    const settings = { method: METHOD, password: randomBase64(KEY_BYTES), network: 'tcp,udp', clients };
    const streamSettings = JSON.stringify({ network: 'tcp', security: 'none' });
    return {
      ...{ ...shared, remark: 'Shadowsocks', protocol: 'shadowsocks', sniffing, streamSettings },
      settings: JSON.stringify(settings),
    };
  }
  const { privateKey, publicKey } = await api.get('/panel/api/server/getNewX25519Cert');
  const realitySettings = {
    ...{ show: false, target: `${site}:443`, serverNames: [site], privateKey, shortIds: [randomHex(8)] },
    settings: { publicKey, fingerprint: 'chrome', spiderX: '/' },
  };
  const clients = [{ ...client, id: randomUuid(), flow: 'xtls-rprx-vision' }];
  return {
    ...{ ...shared, remark: 'VLESS REALITY', protocol: 'vless', sniffing },
    settings: JSON.stringify({ clients, decryption: 'none' }),
    streamSettings: JSON.stringify({ network: 'tcp', security: 'reality', realitySettings }),
  };
}
