import type { Inbound } from '../../api/contract.generated';
import { randomWord } from '../../model/random';
import type { Draft } from './draft';
import { freePort, generated, shadowsocksKey } from './generators';

export const PRESETS = ['reality', 'websocket', 'hysteria2', 'trojan', 'shadowsocks', 'empty'] as const;
export type Preset = (typeof PRESETS)[number];

/** A site that speaks TLS 1.3 and HTTP/2, for REALITY to borrow from; the admin may name another one. */
const BORROWED = 'www.microsoft.com';
const SNIFFING = { enabled: true, destOverride: ['http', 'tls', 'quic'] } as const;

function empty(inbounds: readonly Inbound[]): Draft {
  return {
    ...{
      remark: '',
      enable: true,
      listen: '',
      port: freePort(inbounds),
      protocol: 'vless',
      total: 0,
      expiryTime: 0,
      trafficReset: 'never',
    },
    settings: { decryption: 'none' },
    streamSettings: { network: 'tcp', security: 'none' },
    sniffing: SNIFFING,
  };
}

/** A new inbound for a purpose. What only the admin knows, such as the certificate, is left to the form. */
export async function draftFor(preset: Preset, inbounds: readonly Inbound[]): Promise<Draft> {
  const draft = empty(inbounds);
  switch (preset) {
    case 'empty':
      return draft;
    case 'reality': {
      const realitySettings = {
        show: false,
        target: `${BORROWED}:443`,
        serverNames: [BORROWED],
        settings: { fingerprint: 'chrome', spiderX: '/' },
      };
      const bare = {
        ...draft,
        remark: 'VLESS REALITY',
        streamSettings: { network: 'tcp', security: 'reality', realitySettings },
      };
      return generated(await generated(bare, 'x25519', inbounds), 'shortIds', inbounds);
    }
    case 'websocket': {
      const wsSettings = { path: `/${randomWord(10)}`, host: '' };
      return generated(
        {
          ...draft,
          remark: 'VLESS WebSocket',
          streamSettings: { network: 'ws', security: 'tls', wsSettings, tlsSettings: { alpn: ['http/1.1'] } },
        },
        'panelCertificate',
        inbounds,
      );
    }
    case 'hysteria2':
      return generated(
        {
          ...{ ...draft, remark: 'Hysteria2', protocol: 'hysteria2', settings: { version: 2 } },
          streamSettings: {
            network: 'hysteria',
            security: 'tls',
            tlsSettings: { alpn: ['h3'] },
            hysteriaSettings: { version: 2, auth: '', udpIdleTimeout: 60 },
          },
        },
        'panelCertificate',
        inbounds,
      );
    case 'trojan':
      return generated(
        {
          ...draft,
          remark: 'Trojan',
          protocol: 'trojan',
          settings: {},
          streamSettings: { network: 'tcp', security: 'tls', tlsSettings: { alpn: ['h2', 'http/1.1'] } },
        },
        'panelCertificate',
        inbounds,
      );
    case 'shadowsocks': {
      const method = '2022-blake3-aes-256-gcm';
      return {
        ...draft,
        remark: 'Shadowsocks 2022',
        protocol: 'shadowsocks',
        settings: { method, password: shadowsocksKey(method), network: 'tcp,udp' },
      };
    }
  }
}
