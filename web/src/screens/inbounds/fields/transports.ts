import { type Field, flag, has, hasStream, inside, list, map, network, number, only, select, text } from './field';

const TRANSPORTS = ['tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp'] as const;
const MODES = ['auto', 'packet-up', 'stream-up', 'stream-one'] as const;
/** The core configures what earlier versions called header and seed of mKCP as a mask. */
const MASK = 'streamSettings.finalmask.udp.0';
const KCP_HEADERS = ['', 'srtp', 'utp', 'wechat', 'dtls', 'wireguard', 'dns'] as const;

const path = text('path', { fallback: '/', generators: ['path'] });
const host = text('host');
const proxyProtocol = flag('acceptProxyProtocol');

/** How the bytes of the protocol are carried. */
export const transportFields: readonly Field[] = only(hasStream, [
  select('streamSettings.network', TRANSPORTS, { fallback: 'tcp' }),
  ...only(
    network('tcp'),
    inside('streamSettings.tcpSettings', [
      select('header.type', ['none', 'http'], { name: 'headerType', fallback: 'none' }),
      ...only(has('streamSettings.tcpSettings.header.type', 'http'), [
        list('header.request.path', { name: 'path' }),
        list('header.request.headers.Host', { name: 'host' }),
      ]),
      proxyProtocol,
    ]),
  ),
  ...only(
    network('ws'),
    inside('streamSettings.wsSettings', [path, host, map('headers'), number('heartbeatPeriod'), proxyProtocol]),
  ),
  ...only(
    network('grpc'),
    inside('streamSettings.grpcSettings', [
      text('serviceName', { generators: ['serviceName'] }),
      text('authority'),
      flag('multiMode'),
    ]),
  ),
  ...only(
    network('xhttp'),
    inside('streamSettings.xhttpSettings', [
      path,
      host,
      select('mode', MODES, { fallback: 'auto' }),
      map('headers'),
      text('xPaddingBytes', { fallback: '100-1000' }),
      text('scMaxEachPostBytes', { fallback: '1000000' }),
      number('scMaxBufferedPosts', { fallback: 30 }),
      text('scStreamUpServerSecs', { fallback: '20-80' }),
      flag('noSSEHeader'),
    ]),
  ),
  ...only(
    network('httpupgrade'),
    inside('streamSettings.httpupgradeSettings', [path, host, map('headers'), proxyProtocol]),
  ),
  ...only(network('kcp'), [
    ...inside('streamSettings.kcpSettings', [
      number('mtu', { fallback: 1350 }),
      number('tti', { fallback: 50 }),
      number('uplinkCapacity', { fallback: 5 }),
      number('downlinkCapacity', { fallback: 20 }),
      number('cwndMultiplier', { fallback: 1 }),
    ]),
    select(`${MASK}.settings.header`, KCP_HEADERS, { name: 'headerType', fallback: '' }),
    text(`${MASK}.settings.value`, { name: 'seed', isSecret: true, generators: ['seed'] }),
  ]),
]);
