import { MASK } from '../../../model/masks';
import { has, hasStream, network } from './conditions';
import { carrier, type Field, members, only, rare } from './field';

const TRANSPORTS = ['tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp'] as const;
const PATH = ['path', { generators: ['path'] }] as const;

/** How the bytes of the protocol are carried. */
export const transportFields: readonly Field[] = only(hasStream, [
  ...members('streamSettings', [['network', { options: TRANSPORTS }]]),
  ...carrier('tcp', (path) => [
    ...members(path, [['header.type', { name: 'headerType' }]]),
    ...only(
      has(`${path}.header.type`, 'http'),
      members(path, [
        ['header.request.path', { name: 'path' }],
        ['header.request.headers.Host', { name: 'host' }],
      ]),
    ),
    ...members(path, ['acceptProxyProtocol']),
    ...only(
      has(`${path}.header.type`, 'http'),
      rare(
        members(path, [
          ['header.request.method', { name: 'request.method' }],
          ['header.request.version', { name: 'request.version' }],
          ['header.response.version', { name: 'response.version' }],
          ['header.response.status', { name: 'response.status' }],
          ['header.response.reason', { name: 'response.reason' }],
        ]),
      ),
    ),
  ]),
  ...carrier('ws', (path) => members(path, [PATH, 'host', 'headers', 'heartbeatPeriod', 'acceptProxyProtocol'])),
  ...carrier('grpc', (path) => [
    ...members(path, [['serviceName', { generators: ['serviceName'] }], 'authority', 'multiMode']),
    ...rare(
      members(path, [
        ...['idle_timeout', 'health_check_timeout', 'permit_without_stream', 'initial_windows_size', 'user_agent'],
      ]),
    ),
  ]),
  ...carrier('xhttp', (path) => [
    ...members(path, [PATH, 'host', 'mode', 'headers', 'xPaddingBytes', 'scMaxEachPostBytes']),
    ...members(path, ['scMaxBufferedPosts', 'scStreamUpServerSecs', 'noSSEHeader']),
    ...rare(
      members(path, [
        ...['xPaddingObfsMode', 'xPaddingPlacement', 'xPaddingMethod', 'xPaddingKey', 'xPaddingHeader'],
        ...['uplinkHTTPMethod', 'sessionIDPlacement', 'sessionIDKey', 'sessionIDTable', 'sessionIDLength'],
        ...['seqPlacement', 'seqKey', 'uplinkDataPlacement', 'uplinkDataKey', 'uplinkChunkSize'],
        ...['serverMaxHeaderBytes', 'scMinPostsIntervalMs', 'noGRPCHeader'],
        ...['xmux.maxConcurrency', 'xmux.maxConnections', 'xmux.cMaxReuseTimes', 'xmux.hMaxRequestTimes'],
        ...['xmux.hMaxReusableSecs', 'xmux.hKeepAlivePeriod'],
      ]),
    ),
  ]),
  ...carrier('httpupgrade', (path) => members(path, [PATH, 'host', 'headers', 'acceptProxyProtocol'])),
  ...carrier('kcp', (path) => [
    ...members(path, ['mtu', 'tti', 'uplinkCapacity', 'downlinkCapacity', 'cwndMultiplier']),
    ...rare(members(path, ['maxSendingWindow'])),
  ]),
  // The core configures what earlier versions called header and seed of mKCP as a mask.
  ...only(
    network('kcp'),
    members(MASK, [
      ['settings.header', { name: 'headerType' }],
      ['settings.value', { name: 'seed', isSecret: true, generators: ['seed'] }],
    ]),
  ),
]);
