import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** An outbound of the core, as a client app creates it from a link. */
export interface Outbound {
  protocol: string;
  settings: Record<string, unknown>;
  streamSettings?: Record<string, unknown>;
}

/** A SOCKS client outbound. */
export function socksOutbound(port: number, user?: string, pass = ''): Outbound {
  return { protocol: 'socks', settings: { address: '127.0.0.1', port, ...(user === undefined ? {} : { user, pass }) } };
}

/** An HTTP proxy client outbound (CONNECT). */
export function httpOutbound(port: number, user?: string, pass = ''): Outbound {
  return { protocol: 'http', settings: { address: '127.0.0.1', port, ...(user === undefined ? {} : { user, pass }) } };
}

/** Plain TCP to one port whatever the request asks for: the client side of dokodemo and tunnel. */
export function directOutbound(port: number): Outbound {
  return {
    protocol: 'freedom',
    settings: { redirect: `127.0.0.1:${port}`, finalRules: [{ action: 'allow' }] },
  };
}

export interface WireguardClient {
  secretKey: string;
  serverPublicKey: string;
  preSharedKey?: string;
  /** CIDRs of this peer inside the tunnel. */
  address: string[];
  mtu?: number;
}

/**
 * A WireGuard client in user space, without a tunnel device. The request must name an IP outside 127.0.0.0/8: the
 * stack in the server drops loopback destinations (see `redirectTo` in kit tests, or a second address on `lo`).
 */
export function wireguardOutbound(port: number, client: WireguardClient): Outbound {
  const { secretKey, serverPublicKey, preSharedKey, address, mtu = 1420 } = client;
  const peer = {
    publicKey: serverPublicKey,
    endpoint: `127.0.0.1:${port}`,
    allowedIPs: ['0.0.0.0/0', '::/0'],
    ...(preSharedKey === undefined ? {} : { preSharedKey }),
  };
  return { protocol: 'wireguard', settings: { secretKey, address, mtu, noKernelTun: true, peers: [peer] } };
}

export interface KeyPair {
  privateKey: string;
  publicKey: string;
}

/** X25519 as WireGuard writes it: standard base64. */
export function wireguardKeys(): KeyPair {
  return x25519('base64');
}

/** X25519 as REALITY writes it: base64url without padding. */
export function realityKeys(): KeyPair {
  return x25519('base64url');
}

function x25519(encoding: 'base64' | 'base64url'): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey: raw(privateKey, 'd', encoding), publicKey: raw(publicKey, 'x', encoding) };
}

function raw(key: KeyObject, field: 'd' | 'x', encoding: 'base64' | 'base64url'): string {
  const text = key.export({ format: 'jwk' })[field];
  if (typeof text !== 'string') throw new Error('not an X25519 key');
  return Buffer.from(text, 'base64url').toString(encoding);
}
