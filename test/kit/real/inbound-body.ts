import { randomBytes, randomUUID } from 'node:crypto';
import type { TestCertificate } from './certificate.js';
import { type KeyPair, type Outbound, realityKeys, wireguardKeys } from './client-apps/outbound.js';

/** The body of POST /panel/api/inbounds/add; the inner objects are JSON text, as the panel API wants them. */
export interface InboundBody {
  enable: boolean;
  remark: string;
  listen: string;
  port: number;
  protocol: string;
  expiryTime: number;
  total: number;
  settings: string;
  streamSettings: string;
  sniffing: string;
}

/** A client with a credential for every protocol; limits may be given, everything else is random. */
export interface ClientSeed {
  email: string;
  subId: string;
  /** UUID for vless and vmess. */
  id: string;
  /** For trojan, hysteria, socks, http. */
  password: string;
  totalGB: number;
  expiryTime: number;
  limitIp: number;
  enable: boolean;
  /** WireGuard keys of this peer. */
  keys: KeyPair;
  /** Its address inside a WireGuard tunnel. */
  tunnelAddress: string;
}

/** What the cases of one run share. */
export interface CaseContext {
  certificate: TestCertificate;
  /** `host:port` of a TLS 1.3 server that REALITY borrows from. */
  realityTarget: string;
  realityKeys: KeyPair;
  shortId: string;
  wireguardKeys: KeyPair;
  /** Server keys of Shadowsocks 2022, by key length. */
  serverKeys: Record<16 | 32, string>;
  /** Where dokodemo and tunnel lead. */
  targetPort: number;
}

/** One combination of protocol, transport and security. */
export interface InboundCase {
  name: string;
  protocol: string;
  /** What it listens on. */
  listens: 'tcp' | 'udp';
  /** Has a share link; otherwise `outbound` tells how a client connects. */
  link: boolean;
  /** The core counts `user>>>…` for its clients. */
  countsUsers: boolean;
  body(port: number, clients: ClientSeed[]): InboundBody;
  /** For protocols without a link. */
  outbound?: (port: number, client: ClientSeed) => Outbound;
}

let clientNumber = 0;

/** A client with unique values. */
export function makeClient(given: Partial<ClientSeed> = {}): ClientSeed {
  clientNumber += 1;
  const tail = randomBytes(4).toString('hex');
  return {
    email: `c${clientNumber}-${tail}`,
    subId: randomBytes(8).toString('hex'),
    id: randomUUID(),
    password: randomBytes(12).toString('base64url'),
    totalGB: 0,
    expiryTime: 0,
    limitIp: 0,
    enable: true,
    keys: wireguardKeys(),
    tunnelAddress: `10.0.${Math.floor(clientNumber / 250) % 250}.${(clientNumber % 250) + 2}/32`,
    ...given,
  };
}

/** The user key of a client on a Shadowsocks 2022 inbound: always the same for the same client. */
export function userKey(client: ClientSeed, bytes: 16 | 32): string {
  return Buffer.from(client.id.replaceAll('-', '').repeat(2), 'hex').subarray(0, bytes).toString('base64');
}

/** Fresh keys; the certificate and the target come from `startTargets`. */
export function makeContext(given: Pick<CaseContext, 'certificate' | 'realityTarget' | 'targetPort'>): CaseContext {
  return {
    realityKeys: realityKeys(),
    shortId: randomBytes(8).toString('hex'),
    wireguardKeys: wireguardKeys(),
    serverKeys: { 16: randomBytes(16).toString('base64'), 32: randomBytes(32).toString('base64') },
    ...given,
  };
}

/** The panel's own members of a client, beside the credential. */
export function clientObject(client: ClientSeed, credential: Record<string, unknown>): Record<string, unknown> {
  const { email, subId, totalGB, expiryTime, limitIp, enable } = client;
  return { ...credential, email, limitIp, totalGB, expiryTime, enable, tgId: 0, subId, comment: '', reset: 0 };
}

/** Puts a body together; listens on 127.0.0.1 only. */
export function makeBody(
  protocol: string,
  port: number,
  remark: string,
  settings: object,
  stream: object,
): InboundBody {
  return {
    enable: true,
    remark,
    listen: '127.0.0.1',
    port,
    protocol,
    expiryTime: 0,
    total: 0,
    settings: JSON.stringify(settings),
    streamSettings: JSON.stringify(stream),
    sniffing: JSON.stringify({ enabled: false, destOverride: ['http', 'tls'] }),
  };
}
