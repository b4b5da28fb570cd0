/** What the core's configuration may contain, for completion and hints. Not all of it: the core's own test decides. */
export interface Schema {
  readonly members?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly values?: readonly string[];
  /** The value is the tag of something in the same text. */
  readonly tagOf?: 'outbounds' | 'inbounds' | 'routing.balancers';
}

const any: Schema = {};
const oneOf = (...values: string[]): Schema => ({ values });
const listOf = (items: Schema): Schema => ({ items });
/** An object; plain names are members without hints. */
const object = (names: string, members: Readonly<Record<string, Schema>> = {}): Schema => ({
  members: {
    ...Object.fromEntries(
      names
        .split(' ')
        .filter(Boolean)
        .map((name) => [name, any]),
    ),
    ...members,
  },
});

const domainStrategy = oneOf(
  ...['AsIs', 'UseIP', 'UseIPv4', 'UseIPv6', 'UseIPv4v6', 'UseIPv6v4'],
  ...['ForceIP', 'ForceIPv4', 'ForceIPv6', 'ForceIPv4v6', 'ForceIPv6v4'],
);
const protocols = ['http', 'tls', 'quic', 'bittorrent', 'fakedns'];
const sniffing = object('enabled metadataOnly routeOnly domainsExcluded ipsExcluded', {
  destOverride: listOf(oneOf(...protocols)),
});
const sockopt = object(
  'mark tcpFastOpen tcpMptcp tcpKeepAliveInterval tcpKeepAliveIdle tcpUserTimeout tcpMaxSeg tcpWindowClamp tcpNoDelay ' +
    'interface V6Only penetrate acceptProxyProtocol trustedXForwardedFor customSockopt happyEyeballs addressPortStrategy',
  {
    tproxy: oneOf('off', 'redirect', 'tproxy'),
    domainStrategy,
    dialerProxy: { tagOf: 'outbounds' },
    tcpcongestion: any,
  },
);
const fingerprint = oneOf(
  ...['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', '360', 'qq', 'random', 'randomized', 'unsafe'],
);
const tls = object(
  'serverName alpn minVersion maxVersion cipherSuites certificates rejectUnknownSni disableSystemRoot ' +
    'enableSessionResumption curvePreferences masterKeyLog pinnedPeerCertSha256 verifyPeerCertByName echServerKeys ' +
    'echConfigList echForceQuery echSockopt',
  { fingerprint },
);
const reality = object(
  'show target dest xver serverNames privateKey minClientVer maxClientVer maxTimeDiff shortIds mldsa65Seed ' +
    'limitFallbackUpload limitFallbackDownload serverName password publicKey shortId mldsa65Verify spiderX masterKeyLog',
  { fingerprint },
);
const streamSettings = object('address port finalmask', {
  network: oneOf('raw', 'tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp', 'hysteria'),
  security: oneOf('none', 'tls', 'reality'),
  tlsSettings: tls,
  realitySettings: reality,
  rawSettings: object('header acceptProxyProtocol'),
  tcpSettings: object('header acceptProxyProtocol'),
  wsSettings: object('path host headers heartbeatPeriod acceptProxyProtocol'),
  httpupgradeSettings: object('path host headers acceptProxyProtocol'),
  grpcSettings: object(
    'serviceName authority multiMode idle_timeout health_check_timeout permit_without_stream initial_windows_size user_agent',
  ),
  xhttpSettings: object('path host headers extra scMaxEachPostBytes scMaxBufferedPosts xPaddingBytes noSSEHeader', {
    mode: oneOf('auto', 'packet-up', 'stream-up', 'stream-one'),
  }),
  kcpSettings: object('mtu tti uplinkCapacity downlinkCapacity congestion readBufferSize writeBufferSize'),
  hysteriaSettings: object('version auth udpIdleTimeout masquerade'),
  sockopt,
});
const outboundSettings = object(
  'address port id encryption level email reverse password method user pass users servers vnext headers response redirect ' +
    'fragment noises proxyProtocol finalRules secretKey peers mtu reserved workers noKernelTun network nonIPQuery ' +
    'blockTypes inboundTag version uot uotVersion',
  {
    domainStrategy,
    flow: oneOf('xtls-rprx-vision', 'xtls-rprx-vision-udp443'),
    security: oneOf('auto', 'aes-128-gcm', 'chacha20-poly1305', 'none', 'zero'),
  },
);
const outbound = object('tag sendThrough', {
  protocol: oneOf(
    ...['freedom', 'blackhole', 'dns', 'loopback', 'vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'http'],
    ...['wireguard', 'hysteria'],
  ),
  settings: outboundSettings,
  streamSettings,
  proxySettings: object('transportLayer', { tag: { tagOf: 'outbounds' } }),
  mux: object('enabled concurrency xudpConcurrency xudpProxyUDP443'),
  targetStrategy: domainStrategy,
});
const inbound = object('tag listen port allocate settings', {
  protocol: oneOf(
    ...['vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'mixed', 'http', 'tunnel', 'dokodemo-door', 'wireguard'],
    ...['hysteria', 'tun'],
  ),
  streamSettings,
  sniffing,
});
const rule = object(
  'ruleTag domain domains ip port sourcePort localPort source sourceIP localIP user vlessRoute attrs process domainMatcher',
  {
    type: oneOf('field'),
    network: oneOf('tcp', 'udp', 'tcp,udp'),
    protocol: listOf(oneOf('http', 'tls', 'quic', 'bittorrent')),
    inboundTag: listOf({ tagOf: 'inbounds' }),
    outboundTag: { tagOf: 'outbounds' },
    balancerTag: { tagOf: 'routing.balancers' },
  },
);
const balancer = object('tag', {
  selector: listOf({ tagOf: 'outbounds' }),
  fallbackTag: { tagOf: 'outbounds' },
  strategy: object('', {
    type: oneOf('random', 'roundRobin', 'leastPing', 'leastLoad'),
    settings: object('expected maxRTT tolerance baselines costs'),
  }),
});
const queryStrategy = oneOf('UseIP', 'UseIPv4', 'UseIPv6', 'UseSystem');
const nameServer = object(
  'address port domains expectIPs expectedIPs unexpectedIPs skipFallback clientIp tag timeoutMs disableCache finalQuery ' +
    'serveStale serveExpiredTTL',
  { queryStrategy },
);
const level = oneOf('debug', 'info', 'warning', 'error', 'none');

export const schema: Schema = object('version stats reverse geodata', {
  log: object('access error dnsLog', { loglevel: level, maskAddress: oneOf('quarter', 'half', 'full') }),
  api: object('tag listen', {
    services: listOf(
      oneOf(
        'HandlerService',
        'LoggerService',
        'StatsService',
        'RoutingService',
        'ObservatoryService',
        'ReflectionService',
      ),
    ),
  }),
  dns: object(
    'hosts clientIp tag disableCache disableFallback disableFallbackIfMatch enableParallelQuery useSystemHosts serveStale ' +
      'serveExpiredTTL',
    { servers: listOf(nameServer), queryStrategy },
  ),
  fakedns: listOf(object('ipPool poolSize')),
  routing: object('', {
    domainStrategy: oneOf('AsIs', 'IPIfNonMatch', 'IPOnDemand'),
    domainMatcher: oneOf('hybrid', 'linear'),
    rules: listOf(rule),
    balancers: listOf(balancer),
  }),
  policy: object('', {
    levels: object('0', {
      0: object(
        'handshake connIdle uplinkOnly downlinkOnly statsUserUplink statsUserDownlink statsUserOnline bufferSize',
      ),
    }),
    system: object('statsInboundUplink statsInboundDownlink statsOutboundUplink statsOutboundDownlink'),
  }),
  inbounds: listOf(inbound),
  outbounds: listOf(outbound),
  observatory: object('probeURL probeUrl probeInterval enableConcurrency', {
    subjectSelector: listOf({ tagOf: 'outbounds' }),
  }),
  burstObservatory: object('', {
    subjectSelector: listOf({ tagOf: 'outbounds' }),
    pingConfig: object('destination connectivity interval sampling timeout httpMethod'),
  }),
  metrics: object('tag listen'),
});

/** What may stand at a path; undefined where nothing is known. The core ignores the case of names. */
export function schemaAt(path: readonly string[], from: Schema = schema): Schema | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return from;
  const next = name === '*' ? from.items : memberOf(from, name);
  return next && schemaAt(rest, next);
}

function memberOf({ members = {} }: Schema, name: string): Schema | undefined {
  const own = Object.keys(members).find((known) => known.toLowerCase() === name.toLowerCase());
  return own === undefined ? undefined : members[own];
}
