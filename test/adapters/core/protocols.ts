import { randomBytes, randomUUID } from 'node:crypto';
import { x25519 } from '../../../src/adapters/core/config/keys.js';
import type { JsonObject } from '../../../src/lib/json.js';
import type { Certificate } from './kit.js';

/** One way through: the inbound, an account of it, and the outbound with which that account dials. */
export interface Way {
  readonly name: string;
  inbound(port: number): JsonObject;
  account(email: string): JsonObject;
  outbound(port: number, account: JsonObject): JsonObject;
}

export function ways({ cert, key, pin }: Certificate, realityTarget: number): Readonly<Record<string, Way>> {
  const certificates = [{ certificate: cert.trim().split('\n'), key: key.trim().split('\n') }];
  const clientTls = { serverName: 'localhost', pinnedPeerCertSha256: pin };
  const { privateKey, publicKey } = x25519();
  const serverKey = randomBytes(16).toString('base64');
  const vless = (name: string, server: JsonObject, client: JsonObject = server, flow = ''): Way => ({
    name,
    inbound: (port) => ({
      tag: name,
      port,
      protocol: 'vless',
      settings: { decryption: 'none' },
      streamSettings: server,
    }),
    account: (email) => ({ email, id: randomUUID(), ...(flow === '' ? {} : { flow }) }),
    outbound: (port, { id = '' }) => ({
      protocol: 'vless',
      settings: { address: '127.0.0.1', port, id, encryption: 'none', ...(flow === '' ? {} : { flow }) },
      streamSettings: client,
    }),
  });
  const all: readonly Way[] = [
    vless('vless-tcp', { network: 'tcp' }),
    vless('vless-ws', { network: 'ws', wsSettings: { path: '/ws', host: 'localhost' } }),
    vless('vless-grpc', { network: 'grpc', grpcSettings: { serviceName: 'svc' } }),
    vless('vless-kcp', { network: 'kcp', kcpSettings: { mtu: 1350 } }),
    vless(
      'vless-h3',
      {
        network: 'xhttp',
        security: 'tls',
        tlsSettings: { certificates, alpn: ['h3'] },
        xhttpSettings: { path: '/h3', mode: 'auto' },
      },
      {
        network: 'xhttp',
        security: 'tls',
        tlsSettings: { ...clientTls, alpn: ['h3'] },
        xhttpSettings: { path: '/h3', mode: 'auto' },
      },
    ),
    vless('vless-xhttp', { network: 'xhttp', xhttpSettings: { path: '/xh', mode: 'auto' } }),
    vless(
      'vless-reality',
      {
        network: 'raw',
        security: 'reality',
        realitySettings: {
          target: `127.0.0.1:${realityTarget}`,
          serverNames: ['localhost'],
          privateKey,
          shortIds: ['0123456789abcdef'],
        },
      },
      {
        network: 'raw',
        security: 'reality',
        realitySettings: {
          serverName: 'localhost',
          password: publicKey,
          shortId: '0123456789abcdef',
          fingerprint: 'chrome',
        },
      },
      'xtls-rprx-vision',
    ),
    {
      name: 'trojan-tls',
      inbound: (port) => ({
        tag: 'trojan-tls',
        port,
        protocol: 'trojan',
        settings: {},
        streamSettings: { network: 'tcp', security: 'tls', tlsSettings: { certificates } },
      }),
      account: (email) => ({ email, password: randomUUID() }),
      outbound: (port, { password = '' }) => ({
        protocol: 'trojan',
        settings: { address: '127.0.0.1', port, password },
        streamSettings: { network: 'tcp', security: 'tls', tlsSettings: clientTls },
      }),
    },
    {
      name: 'vmess',
      inbound: (port) => ({ tag: 'vmess', port, protocol: 'vmess', settings: {} }),
      account: (email) => ({ email, id: randomUUID() }),
      outbound: (port, { id = '' }) => ({
        protocol: 'vmess',
        settings: { address: '127.0.0.1', port, id, security: 'auto' },
      }),
    },
    {
      name: 'ss',
      inbound: (port) => ({
        tag: 'ss',
        port,
        protocol: 'shadowsocks',
        settings: { method: 'aes-256-gcm', network: 'tcp,udp' },
      }),
      account: (email) => ({ email, password: randomUUID(), method: 'aes-256-gcm' }),
      outbound: (port, { password = '' }) => ({
        protocol: 'shadowsocks',
        settings: { address: '127.0.0.1', port, method: 'aes-256-gcm', password },
      }),
    },
    {
      name: 'ss2022',
      inbound: (port) => ({
        tag: 'ss2022',
        port,
        protocol: 'shadowsocks',
        settings: { method: '2022-blake3-aes-128-gcm', password: serverKey, network: 'tcp,udp' },
      }),
      account: (email) => ({ email, password: randomBytes(16).toString('base64') }),
      outbound: (port, { password = '' }) => ({
        protocol: 'shadowsocks',
        settings: {
          address: '127.0.0.1',
          port,
          method: '2022-blake3-aes-128-gcm',
          password: password === '' ? serverKey : `${serverKey}:${String(password)}`,
        },
      }),
    },
    {
      name: 'hysteria',
      inbound: (port) => ({
        tag: 'hysteria',
        port,
        protocol: 'hysteria',
        settings: { version: 2 },
        streamSettings: {
          network: 'hysteria',
          security: 'tls',
          tlsSettings: { certificates, alpn: ['h3'] },
          hysteriaSettings: { version: 2 },
        },
      }),
      account: (email) => ({ email, auth: randomUUID() }),
      outbound: (port, { auth = '' }) => ({
        protocol: 'hysteria',
        settings: { version: 2, address: '127.0.0.1', port },
        streamSettings: {
          network: 'hysteria',
          security: 'tls',
          tlsSettings: { ...clientTls, alpn: ['h3'] },
          hysteriaSettings: { version: 2, auth },
        },
      }),
    },
  ];
  return Object.fromEntries(all.map((way) => [way.name, way]));
}
