import {
  all,
  date,
  type Field,
  type Fields,
  flag,
  gigabytes,
  has,
  hasStream,
  inside,
  items,
  list,
  machine,
  network,
  node,
  number,
  only,
  protocol,
  SECTIONS,
  select,
  text,
} from './field';
import { PROTOCOLS, protocolFields } from './protocols';
import { securityFields } from './securities';
import { transportFields } from './transports';

export { type Field, RARE, SECTIONS, type Section, securitiesOf } from './field';

const fallback = [
  text('dest', { isRequired: true }),
  text('name', { name: 'sni' }),
  text('alpn', { name: 'alpnOf' }),
  text('path'),
  number('xver'),
];
const proxy = [
  text('dest', { name: 'proxyHost', isRequired: true }),
  number('port', { isRequired: true }),
  select('forceTls', ['same', 'none', 'tls']),
  text('remark'),
  text('sni'),
];
const DOMAIN_STRATEGIES = ['', 'AsIs', 'UseIP', 'UseIPv4', 'UseIPv6', 'UseIPv4v6', 'UseIPv6v4', 'ForceIP'] as const;

const sockopt = inside('streamSettings.sockopt', [
  flag('tcpFastOpen'),
  flag('tcpMptcp'),
  flag('v6only'),
  flag('acceptProxyProtocol'),
  select('tproxy', ['', 'off', 'redirect', 'tproxy'], { fallback: '' }),
  select('domainStrategy', DOMAIN_STRATEGIES, { fallback: '' }),
  text('interface'),
  text('dialerProxy'),
  number('mark'),
  text('tcpCongestion'),
  number('tcpKeepAliveIdle'),
  number('tcpKeepAliveInterval'),
  number('tcpUserTimeout'),
  number('tcpMaxSeg'),
  number('tcpWindowClamp'),
  list('trustedXForwardedFor'),
]);

/**
 * Every input of the editor, by sections: the one form renderer shows those whose `when` holds. A member of the core's
 * configuration that has no row here is edited in the JSON tab and kept by the form.
 */
export const fieldsBySection: Fields = {
  general: [
    text('remark', { isRequired: true }),
    select('protocol', PROTOCOLS, { isNewOnly: true }),
    node('nodeId', { isNewOnly: true }),
    machine('machine', { when: has('nodeId', 0) }),
    text('listen'),
    number('port', { isRequired: true, generators: ['port'] }),
    text('tag'),
    flag('enable'),
  ],
  protocol: protocolFields,
  transport: transportFields,
  security: securityFields,
  fallbacks: only(all(protocol('vless', 'trojan'), network('tcp')), [
    items('settings.fallbacks', fallback, { dest: '' }),
  ]),
  proxies: only(
    (draft) => hasStream(draft) || protocol('hysteria2')(draft),
    [items('streamSettings.externalProxy', proxy, { forceTls: 'same', dest: '', port: 443, remark: '' })],
  ),
  sniffing: [
    flag('sniffing.enabled', { name: 'sniffing' }),
    ...only(has('sniffing.enabled', true), [
      list('sniffing.destOverride', { options: ['http', 'tls', 'quic', 'fakedns'] }),
      flag('sniffing.routeOnly'),
      flag('sniffing.metadataOnly'),
      list('sniffing.domainsExcluded'),
      list('sniffing.ipsExcluded'),
    ]),
  ],
  sockopt: only((draft) => hasStream(draft) || protocol('hysteria2', 'mixed', 'http', 'tunnel')(draft), sockopt),
  limits: [
    gigabytes('total'),
    date('expiryTime'),
    select('trafficReset', ['never', 'hourly', 'daily', 'weekly', 'monthly']),
  ],
};

/** All fields in the order of the form. */
export const fields: readonly Field[] = SECTIONS.flatMap((section) => fieldsBySection[section]);
