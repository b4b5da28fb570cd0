import { valueAt } from '../../../model/json';
import { MASK } from '../../../model/masks';
import type { Draft } from '../editor/draft';
import { has, protocol } from './conditions';
import { type Field, members, only, rare, settings } from './field';

const HYSTERIA = 'streamSettings.hysteriaSettings';
const MASQUERADE = `${HYSTERIA}.masquerade`;
const QUIC = 'streamSettings.finalmask.quicParams';

const accounts = [
  'accounts',
  {
    items: [
      ['user', { name: 'accountUser' }],
      ['pass', { name: 'accountPassword', isSecret: true }],
    ],
    fresh: { user: '', pass: '' },
  },
] as const;

/** A tunnel needs a target, unless each connection brings its own. */
const needsTarget = (draft: Draft): boolean =>
  valueAt(draft, 'settings.followRedirect') !== true && valueAt(draft, 'settings.portMap') === undefined;

const hysteria: readonly Field[] = [
  ...members(HYSTERIA, ['udpIdleTimeout']),
  ...members(MASK, [['settings.password', { name: 'obfs', isSecret: true, generators: ['obfs'] }]]),
  ...members(QUIC, ['congestion', ['udpHop.ports', { name: 'hopPorts' }]]),
  ...only(has(`${QUIC}.congestion`, 'brutal', 'force-brutal'), members(QUIC, ['brutalUp', 'brutalDown'])),
  ...members(MASQUERADE, [
    ['type', { name: 'masquerade' }],
    ['dir', { when: has(`${MASQUERADE}.type`, 'file') }],
    ['url', { when: has(`${MASQUERADE}.type`, 'proxy') }],
    ['rewriteHost', { when: has(`${MASQUERADE}.type`, 'proxy') }],
    ['content', { when: has(`${MASQUERADE}.type`, 'string') }],
    ['statusCode', { when: has(`${MASQUERADE}.type`, 'string') }],
    ['headers', { when: has(`${MASQUERADE}.type`, 'string') }],
    ['insecure', { when: has(`${MASQUERADE}.type`, 'proxy'), isRare: true }],
  ]),
  ...rare(
    members(QUIC, [
      ['bbrProfile', { when: has(`${QUIC}.congestion`, undefined, '', 'bbr') }],
      ['udpHop.interval', { name: 'udpHop.interval' }],
      ...['initStreamReceiveWindow', 'maxStreamReceiveWindow', 'initConnectionReceiveWindow'],
      ...['maxConnectionReceiveWindow', 'maxIdleTimeout', 'keepAlivePeriod', 'maxIncomingStreams'],
      'disablePathMTUDiscovery',
    ]),
  ),
];

/** What a protocol itself needs. */
export const protocolFields: readonly Field[] = [
  ...settings('vless', [
    ['decryption', { isSecret: true, isWide: true, generators: ['vlessX25519', 'vlessMlkem768', 'noEncryption'] }],
    ['encryption', { isWide: true }],
    ['flow', { isRare: true }],
  ]),
  ...settings('vmess', [['default.level', { name: 'level', isRare: true }]]),
  ...settings('shadowsocks', [
    'method',
    ['network', { name: 'layers' }],
    ['password', { name: 'serverKey', isSecret: true, isWide: true, generators: ['shadowsocksKey'] }],
    'ivCheck',
    ['level', { isRare: true }],
  ]),
  ...settings('mixed', ['auth', 'udp', ['ip', { when: has('settings.udp', true) }]]),
  ...settings('http', ['allowTransparent']),
  ...settings('mixed', [accounts, ['userLevel', { isRare: true }]]),
  ...settings('http', [accounts, ['userLevel', { isRare: true }]]),
  ...settings('wireguard', [
    ['secretKey', { isSecret: true, isWide: true, generators: ['wireguardKey'] }],
    'mtu',
    'noKernelTun',
    [
      'peers',
      {
        items: [
          ['publicKey', { isWide: true }],
          ['preSharedKey', { isSecret: true }],
          ...['allowedIPs', 'keepAlive', 'email', 'level'],
        ],
        fresh: { publicKey: '', allowedIPs: ['10.0.0.2/32'], keepAlive: 0 },
      },
    ],
    ['address', { name: 'ownAddresses', isRare: true }],
    ['domainStrategy', { isRare: true }],
  ]),
  ...settings('tunnel', [
    ['address', { name: 'targetAddress', isRequired: needsTarget }],
    ['port', { name: 'targetPort', isRequired: needsTarget }],
    ['network', { name: 'layers' }],
    'followRedirect',
    ['portMap', { isRare: true, isWide: true }],
    ['userLevel', { isRare: true }],
  ]),
  ...only(protocol('hysteria2'), hysteria),
];
