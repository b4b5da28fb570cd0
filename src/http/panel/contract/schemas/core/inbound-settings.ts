import { z } from 'zod';
import {
  choice,
  eitherOf,
  flag,
  level,
  listOf,
  METHODS,
  NETWORKS,
  options,
  pairs,
  part,
  text,
  texts,
  usual,
  whole,
  xver,
} from './option.js';

const clients = listOf(part({}), 'The clients. The answer has them as the panel stores them.');

const Fallback = options(
  'Fallback',
  {
    dest: z.union([z.string(), z.int()]).meta({ description: 'A port, `host:port`, or the path of a Unix socket.' }),
    name: text({ description: 'Only for this server name.' }),
    alpn: text({ description: 'Only for this ALPN.' }),
    path: text({ description: 'Only for requests of this path.' }),
    type: usual(['tcp', 'unix'], { description: 'The network; chosen by `dest` if it is absent.' }),
    xver,
  },
  { needed: ['dest'] },
);
const fallbacks = listOf(Fallback, 'Where connections of another protocol go. Only for the transport tcp.');

const Account = options('Account', { user: text(), pass: text() }, { needed: ['user', 'pass'] });
const accounts = listOf(Account);
const networks = usual(NETWORKS, { default: 'tcp,udp' });

/** What a peer of WireGuard has on both sides. */
export const peer = {
  publicKey: text(),
  preSharedKey: text(),
  allowedIPs: texts({ description: 'Absent = all addresses.' }),
  keepAlive: whole({ default: 0, description: 'Seconds; 0 = off.' }),
};
const Peer = options('WireguardPeer', { ...peer, email: text(), level }, { needed: ['publicKey'] });

const Tunnel = options('TunnelInbound', {
  address: text({ description: 'Where connections go. Absent = as `followRedirect` or `portMap` say.' }),
  port: whole(),
  network: networks,
  followRedirect: flag({ default: false, description: 'Takes the destination from the transparent proxy of Linux.' }),
  portMap: pairs({ description: 'Destinations, as `host:port`, by the port on which a connection arrives.' }),
  allowedNetwork: usual(NETWORKS, { description: 'Another name of `network`.' }),
  rewriteAddress: text({ description: 'Another name of `address`.' }),
  rewritePort: whole({ description: 'Another name of `port`.' }),
  userLevel: level,
});
const Mixed = options('MixedInbound', {
  auth: choice(['noauth', 'password'], { default: 'noauth' }),
  accounts,
  udp: flag({ default: false }),
  ip: text({ description: 'The address that clients use for UDP.' }),
  userLevel: level,
});
const Hysteria2 = options('Hysteria2Inbound', {
  version: whole({ default: 2, description: 'Must be 2.' }),
  clients,
});

/** The settings of an inbound by its protocol, under all names that the panel accepts. */
export const inboundSettings = {
  vless: options('VlessInbound', {
    clients,
    decryption: text({ default: 'none', description: '`none`, or the private part of VLESS encryption.' }),
    encryption: text({ default: 'none', description: 'What clients need for it. Only the panel reads it.' }),
    flow: usual(['xtls-rprx-vision'], { description: 'The flow of clients that have none.' }),
    fallbacks,
    testseed: listOf(whole(), 'Four numbers that change the padding of Vision.'),
  }),
  vmess: options('VmessInbound', { clients, default: part({ level }) }),
  trojan: options('TrojanInbound', { clients, fallbacks }),
  shadowsocks: options(
    'ShadowsocksInbound',
    {
      method: usual(METHODS),
      password: text({ description: 'The key of the server. Only the methods of 2022 use it.' }),
      network: networks,
      clients,
      ivCheck: flag({ default: false, description: 'Has no effect in this version of the core.' }),
      level,
      email: text(),
    },
    { needed: ['method'] },
  ),
  hysteria2: Hysteria2,
  wireguard: options(
    'WireguardInbound',
    {
      secretKey: text(),
      mtu: whole({ default: 1420 }),
      address: texts({ description: 'The addresses of the inbound in the tunnel.' }),
      peers: listOf(Peer),
      noKernelTun: flag({ default: false, description: 'Does not use the WireGuard of the system.' }),
      reserved: listOf(whole(), 'Three bytes in the header of packets.'),
      domainStrategy: choice(['ForceIP', 'ForceIPv4', 'ForceIPv6', 'ForceIPv4v6', 'ForceIPv6v4'], {
        default: 'ForceIP',
      }),
    },
    { needed: ['secretKey'] },
  ),
  mixed: Mixed,
  http: options('HttpInbound', {
    accounts,
    allowTransparent: flag({ default: false, description: 'Forwards plain HTTP requests that name no proxy.' }),
    userLevel: level,
  }),
  tunnel: Tunnel,
} as const;
export const InboundSettings = eitherOf('InboundSettings', inboundSettings);
