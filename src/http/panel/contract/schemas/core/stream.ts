import { z } from 'zod';
import {
  choice,
  domainStrategy,
  FINGERPRINTS,
  flag,
  listOf,
  options,
  part,
  text,
  texts,
  usual,
  whole,
} from './option.js';
import { RealityClient, RealityServer, TlsClient, TlsServer } from './security.js';
import { FinalMask, Grpc, HttpUpgrade, Hysteria, Kcp, Raw, Ws, Xhttp } from './transports.js';

const SocketOptions = options('SocketOptions', {
  mark: whole({ default: 0, description: 'SO_MARK of packets, on Linux.' }),
  interface: text({ description: 'The network interface.' }),
  tcpFastOpen: z
    .union([z.boolean(), z.int()])
    .meta({ description: 'Or the length of the queue of an inbound. Absent = as the system does.' }),
  tcpMptcp: flag({ default: false, description: 'Multipath TCP.' }),
  tcpCongestion: text({ description: 'Congestion control of TCP, such as `bbr`.' }),
  tcpKeepAliveIdle: whole({ default: 0, description: 'Seconds; negative = off.' }),
  tcpKeepAliveInterval: whole({ default: 0, description: 'Seconds; negative = off.' }),
  tcpUserTimeout: whole({ default: 0, description: 'Milliseconds.' }),
  tcpMaxSeg: whole({ default: 0, description: 'Bytes.' }),
  tcpWindowClamp: whole({ default: 0, description: 'Bytes.' }),
  v6only: flag({ default: false, description: 'An inbound on `::` accepts no IPv4.' }),
  acceptProxyProtocol: flag({
    default: false,
    description: 'Every connection must begin with a PROXY protocol header.',
  }),
  tproxy: choice(['off', 'redirect', 'tproxy'], { default: 'off', description: 'Transparent proxy, on Linux.' }),
  domainStrategy: domainStrategy('How an outbound resolves the address of its server.'),
  dialerProxy: text({ description: 'The tag of the outbound through which it connects.' }),
  addressPortStrategy: choice(
    [
      ...(['none', 'SrvPortOnly', 'SrvAddressOnly', 'SrvPortAndAddress'] as const),
      ...(['TxtPortOnly', 'TxtAddressOnly', 'TxtPortAndAddress'] as const),
    ],
    { default: 'none', description: 'Takes address and port of the server from records of DNS.' },
  ),
  trustedXForwardedFor: texts({ description: 'Headers whose presence makes `X-Forwarded-For` trusted.' }),
  penetrate: flag({
    default: false,
    description: 'Uses these options for the connection of the XHTTP `downloadSettings` too.',
  }),
  happyEyeballs: part({
    prioritizeIPv6: flag({ default: false }),
    tryDelayMs: whole({ default: 0, description: 'Milliseconds; 0 = off.' }),
    interleave: whole({ default: 1 }),
    maxConcurrentTry: whole({ default: 4 }),
  }),
  customSockopt: listOf(
    part({
      system: usual(['linux', 'windows', 'darwin']),
      network: usual(['tcp', 'udp']),
      level: text(),
      opt: text(),
      value: text(),
      type: choice(['int', 'str']),
    }),
    'Options by their numbers.',
  ),
});

const ExternalProxy = options(
  'ExternalProxy',
  {
    dest: text({ description: 'The address in the link.' }),
    port: whole(),
    forceTls: choice(['same', 'none', 'tls'], { default: 'same', description: '`same` = as the inbound.' }),
    remark: text({ description: 'Added to the name of the link.' }),
    sni: text(),
    alpn: texts(),
    fingerprint: usual(FINGERPRINTS),
    pinnedPeerCertSha256: texts({ description: 'SHA-256 of its certificate in hex.' }),
    verifyPeerCertByName: texts(),
    echConfigList: text(),
  },
  { needed: ['dest', 'port'] },
);

const transports = {
  network: usual(['tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp', 'hysteria'], {
    default: 'tcp',
    description: 'The transport. `raw` is tcp, `splithttp` is xhttp, `websocket` is ws, `mkcp` is kcp.',
  }),
  rawSettings: Raw,
  tcpSettings: Raw,
  wsSettings: Ws,
  grpcSettings: Grpc,
  xhttpSettings: Xhttp,
  splithttpSettings: Xhttp,
  httpupgradeSettings: HttpUpgrade,
  kcpSettings: Kcp,
  hysteriaSettings: Hysteria,
  security: choice(['none', 'tls', 'reality'], { default: 'none' }),
};

export const InboundStream = options('InboundStream', {
  ...transports,
  tlsSettings: TlsServer,
  realitySettings: RealityServer,
  externalProxy: listOf(ExternalProxy, 'Addresses that clients use instead. Only the panel reads it.'),
  sockopt: SocketOptions,
  finalmask: FinalMask,
});

export const OutboundStream = options('OutboundStream', {
  ...transports,
  tlsSettings: TlsClient,
  realitySettings: RealityClient,
  sockopt: SocketOptions,
  finalmask: FinalMask,
});
