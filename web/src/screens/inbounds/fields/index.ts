import { has, hasStream, network, protocol } from './conditions';
import { type Field, type Fields, members, only, PROTOCOLS, SECTIONS, settings } from './field';
import { protocolFields } from './protocols';
import { securityFields } from './securities';
import { transportFields } from './transports';

export { type Field, isRequired, RARE, SECTIONS, type Section } from './field';

const FALLBACKS = [
  'fallbacks',
  {
    items: ['dest', ['name', { name: 'sni' }], ['alpn', { name: 'alpnOf' }], 'path', 'xver', 'type'],
    fresh: { dest: '' },
  },
] as const;
const PROXY = [
  ['dest', { name: 'proxyHost' }],
  ...(['port', 'forceTls', 'remark', 'sni', 'alpn', 'fingerprint'] as const),
  ['pinnedPeerCertSha256', { name: 'pins' }],
] as const;

/**
 * Every input of the editor, by sections: the one form renderer shows those whose `when` holds. What an input is, its
 * options and its default come from the schemas of the contract. A member without a row here is edited in the JSON tab and
 * kept by the form; a test lists them.
 */
export const fieldsBySection: Fields = {
  general: members('', [
    ['remark', { isRequired: true }],
    ['protocol', { options: PROTOCOLS, isNewOnly: true }],
    ['nodeId', { kind: 'node', isNewOnly: true }],
    ['machine', { kind: 'machine', when: has('nodeId', 0) }],
    'listen',
    ['port', { isRequired: true, generators: ['port'] }],
    'tag',
    'enable',
  ]),
  protocol: protocolFields,
  transport: transportFields,
  security: securityFields,
  fallbacks: only(network('tcp'), [...settings('vless', [FALLBACKS]), ...settings('trojan', [FALLBACKS])]),
  proxies: only(
    (draft) => hasStream(draft) || protocol('hysteria2')(draft),
    members('streamSettings', [
      ['externalProxy', { items: PROXY, fresh: { forceTls: 'same', dest: '', port: 443, remark: '' } }],
    ]),
  ),
  sniffing: [
    ...members('sniffing', [['enabled', { name: 'sniffing' }]]),
    ...only(
      has('sniffing.enabled', true),
      members('sniffing', ['destOverride', 'routeOnly', 'metadataOnly', 'domainsExcluded', 'ipsExcluded']),
    ),
  ],
  sockopt: only(
    (draft) => hasStream(draft) || protocol('hysteria2', 'mixed', 'http', 'tunnel')(draft),
    members('streamSettings.sockopt', [
      ...['tcpFastOpen', 'tcpMptcp', 'v6only', 'acceptProxyProtocol', 'tproxy', 'domainStrategy', 'interface'],
      ...['dialerProxy', 'mark', 'tcpCongestion', 'tcpKeepAliveIdle', 'tcpKeepAliveInterval', 'tcpUserTimeout'],
      ...['tcpMaxSeg', 'tcpWindowClamp', 'trustedXForwardedFor'],
    ]),
  ),
  limits: members('', [
    ['total', { kind: 'gigabytes' }],
    ['expiryTime', { kind: 'date' }],
    ['trafficReset', { options: ['never', 'hourly', 'daily', 'weekly', 'monthly'] }],
  ]),
};

/** All fields in the order of the form. */
export const fields: readonly Field[] = SECTIONS.flatMap((section) => fieldsBySection[section]);
