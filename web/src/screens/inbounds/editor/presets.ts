import { api } from '../../../api/client';
import { imitable } from '../../../model/imitable';
import { withValue } from '../../../model/json';
import { newCredentials } from '../../../model/new-client';
import { randomWord } from '../../../model/random';
import type { Draft } from './draft';
import { generated, shadowsocksKey } from './generators';

export const PRESETS = ['reality', 'websocket', 'hysteria2', 'trojan', 'shadowsocks', 'empty'] as const;
export type Preset = (typeof PRESETS)[number];

/** The port of HTTPS: other ports draw attention, and most CDNs forward to few others. */
const HTTPS = 443;
const SNIFFING = { enabled: true, destOverride: ['http', 'tls', 'quic'] } as const;
const TLS = 'streamSettings.tlsSettings';
const METHOD = '2022-blake3-aes-256-gcm';

/** The answers that a preset needs; the port is proposed. */
export interface Answers {
  readonly remark: string;
  /** The site to imitate, the domain of the server, or the port. */
  readonly second: string;
  readonly port: number;
  /** The email of the first client; empty = no client. */
  readonly client: string;
}
export type Second = 'target' | 'domain' | 'port';

/** What the second question is about. */
export const secondOf: Readonly<Record<Exclude<Preset, 'empty'>, Second>> = {
  reality: 'target',
  websocket: 'domain',
  hysteria2: 'domain',
  trojan: 'domain',
  shadowsocks: 'port',
};
const NAMES: Readonly<Record<Preset, string>> = {
  reality: 'VLESS REALITY',
  websocket: 'VLESS WebSocket',
  hysteria2: 'Hysteria2',
  trojan: 'Trojan',
  shadowsocks: 'Shadowsocks 2022',
  empty: '',
};

/** Both answers as they are proposed. */
export async function proposed(preset: Preset): Promise<Answers> {
  const prefer = preset === 'shadowsocks' || preset === 'empty' ? 0 : HTTPS;
  const port = await api.get('/panel/api/inbounds/freePort', { query: { prefer } });
  const second = preset === 'reality' ? imitable() : preset === 'shadowsocks' ? String(port) : '';
  return { remark: NAMES[preset], second, port, client: randomWord(8) };
}

const blank = (remark: string, port: number): Draft => ({
  ...{ remark, enable: true, nodeId: 0, listen: '', port, protocol: 'vless', tag: '', total: 0, expiryTime: 0 },
  trafficReset: 'never',
  settings: { decryption: 'none' },
  streamSettings: { network: 'tcp', security: 'none' },
  sniffing: SNIFFING,
});

/** The inbound of a preset with its first client. */
export async function inboundFor(preset: Preset, answers: Answers): Promise<Draft> {
  const draft = await draftFor(preset, answers);
  const email = answers.client.trim();
  if (email === '') return draft;
  const kind = { protocol: draft.protocol, method: METHOD, vision: preset === 'reality' };
  const client = { email, enable: true, subId: randomWord(16), ...newCredentials(kind) };
  return { ...draft, settings: { ...draft.settings, clients: [client] } };
}

/** A new inbound for a purpose, with its keys and its certificate. */
export async function draftFor(preset: Preset, { remark, second, port }: Omit<Answers, 'client'>): Promise<Draft> {
  const draft = blank(remark, port);
  switch (preset) {
    case 'empty':
      return draft;
    case 'reality':
      return reality(draft, second.trim());
    case 'websocket':
      return behindCdn(draft, second.trim());
    case 'hysteria2': {
      const hysteriaSettings = { version: 2, auth: '', udpIdleTimeout: 60 };
      return withCertificate({
        ...{ ...draft, protocol: 'hysteria2', settings: { version: 2 } },
        streamSettings: { network: 'hysteria', ...tls(second, ['h3']), hysteriaSettings },
      });
    }
    case 'trojan':
      return withCertificate({
        ...{ ...draft, protocol: 'trojan', settings: {} },
        streamSettings: { network: 'tcp', ...tls(second, ['h2', 'http/1.1']) },
      });
    case 'shadowsocks': {
      const settings = { method: METHOD, password: shadowsocksKey(METHOD), network: 'tcp,udp' };
      return { ...draft, protocol: 'shadowsocks', port: Number(second) || port, settings };
    }
  }
}

const tls = (domain: string, alpn: readonly string[]) => {
  const serverName = domain.trim();
  return { security: 'tls', tlsSettings: { ...(serverName === '' ? {} : { serverName }), alpn } };
};

async function reality(draft: Draft, site: string): Promise<Draft> {
  const [host = ''] = site.split(':');
  const realitySettings = {
    show: false,
    target: site.includes(':') ? site : `${site}:443`,
    serverNames: [host],
    settings: { fingerprint: 'chrome', spiderX: '/' },
  };
  const streamSettings = { network: 'tcp', security: 'reality', realitySettings };
  return generated(await generated({ ...draft, streamSettings }, 'x25519'), 'shortIds');
}

/** Clients connect to the CDN by the domain, so links name it, and its certificate is not that of the inbound. */
async function behindCdn(draft: Draft, domain: string): Promise<Draft> {
  const wsSettings = { path: `/${randomWord(10)}`, host: domain };
  const externalProxy = [{ forceTls: 'same', dest: domain, port: draft.port, remark: '' }];
  const streamSettings = {
    ...{ network: 'ws', ...tls(domain, ['http/1.1']), wsSettings },
    ...(domain === '' ? {} : { externalProxy }),
  };
  const made = await withCertificate({ ...draft, streamSettings });
  return withValue(made, `${TLS}.settings.pinnedPeerCertSha256`, undefined);
}

/** With the certificate of the panel if it has one, else with one that only its own links trust. */
async function withCertificate(draft: Draft): Promise<Draft> {
  const { obj } = await api.post('/panel/setting/defaultSettings');
  return generated(draft, obj.defaultCert === '' ? 'selfSigned' : 'panelCertificate');
}
