import { BUILT_IN_ROLES } from '../../events/access/roles.js';
import { catalog } from '../../events/catalog.js';
import { enumeratedWords } from '../../events/enumerated-words.js';
import { eventGroups } from '../../events/group-names.js';
import { PERMISSION_NAMES, SCOPES } from '../../lib/permissions.js';
import { messageCodes } from '../../messages/render.js';

/** The words of Xray's configuration that the event schemas do not list. A configuration keeps its meaning with them. */
const XRAY_WORDS = [
  ...['auto', 'none', 'zero', 'true', 'false', 'on', 'off', 'default', 'custom', 'local', 'internal', 'external'],
  // Transports and their modes.
  ...[
    'raw',
    'tcp',
    'udp',
    'tcp,udp',
    'udp,tcp',
    'unix',
    'kcp',
    'mkcp',
    'ws',
    'websocket',
    'grpc',
    'gun',
    'multi',
    'h2',
    'http',
  ],
  ...['httpupgrade', 'xhttp', 'splithttp', 'packet-up', 'stream-up', 'stream-one', 'quic', 'hysteria', 'srtp', 'utp'],
  ...['wechat-video', 'dtls', 'dns', 'bbr', 'cubic', 'reno', 'brutal', 'salamander', 'GET', 'POST'],
  // Security.
  ...[
    'tls',
    'reality',
    'encipherment',
    'verify',
    'issue',
    'chrome',
    'firefox',
    'safari',
    'ios',
    'android',
    'edge',
    '360',
    'qq',
  ],
  ...['random', 'randomized', 'unsafe', 'http/1.1', 'h3', '1.0', '1.1', '1.2', '1.3', 'xtls-rprx-vision'],
  ...['xtls-rprx-vision-udp443', 'aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305', 'chacha20-ietf-poly1305'],
  ...['xchacha20-poly1305', 'xchacha20-ietf-poly1305', '2022-blake3-aes-128-gcm', '2022-blake3-aes-256-gcm'],
  ...['2022-blake3-chacha20-poly1305', 'noauth', 'password', 'userpass'],
  // Routing, outbounds and DNS.
  ...['field', 'freedom', 'blackhole', 'loopback', 'AsIs', 'IPIfNonMatch', 'IPOnDemand', 'UseIP', 'UseIPv4', 'UseIPv6'],
  ...['UseIPv4v6', 'UseIPv6v4', 'ForceIP', 'ForceIPv4', 'ForceIPv6', 'ForceIPv4v6', 'ForceIPv6v4', 'linear', 'hybrid'],
  ...['leastPing', 'leastLoad', 'roundRobin', 'fakedns', 'fakedns+others', 'bittorrent', 'localhost', 'debug', 'info'],
  ...['warning', 'error', 'direct', 'blocked', 'api', 'metrics'],
];

/**
 * The words that a capsule keeps: the enumerations and names of all event types, built-in roles and permissions, the codes of
 * messages, and the words of Xray's configuration.
 */
export function keptWords(): ReadonlySet<string> {
  const types = catalog.map(({ type }) => type);
  const access = [...BUILT_IN_ROLES.keys(), ...PERMISSION_NAMES, ...SCOPES];
  return new Set([...XRAY_WORDS, ...enumeratedWords(), ...types, ...eventGroups, ...access, ...messageCodes()]);
}
