import { anything, choice, flag, listOf, options, pairs, part, range, text, texts, usual, whole } from './option.js';

const path = text({ default: '/' });
const host = text({ description: 'The `Host` header: the server refuses others, the client sends it.' });
const headers = pairs({ description: 'Additional HTTP headers.' });
const acceptProxyProtocol = flag({
  default: false,
  description: 'Reads the address of the client from a PROXY protocol header, which every connection must then have.',
});

/** `rawSettings`, or `tcpSettings`. */
export const Raw = options('RawTransport', {
  header: part({
    type: choice(['none', 'http'], { default: 'none', description: '`http` looks like an HTTP/1.1 exchange.' }),
    request: part({
      version: text({ default: '1.1' }),
      method: text({ default: 'GET' }),
      path: texts({ default: ['/'] }),
      headers: part({ Host: texts() }, { description: 'Lists of values by the name of the header.' }),
    }),
    response: part({
      version: text({ default: '1.1' }),
      status: text({ default: '200' }),
      reason: text({ default: 'OK' }),
      headers: part({}, { description: 'Lists of values by the name of the header.' }),
    }),
  }),
  acceptProxyProtocol,
});

export const Ws = options('WsTransport', {
  path,
  host,
  headers,
  heartbeatPeriod: whole({ default: 0, description: 'Seconds between pings; 0 = none.' }),
  acceptProxyProtocol,
});

export const HttpUpgrade = options('HttpUpgradeTransport', { path, host, headers, acceptProxyProtocol });

export const Grpc = options('GrpcTransport', {
  serviceName: text({ description: 'The name of the service; with a leading `/`, the whole path.' }),
  authority: text({ description: 'The `:authority` that the client sends.' }),
  multiMode: flag({ default: false }),
  user_agent: text({ description: 'The user agent of the client.' }),
  idle_timeout: whole({ default: 0, description: 'Seconds without traffic before a health check; 0 = no check.' }),
  health_check_timeout: whole({ default: 0, description: 'Seconds for the response to a health check.' }),
  permit_without_stream: flag({ default: false, description: 'Checks connections without streams too.' }),
  initial_windows_size: whole({ default: 0, description: 'Bytes of the initial window; 0 = the default of gRPC.' }),
});

const PLACES = ['path', 'cookie', 'header', 'query'] as const;

export const Xhttp = options('XhttpTransport', {
  path,
  host,
  mode: choice(['auto', 'packet-up', 'stream-up', 'stream-one'], { default: 'auto' }),
  headers,
  xPaddingBytes: range({ default: '100-1000', description: 'Bytes of padding in a request and its response.' }),
  xPaddingObfsMode: flag({ default: false, description: 'Uses the following options of the padding.' }),
  xPaddingKey: text({ default: 'x_padding' }),
  xPaddingHeader: text({ default: 'X-Padding' }),
  xPaddingPlacement: choice(['queryInHeader', 'cookie', 'header', 'query'], { default: 'queryInHeader' }),
  xPaddingMethod: choice(['repeat-x', 'tokenish'], { default: 'repeat-x' }),
  uplinkHTTPMethod: usual(['POST', 'PUT', 'PATCH', 'GET'], {
    default: 'POST',
    description: '`GET` only in the mode packet-up.',
  }),
  sessionIDPlacement: choice(PLACES, { default: 'path' }),
  sessionIDKey: text(),
  sessionIDTable: text({ description: 'The characters of session ids, or the name of a predefined table.' }),
  sessionIDLength: range(),
  seqPlacement: choice(PLACES, { default: 'path' }),
  seqKey: text(),
  uplinkDataPlacement: choice(['auto', 'body', 'cookie', 'header'], {
    default: 'auto',
    description: '`cookie` and `header` only in the mode packet-up.',
  }),
  uplinkDataKey: text(),
  uplinkChunkSize: range({ description: 'Bytes of upload in one cookie or header.' }),
  noGRPCHeader: flag({ default: false, description: 'The client does not pretend to use gRPC.' }),
  noSSEHeader: flag({ default: false, description: 'The server does not pretend to send server-sent events.' }),
  scMaxEachPostBytes: range({ default: '1000000', description: 'Most bytes of one upload request.' }),
  scMinPostsIntervalMs: range({ default: '30', description: 'Milliseconds between upload requests of a client.' }),
  scMaxBufferedPosts: whole({
    default: 30,
    description: 'Most upload requests that the server keeps for a connection.',
  }),
  scStreamUpServerSecs: range({ default: '20-80', description: 'Seconds between padding that the server sends.' }),
  serverMaxHeaderBytes: whole({ default: 0, description: 'Most bytes of the headers of a request; 0 = 8192.' }),
  xmux: part(
    {
      maxConcurrency: range({ description: 'Streams in one connection; not together with `maxConnections`.' }),
      maxConnections: range(),
      cMaxReuseTimes: range(),
      hMaxRequestTimes: range(),
      hMaxReusableSecs: range(),
      hKeepAlivePeriod: whole({ description: 'Seconds.' }),
    },
    { description: 'How clients share connections.' },
  ),
  downloadSettings: anything('Address, port and stream settings of another connection for the download.'),
  extra: anything('The same members as here. If it is present, all others but host, path and mode are ignored.'),
});

export const Kcp = options('MkcpTransport', {
  mtu: whole({ default: 1350 }),
  tti: whole({ default: 50, description: 'Milliseconds between transmissions, from 10 to 1000.' }),
  uplinkCapacity: whole({ default: 5, description: 'MB/s.' }),
  downlinkCapacity: whole({ default: 20, description: 'MB/s.' }),
  cwndMultiplier: whole({ default: 1 }),
  maxSendingWindow: whole({ default: 2_097_152, description: 'Bytes.' }),
});

export const Hysteria = options('HysteriaTransport', {
  version: whole({ default: 2, description: 'Must be 2.' }),
  auth: text({ description: 'The password of an outbound. Clients of an inbound have their own.' }),
  udpIdleTimeout: whole({ default: 60, description: 'Seconds, from 2 to 600.' }),
  masquerade: part(
    {
      type: choice(['', '404', 'file', 'proxy', 'string'], { default: '' }),
      dir: text({ description: 'The folder, for the type `file`.' }),
      url: text({ description: 'The website, for the type `proxy`.' }),
      rewriteHost: flag({ default: false }),
      insecure: flag({ default: false, description: 'Does not verify the certificate of the website.' }),
      content: text({ description: 'The body, for the type `string`.' }),
      headers,
      statusCode: whole({ default: 200 }),
    },
    { description: 'The answer to browsers.' },
  ),
});

const Mask = options('Mask', {
  type: usual(
    ['salamander', 'mkcp-legacy', 'header-custom', 'noise', 'fragment', 'sudoku', 'xdns', 'xicmp', 'realm', 'xmc'],
    { description: 'TCP has header-custom, fragment, sudoku and xmc; UDP has all but fragment and xmc.' },
  ),
  settings: part(
    {
      password: text({ description: 'Of salamander, sudoku and xmc.' }),
      packetSize: range({ description: 'Of salamander.' }),
      header: choice(['', 'srtp', 'utp', 'wechat', 'dtls', 'wireguard', 'dns'], {
        default: '',
        description: 'Of mkcp-legacy.',
      }),
      value: text({ description: 'Of mkcp-legacy: the seed, or the domain of the header dns.' }),
    },
    { description: 'By type. Other types have other members.' },
  ),
});

export const FinalMask = options(
  'FinalMask',
  {
    tcp: listOf(Mask),
    udp: listOf(Mask),
    quicParams: part({
      congestion: choice(['', 'bbr', 'reno', 'brutal', 'force-brutal'], { default: '' }),
      bbrProfile: choice(['conservative', 'standard', 'aggressive'], { default: 'standard' }),
      brutalUp: text({ description: 'Upload rate, such as `50 mbps`.' }),
      brutalDown: text({ description: 'Download rate, such as `100 mbps`.' }),
      udpHop: part({
        ports: range({ description: 'Ports between which clients hop, such as `20000-30000`.' }),
        interval: range({ description: 'Seconds between hops, at least 5.' }),
      }),
      initStreamReceiveWindow: whole(),
      maxStreamReceiveWindow: whole(),
      initConnectionReceiveWindow: whole(),
      maxConnectionReceiveWindow: whole(),
      maxIdleTimeout: whole({ description: 'Seconds, from 4 to 120.' }),
      keepAlivePeriod: whole({ description: 'Seconds, from 2 to 60.' }),
      disablePathMTUDiscovery: flag({ default: false }),
      maxIncomingStreams: whole({ description: 'At least 8.' }),
      debug: flag({ default: false }),
    }),
  },
  { description: 'Changes what the packets of a transport look like.' },
);
