import { directOutbound, httpOutbound, socksOutbound, wireguardOutbound } from './client-apps/outbound.js';
import {
  type CaseContext,
  type ClientSeed,
  clientObject,
  type InboundBody,
  type InboundCase,
  makeBody,
  userKey,
} from './inbound-body.js';
import { hysteriaStream, overReality, overTls, plain, TRANSPORTS } from './inbound-streams.js';

export {
  type CaseContext,
  type ClientSeed,
  type InboundBody,
  type InboundCase,
  makeClient,
  makeContext,
  userKey,
} from './inbound-body.js';

const VISION = 'xtls-rprx-vision';

/** Every protocol, transport and security that the end-to-end tests drive. */
export function inboundCases(context: CaseContext): InboundCase[] {
  return [
    ...vlessCases(context),
    ...vmessCases(),
    ...trojanCases(context),
    ...shadowsocksCases(context),
    ...hysteriaCases(context),
    ...withoutLink(context),
  ];
}

/** One of `inboundCases` by name. */
export function inboundCase(context: CaseContext, name: string): InboundCase {
  const found = inboundCases(context).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

function vlessCases(context: CaseContext): InboundCase[] {
  const { tcp, tcpHttp, ws, grpc, grpcMulti, xhttp, httpupgrade } = TRANSPORTS;
  const vless = (name: string, stream: object, flow = '', listens: 'tcp' | 'udp' = 'tcp') => {
    const settings = (clients: ClientSeed[]) => ({
      clients: clients.map((client) => clientObject(client, { id: client.id, flow })),
      decryption: 'none',
      encryption: 'none',
      fallbacks: [],
    });
    return linked(name, 'vless', settings, stream, listens);
  };
  return [
    vless('vless-tcp', plain(tcp)),
    vless('vless-tcp-http', plain(tcpHttp)),
    vless('vless-tcp-tls', overTls(tcp, context)),
    vless('vless-ws', plain(ws)),
    vless('vless-ws-tls', overTls(ws, context, ['h2', 'http/1.1'])),
    vless('vless-grpc', plain(grpc)),
    vless('vless-grpc-tls', overTls(grpcMulti, context, ['h2'])),
    vless('vless-xhttp', plain(xhttp)),
    vless('vless-xhttp-tls', overTls(xhttp, context, ['h2', 'http/1.1'])),
    vless('vless-xhttp-h3', overTls(xhttp, context, ['h3']), '', 'udp'),
    vless('vless-httpupgrade', plain(httpupgrade)),
    vless('vless-httpupgrade-tls', overTls(httpupgrade, context, ['h2', 'http/1.1'])),
    vless('vless-reality-vision', overReality(tcp, context), VISION),
    vless('vless-reality-xhttp', overReality(xhttp, context)),
    vless('vless-tls-vision', overTls(tcp, context), VISION),
  ];
}

function vmessCases(): InboundCase[] {
  const { tcp, ws, kcp, kcpSeed } = TRANSPORTS;
  const vmess = (name: string, stream: object, listens: 'tcp' | 'udp' = 'tcp') => {
    const settings = (clients: ClientSeed[]) => ({
      clients: clients.map((client) => clientObject(client, { id: client.id, security: 'auto' })),
    });
    return linked(name, 'vmess', settings, stream, listens);
  };
  return [
    vmess('vmess-tcp', plain(tcp)),
    vmess('vmess-ws', plain(ws)),
    vmess('vmess-kcp', plain(kcp), 'udp'),
    vmess('vmess-kcp-seed', plain(kcpSeed), 'udp'),
  ];
}

function trojanCases(context: CaseContext): InboundCase[] {
  const { tcp, ws, grpc } = TRANSPORTS;
  const trojan = (name: string, stream: object) => {
    const settings = (clients: ClientSeed[]) => ({
      clients: clients.map((client) => clientObject(client, { password: client.password })),
      fallbacks: [],
    });
    return linked(name, 'trojan', settings, stream);
  };
  return [
    trojan('trojan-tcp-tls', overTls(tcp, context)),
    trojan('trojan-ws-tls', overTls(ws, context, ['h2', 'http/1.1'])),
    trojan('trojan-grpc-tls', overTls(grpc, context, ['h2'])),
  ];
}

function shadowsocksCases({ serverKeys }: CaseContext): InboundCase[] {
  const stream = plain(TRANSPORTS.tcp);
  const shadowsocks = (name: string, method: string, keyBytes?: 16 | 32) => {
    const settings = (clients: ClientSeed[]) => ({
      method,
      password: keyBytes === undefined ? 'unused-server-password' : serverKeys[keyBytes],
      network: 'tcp,udp',
      clients: clients.map((client) =>
        clientObject(
          client,
          keyBytes === undefined ? { method, password: client.password } : { password: userKey(client, keyBytes) },
        ),
      ),
      ivCheck: false,
    });
    return linked(name, 'shadowsocks', settings, stream);
  };
  return [
    shadowsocks('ss-aes-256-gcm', 'aes-256-gcm'),
    shadowsocks('ss-chacha20', 'chacha20-ietf-poly1305'),
    shadowsocks('ss-2022-128', '2022-blake3-aes-128-gcm', 16),
    shadowsocks('ss-2022-256', '2022-blake3-aes-256-gcm', 32),
  ];
}

function hysteriaCases(context: CaseContext): InboundCase[] {
  const hysteria = (name: string, stream: object) => {
    const settings = (clients: ClientSeed[]) => ({
      version: 2,
      clients: clients.map((client) => clientObject(client, { auth: client.password })),
    });
    return linked(name, 'hysteria2', settings, stream, 'udp');
  };
  return [
    hysteria('hysteria2', hysteriaStream(context)),
    hysteria('hysteria2-obfs', hysteriaStream(context, 'obfs pw+1')),
  ];
}

function withoutLink({ wireguardKeys, targetPort }: CaseContext): InboundCase[] {
  const accounts = (clients: ClientSeed[]) => clients.map(({ email, password }) => ({ user: email, pass: password }));
  const unlinked = (
    name: string,
    settings: (clients: ClientSeed[]) => object,
    outbound: NonNullable<InboundCase['outbound']>,
    countsUsers = false,
  ): InboundCase => ({
    name,
    protocol: name,
    listens: name === 'wireguard' ? 'udp' : 'tcp',
    link: false,
    countsUsers,
    body: (port, clients) =>
      makeBody(name, port, name, settings(clients), name === 'wireguard' ? {} : plain(TRANSPORTS.tcp)),
    outbound,
  });
  const withPassword = (clients: ClientSeed[]) => ({
    auth: 'password',
    accounts: accounts(clients),
    udp: true,
    ip: '127.0.0.1',
  });
  const peer = ({ keys, tunnelAddress, email }: ClientSeed) => ({
    ...keys,
    allowedIPs: [tunnelAddress],
    keepAlive: 0,
    email,
  });
  const toTarget = () => ({ address: '127.0.0.1', port: targetPort, network: 'tcp', followRedirect: false });
  return [
    unlinked('socks', withPassword, (port, client) => socksOutbound(port, client.email, client.password), true),
    unlinked('mixed', withPassword, (port, client) => httpOutbound(port, client.email, client.password), true),
    unlinked(
      'http',
      (clients) => ({ accounts: accounts(clients), allowTransparent: false }),
      (port, client) => httpOutbound(port, client.email, client.password),
      true,
    ),
    unlinked(
      'wireguard',
      (clients) => ({ mtu: 1420, secretKey: wireguardKeys.privateKey, peers: clients.map(peer), noKernelTun: true }),
      (port, client) =>
        wireguardOutbound(port, {
          secretKey: client.keys.privateKey,
          serverPublicKey: wireguardKeys.publicKey,
          address: [client.tunnelAddress],
        }),
      true,
    ),
    unlinked('dokodemo', toTarget, directOutbound),
    unlinked('tunnel', toTarget, directOutbound),
  ];
}

function linked(
  name: string,
  protocol: string,
  settings: (clients: ClientSeed[]) => object,
  stream: object,
  listens: 'tcp' | 'udp' = 'tcp',
): InboundCase {
  const body = (port: number, clients: ClientSeed[]): InboundBody =>
    makeBody(protocol, port, name, settings(clients), stream);
  return { name, protocol, listens, link: true, countsUsers: true, body };
}
