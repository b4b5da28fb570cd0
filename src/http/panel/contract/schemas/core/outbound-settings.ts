import type { z } from 'zod';
import { peer } from './inbound-settings.js';
import {
  choice,
  domainStrategy,
  eitherOf,
  flag,
  level,
  listOf,
  METHODS,
  NETWORKS,
  options,
  pairs,
  part,
  range,
  Sniffing,
  text,
  texts,
  usual,
  whole,
  xver,
} from './option.js';
import { OutboundStream } from './stream.js';

const server = { address: text(), port: whole() };
const account = { email: text(), level };
const older = (shape: Readonly<Record<string, z.ZodType>>) =>
  listOf(part({ ...server, ...shape }), 'The older form of address, port and account: a list with one server.');

const vless = {
  id: text({ description: 'The UUID of the account.' }),
  flow: usual(['xtls-rprx-vision', 'xtls-rprx-vision-udp443']),
  encryption: text({ default: 'none', description: '`none`, or the public part of VLESS encryption.' }),
  ...account,
};
const vmess = {
  id: text({ description: 'The UUID of the account.' }),
  security: usual(['auto', 'aes-128-gcm', 'chacha20-poly1305', 'none', 'zero'], { default: 'auto' }),
  experiments: text(),
  ...account,
};
const login = { user: text(), pass: text(), ...account };
const trojan = { password: text(), ...account };
const shadowsocks = { method: usual(METHODS), password: text(), ...account };

const Freedom = options('FreedomOutbound', {
  domainStrategy: domainStrategy('How it resolves the domain of a connection.'),
  targetStrategy: domainStrategy('Another name of `domainStrategy`.'),
  redirect: text({ description: 'Sends everything to `host:port`; without a host only the port changes.' }),
  proxyProtocol: xver,
  fragment: part(
    {
      packets: text({ description: '`tlshello`, or the numbers of the packets, such as `1-3`.' }),
      length: range({ description: 'Bytes of a fragment.' }),
      interval: range({ description: 'Milliseconds between fragments.' }),
      maxSplit: range({ description: 'Most fragments; 0 = any number.' }),
    },
    { description: 'Divides the first packets, against filters that read the server name.' },
  ),
  noises: listOf(
    part({
      type: choice(['rand', 'str', 'hex', 'base64']),
      packet: text({ description: 'The content, or for `rand` its length, such as `50-100`.' }),
      delay: range({ description: 'Milliseconds.' }),
      applyTo: choice(['ip', 'ipv4', 'ipv6'], { default: 'ip' }),
    }),
    'Packets that are sent before the first one of UDP.',
  ),
  finalRules: listOf(
    part({
      action: choice(['allow', 'block']),
      network: usual(NETWORKS),
      port: range(),
      ip: texts(),
      blockDelay: range({ description: 'Seconds before a blocked connection ends.' }),
    }),
    'The last decision, after domains are resolved.',
  ),
  userLevel: level,
});

const Dns = options('DnsOutbound', {
  network: choice(['tcp', 'udp'], { description: 'How the DNS server is asked. Absent = as the request.' }),
  address: text({ description: 'Another DNS server. Absent = the one of the request.' }),
  port: whole({ description: 'The port of the DNS server. Absent = the one of the request.' }),
  rewriteNetwork: text({ description: 'Another name of `network`.' }),
  rewriteAddress: text({ description: 'Another name of `address`.' }),
  rewritePort: whole({ description: 'Another name of `port`.' }),
  rules: listOf(
    part({
      action: choice(['direct', 'drop', 'return', 'hijack'], {
        description: '`hijack` resolves with the DNS of the core; `return` answers with `rCode`.',
      }),
      qType: range({ description: 'Types of records by number, such as `1,28`.' }),
      domain: texts(),
      rCode: whole({ default: 0 }),
    }),
    'What happens to a request; the first that fits.',
  ),
  nonIPQuery: choice(['reject', 'drop', 'skip'], {
    default: 'reject',
    description: 'Requests for other records than addresses. Not together with `rules`.',
  }),
  blockTypes: listOf(whole(), 'Types of records that are refused. Not together with `rules`.'),
  userLevel: level,
});

/** The settings of an outbound by its protocol. */
export const outboundSettings = {
  freedom: Freedom,
  blackhole: options('BlackholeOutbound', {
    response: part({
      type: choice(['none', 'http'], { default: 'none', description: '`http` answers with 403 before it closes.' }),
    }),
  }),
  dns: Dns,
  vless: options('VlessOutbound', {
    ...server,
    ...vless,
    vnext: older({ users: listOf(part(vless)) }),
    reverse: part({ tag: text(), sniffing: Sniffing }),
    seed: text(),
    testpre: whole({ default: 0, description: 'Connections that are opened in advance.' }),
    testseed: listOf(whole()),
  }),
  vmess: options('VmessOutbound', { ...server, ...vmess, vnext: older({ users: listOf(part(vmess)) }) }),
  trojan: options('TrojanOutbound', { ...server, ...trojan, servers: older(trojan) }),
  shadowsocks: options('ShadowsocksOutbound', { ...server, ...shadowsocks, servers: older(shadowsocks) }),
  socks: options('SocksOutbound', { ...server, ...login, servers: older({ users: listOf(part(login)) }) }),
  http: options('HttpOutbound', {
    ...server,
    ...login,
    headers: pairs(),
    servers: older({ users: listOf(part(login)) }),
  }),
  wireguard: options('WireguardOutbound', {
    secretKey: text(),
    address: texts({ description: 'The own addresses in the tunnel.' }),
    peers: listOf(part({ endpoint: text({ description: 'The server, as `host:port`.' }), ...peer })),
    mtu: whole({ default: 1420 }),
    reserved: listOf(whole(), 'Three bytes in the header of packets.'),
    noKernelTun: flag({ default: false, description: 'Does not use the WireGuard of the system.' }),
    domainStrategy: choice(['ForceIP', 'ForceIPv4', 'ForceIPv6', 'ForceIPv4v6', 'ForceIPv6v4'], {
      default: 'ForceIP',
    }),
  }),
  hysteria: options('HysteriaOutbound', {
    ...server,
    version: whole({ default: 2, description: 'Must be 2. The password is in `hysteriaSettings.auth`.' }),
  }),
  loopback: options('LoopbackOutbound', {
    inboundTag: text({ description: 'The tag with which a connection passes the routing rules again.' }),
    sniffing: Sniffing,
  }),
} as const;

export const Outbound = options(
  'Outbound',
  {
    tag: text({ description: 'The name that rules and balancers use.' }),
    protocol: usual(Object.keys(outboundSettings)),
    settings: eitherOf('OutboundSettings', outboundSettings),
    streamSettings: OutboundStream,
    sendThrough: text({ description: 'The local address of connections.' }),
    targetStrategy: domainStrategy('How the domain of a connection is resolved before it is sent.'),
    proxySettings: part({ tag: text(), transportLayer: flag({ default: false }) }),
    mux: part({
      enabled: flag({ default: false, description: 'Several streams in one connection.' }),
      concurrency: whole({ default: 8 }),
      xudpConcurrency: whole({ default: 0 }),
      xudpProxyUDP443: choice(['reject', 'allow', 'skip'], { default: 'reject' }),
    }),
  },
  { needed: ['tag', 'protocol'] },
);
