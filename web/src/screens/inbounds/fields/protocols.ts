import { type Field, flag, has, inside, items, list, number, only, protocol, select, text } from './field';

export const PROTOCOLS = [
  ...(['vless', 'vmess', 'trojan', 'shadowsocks', 'hysteria2', 'wireguard', 'mixed', 'http', 'tunnel'] as const),
] as const;
const METHODS = [
  ...(['2022-blake3-aes-256-gcm', '2022-blake3-aes-128-gcm', '2022-blake3-chacha20-poly1305'] as const),
  ...(['chacha20-ietf-poly1305', 'aes-256-gcm', 'aes-128-gcm'] as const),
] as const;
const LAYERS = ['tcp,udp', 'tcp', 'udp'] as const;
const HYSTERIA = 'streamSettings.hysteriaSettings';
const MASQUERADE = `${HYSTERIA}.masquerade`;

const account = [
  text('user', { name: 'accountUser', isRequired: true }),
  text('pass', { name: 'accountPassword', isSecret: true, isRequired: true }),
];
const peer = [
  text('publicKey', { isRequired: true, isWide: true }),
  text('preSharedKey', { isSecret: true }),
  list('allowedIPs'),
  number('keepAlive'),
];

/** What a protocol itself needs. */
export const protocolFields: readonly Field[] = [
  ...only(protocol('vless'), [
    text('settings.decryption', {
      ...{ fallback: 'none', isSecret: true, isWide: true },
      generators: ['vlessX25519', 'vlessMlkem768', 'noEncryption'],
    }),
    text('settings.encryption', { fallback: 'none', isWide: true }),
  ]),
  ...only(protocol('shadowsocks'), [
    select('settings.method', METHODS),
    select('settings.network', LAYERS, { name: 'layers', fallback: 'tcp,udp' }),
    text('settings.password', { name: 'serverKey', isSecret: true, isWide: true, generators: ['shadowsocksKey'] }),
    flag('settings.ivCheck'),
  ]),
  ...only(protocol('mixed'), [
    select('settings.auth', ['password', 'noauth'], { fallback: 'noauth' }),
    flag('settings.udp'),
    text('settings.ip', { when: has('settings.udp', true) }),
  ]),
  ...only(protocol('http'), [flag('settings.allowTransparent')]),
  ...only(protocol('mixed', 'http'), [items('settings.accounts', account, { user: '', pass: '' })]),
  ...only(protocol('wireguard'), [
    text('settings.secretKey', { isSecret: true, isRequired: true, isWide: true, generators: ['wireguardKey'] }),
    number('settings.mtu', { fallback: 1420 }),
    flag('settings.noKernelTun'),
    items('settings.peers', peer, { publicKey: '', allowedIPs: ['10.0.0.2/32'], keepAlive: 0 }),
  ]),
  ...only(protocol('tunnel'), [
    text('settings.address', { name: 'targetAddress', isRequired: true }),
    number('settings.port', { name: 'targetPort', isRequired: true }),
    select('settings.network', LAYERS, { name: 'layers', fallback: 'tcp,udp' }),
    flag('settings.followRedirect'),
  ]),
  ...only(protocol('hysteria2'), [
    number(`${HYSTERIA}.udpIdleTimeout`, { fallback: 60 }),
    text('streamSettings.finalmask.udp.0.settings.password', { name: 'obfs', isSecret: true, generators: ['obfs'] }),
    select('streamSettings.finalmask.quicParams.congestion', ['', 'bbr', 'reno', 'brutal', 'force-brutal'], {
      fallback: '',
    }),
    text('streamSettings.finalmask.quicParams.udpHop.ports', { name: 'hopPorts' }),
    ...only(has('streamSettings.finalmask.quicParams.congestion', 'brutal', 'force-brutal'), [
      text('streamSettings.finalmask.quicParams.brutalUp'),
      text('streamSettings.finalmask.quicParams.brutalDown'),
    ]),
    select(`${MASQUERADE}.type`, ['', '404', 'file', 'proxy', 'string'], { name: 'masquerade', fallback: '' }),
    ...inside(MASQUERADE, [
      text('dir', { when: has(`${MASQUERADE}.type`, 'file') }),
      text('url', { when: has(`${MASQUERADE}.type`, 'proxy') }),
      flag('rewriteHost', { when: has(`${MASQUERADE}.type`, 'proxy') }),
      text('content', { when: has(`${MASQUERADE}.type`, 'string') }),
      number('statusCode', { when: has(`${MASQUERADE}.type`, 'string'), fallback: 200 }),
    ]),
  ]),
];
