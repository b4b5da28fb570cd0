import { type Draft, valueAt } from './draft';
import type { Generator } from './generators';

/** One input of the form. The label and the help are texts under `field.<name>` and `help.<name>`. */
export interface Field {
  readonly name: string;
  readonly path: string;
  readonly kind: 'text' | 'number' | 'select' | 'switch' | 'list' | 'gigabytes';
  readonly section: Section;
  readonly options?: readonly string[];
  /** What an absent value means. */
  readonly fallback?: string | number | boolean;
  readonly isRequired?: boolean;
  /** Makes a value, or several that belong together. */
  readonly generator?: Generator;
  readonly when?: (draft: Draft) => boolean;
  /** Fixed once the inbound exists. */
  readonly isNewOnly?: boolean;
}

export const SECTIONS = ['general', 'protocol', 'transport', 'security', 'sniffing', 'limits'] as const;
export type Section = (typeof SECTIONS)[number];

export const PROTOCOLS = [
  'vless',
  'vmess',
  'trojan',
  'shadowsocks',
  'hysteria2',
  'wireguard',
  'mixed',
  'http',
  'tunnel',
] as const;
const WITH_STREAM = new Set(['vless', 'vmess', 'trojan', 'shadowsocks']);
const TRANSPORTS = ['tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp'] as const;
/** REALITY hides the inbound behind another server's TLS; that needs a transport that looks like it. */
const WITH_REALITY = new Set(['tcp', 'raw', 'grpc', 'xhttp']);
const METHODS = [
  '2022-blake3-aes-256-gcm',
  '2022-blake3-aes-128-gcm',
  '2022-blake3-chacha20-poly1305',
  'chacha20-ietf-poly1305',
  'aes-256-gcm',
  'aes-128-gcm',
] as const;
const FINGERPRINTS = ['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', 'random', 'randomized'] as const;
const ALPN = ['h3', 'h2', 'http/1.1'] as const;

const protocol =
  (...names: readonly string[]) =>
  (draft: Draft): boolean =>
    names.includes(draft.protocol);
const network =
  (...names: readonly string[]) =>
  (draft: Draft): boolean =>
    hasStream(draft) && names.includes(String(valueAt(draft, 'streamSettings.network') ?? 'tcp'));
const security =
  (name: string) =>
  (draft: Draft): boolean =>
    valueAt(draft, 'streamSettings.security') === name;
const hasStream = ({ protocol: name }: Draft): boolean => WITH_STREAM.has(name);

/** The securities that a transport of this draft may have. */
export function securitiesOf(draft: Draft): readonly string[] {
  if (draft.protocol === 'hysteria2') return ['tls'];
  return WITH_REALITY.has(String(valueAt(draft, 'streamSettings.network') ?? 'tcp'))
    ? ['none', 'tls', 'reality']
    : ['none', 'tls'];
}

const STREAM = 'streamSettings';

/**
 * Every input of the editor: the one form renderer shows those whose `when` holds. A member of the core's configuration
 * that has no row here is edited in the JSON tab and kept by the form.
 */
export const fields: readonly Field[] = [
  { name: 'remark', path: 'remark', kind: 'text', section: 'general', isRequired: true },
  { name: 'protocol', path: 'protocol', kind: 'select', section: 'general', options: PROTOCOLS, isNewOnly: true },
  { name: 'listen', path: 'listen', kind: 'text', section: 'general' },
  { name: 'port', path: 'port', kind: 'number', section: 'general', isRequired: true, generator: 'port' },
  { name: 'enable', path: 'enable', kind: 'switch', section: 'general' },

  {
    name: 'decryption',
    path: 'settings.decryption',
    kind: 'text',
    section: 'protocol',
    fallback: 'none',
    when: protocol('vless'),
    generator: 'vlessEncryption',
  },
  {
    name: 'method',
    path: 'settings.method',
    kind: 'select',
    section: 'protocol',
    options: METHODS,
    when: protocol('shadowsocks'),
  },
  {
    name: 'ssPassword',
    path: 'settings.password',
    kind: 'text',
    section: 'protocol',
    when: protocol('shadowsocks'),
    generator: 'shadowsocksKey',
  },
  {
    name: 'ssNetwork',
    path: 'settings.network',
    kind: 'select',
    section: 'protocol',
    options: ['tcp,udp', 'tcp', 'udp'],
    fallback: 'tcp,udp',
    when: protocol('shadowsocks'),
  },
  {
    name: 'auth',
    path: 'settings.auth',
    kind: 'select',
    section: 'protocol',
    options: ['password', 'noauth'],
    fallback: 'noauth',
    when: protocol('mixed'),
  },
  { name: 'udp', path: 'settings.udp', kind: 'switch', section: 'protocol', when: protocol('mixed') },
  {
    name: 'accountUser',
    path: 'settings.accounts.0.user',
    kind: 'text',
    section: 'protocol',
    when: protocol('mixed', 'http'),
  },
  {
    name: 'accountPassword',
    path: 'settings.accounts.0.pass',
    kind: 'text',
    section: 'protocol',
    when: protocol('mixed', 'http'),
    generator: 'password',
  },
  {
    name: 'secretKey',
    path: 'settings.secretKey',
    kind: 'text',
    section: 'protocol',
    when: protocol('wireguard'),
    generator: 'wireguardKey',
  },
  {
    name: 'mtu',
    path: 'settings.mtu',
    kind: 'number',
    section: 'protocol',
    fallback: 1420,
    when: protocol('wireguard'),
  },
  {
    name: 'address',
    path: 'settings.address',
    kind: 'text',
    section: 'protocol',
    when: protocol('tunnel'),
    isRequired: true,
  },
  {
    name: 'targetPort',
    path: 'settings.port',
    kind: 'number',
    section: 'protocol',
    when: protocol('tunnel'),
    isRequired: true,
  },
  {
    name: 'tunnelNetwork',
    path: 'settings.network',
    kind: 'select',
    section: 'protocol',
    options: ['tcp,udp', 'tcp', 'udp'],
    fallback: 'tcp,udp',
    when: protocol('tunnel'),
  },

  {
    name: 'network',
    path: `${STREAM}.network`,
    kind: 'select',
    section: 'transport',
    options: TRANSPORTS,
    fallback: 'tcp',
    when: hasStream,
  },
  {
    name: 'path',
    path: `${STREAM}.wsSettings.path`,
    kind: 'text',
    section: 'transport',
    fallback: '/',
    when: network('ws'),
  },
  { name: 'host', path: `${STREAM}.wsSettings.host`, kind: 'text', section: 'transport', when: network('ws') },
  {
    name: 'serviceName',
    path: `${STREAM}.grpcSettings.serviceName`,
    kind: 'text',
    section: 'transport',
    when: network('grpc'),
  },
  {
    name: 'multiMode',
    path: `${STREAM}.grpcSettings.multiMode`,
    kind: 'switch',
    section: 'transport',
    when: network('grpc'),
  },
  {
    name: 'path',
    path: `${STREAM}.xhttpSettings.path`,
    kind: 'text',
    section: 'transport',
    fallback: '/',
    when: network('xhttp'),
  },
  { name: 'host', path: `${STREAM}.xhttpSettings.host`, kind: 'text', section: 'transport', when: network('xhttp') },
  {
    name: 'mode',
    path: `${STREAM}.xhttpSettings.mode`,
    kind: 'select',
    section: 'transport',
    options: ['auto', 'packet-up', 'stream-up', 'stream-one'],
    fallback: 'auto',
    when: network('xhttp'),
  },
  {
    name: 'path',
    path: `${STREAM}.httpupgradeSettings.path`,
    kind: 'text',
    section: 'transport',
    fallback: '/',
    when: network('httpupgrade'),
  },
  {
    name: 'host',
    path: `${STREAM}.httpupgradeSettings.host`,
    kind: 'text',
    section: 'transport',
    when: network('httpupgrade'),
  },
  {
    name: 'mtu',
    path: `${STREAM}.kcpSettings.mtu`,
    kind: 'number',
    section: 'transport',
    fallback: 1350,
    when: network('kcp'),
  },
  {
    name: 'tti',
    path: `${STREAM}.kcpSettings.tti`,
    kind: 'number',
    section: 'transport',
    fallback: 50,
    when: network('kcp'),
  },

  {
    name: 'security',
    path: `${STREAM}.security`,
    kind: 'select',
    section: 'security',
    options: ['none', 'tls', 'reality'],
    fallback: 'none',
    when: (draft) => hasStream(draft) || draft.protocol === 'hysteria2',
  },
  {
    name: 'serverName',
    path: `${STREAM}.tlsSettings.serverName`,
    kind: 'text',
    section: 'security',
    when: security('tls'),
  },
  {
    name: 'certificateFile',
    path: `${STREAM}.tlsSettings.certificates.0.certificateFile`,
    kind: 'text',
    section: 'security',
    isRequired: true,
    when: security('tls'),
    generator: 'panelCertificate',
  },
  {
    name: 'keyFile',
    path: `${STREAM}.tlsSettings.certificates.0.keyFile`,
    kind: 'text',
    section: 'security',
    isRequired: true,
    when: security('tls'),
  },
  {
    name: 'alpn',
    path: `${STREAM}.tlsSettings.alpn`,
    kind: 'list',
    section: 'security',
    options: ALPN,
    when: security('tls'),
  },
  {
    name: 'fingerprint',
    path: `${STREAM}.tlsSettings.settings.fingerprint`,
    kind: 'select',
    section: 'security',
    options: ['', ...FINGERPRINTS],
    fallback: '',
    when: (draft) => security('tls')(draft) && draft.protocol !== 'hysteria2',
  },
  {
    name: 'target',
    path: `${STREAM}.realitySettings.target`,
    kind: 'text',
    section: 'security',
    isRequired: true,
    when: security('reality'),
  },
  {
    name: 'serverNames',
    path: `${STREAM}.realitySettings.serverNames`,
    kind: 'list',
    section: 'security',
    isRequired: true,
    when: security('reality'),
  },
  {
    name: 'privateKey',
    path: `${STREAM}.realitySettings.privateKey`,
    kind: 'text',
    section: 'security',
    isRequired: true,
    when: security('reality'),
    generator: 'x25519',
  },
  {
    name: 'publicKey',
    path: `${STREAM}.realitySettings.settings.publicKey`,
    kind: 'text',
    section: 'security',
    when: security('reality'),
  },
  {
    name: 'shortIds',
    path: `${STREAM}.realitySettings.shortIds`,
    kind: 'list',
    section: 'security',
    when: security('reality'),
    generator: 'shortIds',
  },
  {
    name: 'fingerprint',
    path: `${STREAM}.realitySettings.settings.fingerprint`,
    kind: 'select',
    section: 'security',
    options: FINGERPRINTS,
    fallback: 'chrome',
    when: security('reality'),
  },

  { name: 'sniffing', path: 'sniffing.enabled', kind: 'switch', section: 'sniffing' },
  {
    name: 'destOverride',
    path: 'sniffing.destOverride',
    kind: 'list',
    section: 'sniffing',
    options: ['http', 'tls', 'quic', 'fakedns'],
    when: (draft) => valueAt(draft, 'sniffing.enabled') === true,
  },
  {
    name: 'routeOnly',
    path: 'sniffing.routeOnly',
    kind: 'switch',
    section: 'sniffing',
    when: (draft) => valueAt(draft, 'sniffing.enabled') === true,
  },

  { name: 'total', path: 'total', kind: 'gigabytes', section: 'limits' },
  {
    name: 'trafficReset',
    path: 'trafficReset',
    kind: 'select',
    section: 'limits',
    options: ['never', 'hourly', 'daily', 'weekly', 'monthly'],
  },
];
