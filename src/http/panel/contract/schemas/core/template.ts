import { z } from 'zod';
import { inboundSettings } from './inbound-settings.js';
import {
  anything,
  choice,
  eitherOf,
  flag,
  listOf,
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
} from './option.js';
import { Outbound } from './outbound-settings.js';
import { InboundStream } from './stream.js';

const { hysteria2, ...ofBoth } = inboundSettings;
/** The settings of an inbound of the template, under the names of the core. */
export const coreInboundSettings = { ...ofBoth, hysteria: hysteria2 };
const INBOUND_PROTOCOLS = [...Object.keys(coreInboundSettings), 'socks', 'dokodemo-door', 'tun'];

const Inbound = options(
  'CoreInbound',
  {
    tag: text(),
    listen: text({ description: 'Absent = all addresses.' }),
    port: range({ description: 'One or several, such as `443,8000-8100`.' }),
    protocol: usual(INBOUND_PROTOCOLS),
    settings: eitherOf('CoreInboundSettings', coreInboundSettings),
    streamSettings: InboundStream,
    sniffing: Sniffing,
  },
  { needed: ['protocol'] },
);

const domains = texts({ description: 'Such as `geosite:cn`, `domain:example.com`, `full:…`, `regexp:…`.' });
const ips = texts({ description: 'Addresses, networks, or lists such as `geoip:private`.' });
const tags = texts();
const ports = range({ description: 'Such as `53,443,1000-2000`.' });
const duration = text({ description: 'With a unit, such as `10s`.' });

const Rule = options('RoutingRule', {
  ruleTag: text(),
  domain: domains,
  domains,
  ip: ips,
  port: ports,
  sourcePort: ports,
  localPort: ports,
  network: usual(NETWORKS),
  source: ips,
  sourceIP: ips,
  localIP: ips,
  user: texts({ description: 'Emails of clients, or `regexp:…`.' }),
  vlessRoute: ports,
  inboundTag: tags,
  protocol: texts({ usual: ['http', 'tls', 'quic', 'bittorrent'] }),
  attrs: pairs({ description: 'Attributes of HTTP requests, with a regular expression each.' }),
  process: texts({ description: 'Names or paths of programs on this machine.' }),
  webhook: part({ url: text(), deduplication: whole({ default: 0 }), headers: pairs() }),
  outboundTag: text(),
  balancerTag: text(),
});

const Balancer = options('Balancer', {
  tag: text(),
  selector: texts({ description: 'The beginnings of tags of outbounds.' }),
  fallbackTag: text({ description: 'The outbound that is used if no selected one answers.' }),
  strategy: part({
    type: usual(['random', 'roundRobin', 'leastPing', 'leastLoad'], { default: 'random' }),
    settings: part(
      {
        expected: whole(),
        maxRTT: duration,
        tolerance: z.number().meta({ description: 'The share of failed probes that is accepted.' }),
        baselines: listOf(duration),
        costs: listOf(anything('A weight by tag.')),
      },
      { description: 'Of leastLoad.' },
    ),
  }),
});

const queryStrategy = usual(['UseIP', 'UseIPv4', 'UseIPv6', 'UseSystem'], { default: 'UseIP' });
const cache = {
  disableCache: flag(),
  serveStale: flag({ description: 'Answers with an expired entry while it asks again.' }),
  serveExpiredTTL: whole({ description: 'Seconds after which an expired entry is not used; 0 = no limit.' }),
};
const NameServer = options('NameServer', {
  address: text({ description: 'Such as `1.1.1.1`, `https://dns.google/dns-query` or `localhost`.' }),
  port: whole({ default: 53 }),
  domains,
  expectedIPs: ips,
  expectIPs: texts({ description: 'Another name of `expectedIPs`.' }),
  unexpectedIPs: ips,
  skipFallback: flag({ default: false }),
  finalQuery: flag({ default: false }),
  clientIp: text(),
  queryStrategy,
  tag: text(),
  timeoutMs: whole({ default: 4000 }),
  ...cache,
});

const Dns = options('CoreDns', {
  servers: z.array(z.union([NameServer, z.string()])),
  hosts: anything('Addresses, or other names, by domain.'),
  clientIp: text(),
  tag: text(),
  queryStrategy,
  ...cache,
  disableFallback: flag({ default: false }),
  disableFallbackIfMatch: flag({ default: false }),
  enableParallelQuery: flag({ default: false }),
  useSystemHosts: flag({ default: false }),
});

const seconds = whole({ description: 'Seconds.' });
const PolicyLevel = part({
  handshake: seconds,
  connIdle: seconds,
  uplinkOnly: seconds,
  downlinkOnly: seconds,
  statsUserUplink: flag(),
  statsUserDownlink: flag(),
  statsUserOnline: flag(),
  bufferSize: whole({ description: 'KiB for each connection.' }),
});

const Policy = options('Policy', {
  levels: z.record(z.string(), PolicyLevel),
  system: part({
    statsInboundUplink: flag(),
    statsInboundDownlink: flag(),
    statsOutboundUplink: flag(),
    statsOutboundDownlink: flag(),
  }),
});

const SERVICES = [
  ...(['HandlerService', 'LoggerService', 'StatsService', 'RoutingService'] as const),
  ...(['ObservatoryService', 'ReflectionService'] as const),
];

/** The template of the core's configuration. */
export const CoreTemplate = options('CoreTemplate', {
  log: part({
    access: text({ description: 'A file, or `none`.' }),
    error: text({ description: 'A file, or `none`.' }),
    loglevel: choice(['debug', 'info', 'warning', 'error', 'none'], { default: 'warning' }),
    dnsLog: flag({ default: false }),
    maskAddress: usual(['quarter', 'half', 'full'], { description: 'Shortens addresses in the log.' }),
  }),
  api: part({ tag: text(), listen: text(), services: texts({ usual: SERVICES }) }),
  dns: Dns,
  routing: part({
    domainStrategy: choice(['AsIs', 'IPIfNonMatch', 'IPOnDemand'], { default: 'AsIs' }),
    rules: listOf(Rule),
    balancers: listOf(Balancer),
  }),
  policy: Policy,
  inbounds: listOf(Inbound),
  outbounds: listOf(Outbound),
  stats: anything('Counts traffic. Has no members.'),
  fakeDns: z.union([z.array(part({ ipPool: text(), poolSize: whole() })), part({ ipPool: text(), poolSize: whole() })]),
  observatory: part({
    subjectSelector: tags,
    probeURL: text(),
    probeInterval: duration,
    enableConcurrency: flag({ default: false }),
  }),
  burstObservatory: part({
    subjectSelector: tags,
    pingConfig: part({
      destination: text(),
      connectivity: text(),
      interval: duration,
      sampling: whole(),
      timeout: duration,
      httpMethod: usual(['HEAD', 'GET'], { default: 'HEAD' }),
    }),
  }),
  metrics: part({ tag: text(), listen: text() }),
  geodata: part({
    cron: text(),
    outbound: text(),
    assets: listOf(part({ url: text(), file: text() })),
  }),
  env: pairs({ description: 'Environment variables of the core.' }),
  version: part({ min: text(), max: text() }),
});
