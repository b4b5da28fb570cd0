import type { FieldDefinition } from '../Fields';
import { isObject, type JsonObject, textAt, valueAt } from '../template';

export const PROTOCOLS = [
  'freedom',
  'blackhole',
  'dns',
  'vless',
  'vmess',
  'trojan',
  'shadowsocks',
  'socks',
  'http',
  'wireguard',
  'hysteria',
  'loopback',
] as const;

/** Names of technical members are the same in all languages. */
const LABELS = { uuid: 'UUID', sni: 'SNI', mtu: 'MTU', alpn: 'ALPN', uTls: 'uTLS' } as const;
const FINGERPRINTS = ['', 'chrome', 'firefox', 'safari', 'ios', 'android', 'edge', 'random', 'randomized'];
const METHODS = [
  '2022-blake3-aes-256-gcm',
  '2022-blake3-aes-128-gcm',
  '2022-blake3-chacha20-poly1305',
  'chacha20-ietf-poly1305',
  'aes-256-gcm',
  'aes-128-gcm',
];
const NETWORKS = ['', 'tcp', 'ws', 'grpc', 'xhttp', 'httpupgrade', 'kcp'];
const WITH_STREAM = new Set(['vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'http']);

/** Texts that the caller translates. */
export type Label =
  | 'address'
  | 'port'
  | 'password'
  | 'method'
  | 'user'
  | 'encryption'
  | 'flow'
  | 'redirect'
  | 'strategy'
  | 'privateKey'
  | 'publicKey'
  | 'endpoint'
  | 'ownAddresses'
  | 'transport'
  | 'security'
  | 'path'
  | 'host'
  | 'serviceName'
  | 'shortId'
  | 'through'
  | 'name'
  | 'protocol';
type Translate = (label: Label) => string;

/**
 * Where the server and its account are: the core knows a flat form, and an older one with lists (`vnext`, `servers`), which
 * stays as it is.
 */
function places(outbound: JsonObject): { readonly server: string; readonly user: string } {
  const settings = valueAt(outbound, 'settings');
  if (isObject(settings) && Array.isArray(settings['vnext']))
    return { server: 'settings.vnext.0', user: 'settings.vnext.0.users.0' };
  if (isObject(settings) && Array.isArray(settings['servers'])) {
    const hasUsers = ['socks', 'http'].includes(textAt(outbound, 'protocol'));
    return { server: 'settings.servers.0', user: hasUsers ? 'settings.servers.0.users.0' : 'settings.servers.0' };
  }
  return { server: 'settings', user: 'settings' };
}

/** The address of an outbound's server, for the list. */
export function serverOf(outbound: JsonObject): string {
  const { server } = places(outbound);
  const address = textAt(outbound, `${server}.address`);
  if (textAt(outbound, 'protocol') === 'wireguard') return textAt(outbound, 'settings.peers.0.endpoint');
  return address === '' ? textAt(outbound, 'settings.redirect') : `${address}:${textAt(outbound, `${server}.port`)}`;
}

/** The inputs of an outbound: those of its protocol, then those of its transport and its security. */
export function outboundFields(outbound: JsonObject, others: readonly string[], t: Translate): FieldDefinition[] {
  const protocol = textAt(outbound, 'protocol');
  return [
    { path: 'tag', label: t('name'), kind: 'text' },
    { path: 'protocol', label: t('protocol'), kind: 'select', options: PROTOCOLS },
    ...protocolFields(protocol, places(outbound), t),
    ...(WITH_STREAM.has(protocol) ? streamFields(outbound, t) : []),
    ...(protocol === 'blackhole'
      ? []
      : [
          {
            path: 'streamSettings.sockopt.dialerProxy',
            label: t('through'),
            kind: 'select' as const,
            options: ['', ...others],
          },
        ]),
  ];
}

function protocolFields(
  protocol: string,
  { server, user }: ReturnType<typeof places>,
  t: Translate,
): FieldDefinition[] {
  const text = (path: string, label: string): FieldDefinition => ({ path, label, kind: 'text' });
  const secret = (path: string, label: string): FieldDefinition => ({ path, label, kind: 'secret' });
  const where: FieldDefinition[] = [
    text(`${server}.address`, t('address')),
    { path: `${server}.port`, label: t('port'), kind: 'number' },
  ];
  switch (protocol) {
    case 'freedom':
      return [
        {
          path: 'settings.domainStrategy',
          label: t('strategy'),
          kind: 'select',
          options: ['', 'AsIs', 'UseIP', 'UseIPv4', 'UseIPv6', 'ForceIP', 'ForceIPv4', 'ForceIPv6'],
        },
        text('settings.redirect', t('redirect')),
      ];
    case 'vless':
      return [
        ...where,
        text(`${user}.id`, LABELS.uuid),
        text(`${user}.encryption`, t('encryption')),
        { path: `${user}.flow`, label: t('flow'), kind: 'select', options: ['', 'xtls-rprx-vision'] },
      ];
    case 'vmess':
      return [...where, text(`${user}.id`, LABELS.uuid), text(`${user}.security`, t('encryption'))];
    case 'trojan':
      return [...where, secret(`${user}.password`, t('password'))];
    case 'shadowsocks':
      return [
        ...where,
        { path: `${user}.method`, label: t('method'), kind: 'select', options: METHODS },
        secret(`${user}.password`, t('password')),
      ];
    case 'socks':
    case 'http':
      return [...where, text(`${user}.user`, t('user')), secret(`${user}.pass`, t('password'))];
    case 'wireguard':
      return [
        secret('settings.secretKey', t('privateKey')),
        { path: 'settings.address', label: t('ownAddresses'), kind: 'list' },
        text('settings.peers.0.publicKey', t('publicKey')),
        text('settings.peers.0.endpoint', t('endpoint')),
        { path: 'settings.mtu', label: LABELS.mtu, kind: 'number' },
      ];
    default:
      return [];
  }
}

function streamFields(outbound: JsonObject, t: Translate): FieldDefinition[] {
  const stream = 'streamSettings';
  const network = textAt(outbound, `${stream}.network`);
  const security = textAt(outbound, `${stream}.security`);
  const text = (path: string, label: string): FieldDefinition => ({ path: `${stream}.${path}`, label, kind: 'text' });
  const carrier = { ws: 'wsSettings', xhttp: 'xhttpSettings', httpupgrade: 'httpupgradeSettings' }[network];
  const fields: FieldDefinition[] = [
    { path: `${stream}.network`, label: t('transport'), kind: 'select', options: NETWORKS },
    ...(carrier === undefined ? [] : [text(`${carrier}.path`, t('path')), text(`${carrier}.host`, t('host'))]),
    ...(network === 'grpc' ? [text('grpcSettings.serviceName', t('serviceName'))] : []),
    { path: `${stream}.security`, label: t('security'), kind: 'select', options: ['', 'none', 'tls', 'reality'] },
  ];
  const block = { tls: 'tlsSettings', reality: 'realitySettings' }[security];
  if (block === undefined) return fields;
  fields.push(text(`${block}.serverName`, LABELS.sni), {
    path: `${stream}.${block}.fingerprint`,
    label: LABELS.uTls,
    kind: 'select',
    options: FINGERPRINTS,
  });
  if (security === 'tls') fields.push({ path: `${stream}.${block}.alpn`, label: LABELS.alpn, kind: 'list' });
  else fields.push(text(`${block}.password`, t('publicKey')), text(`${block}.shortId`, t('shortId')));
  return fields;
}
