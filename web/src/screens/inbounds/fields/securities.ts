import { hasStream, protocol, security } from './conditions';
import { type Field, members, only, rare } from './field';

const TLS = 'streamSettings.tlsSettings';
const REALITY = 'streamSettings.realitySettings';
const REST_OF_CERTIFICATE = ['usage', 'ocspStapling', 'oneTimeLoading', 'buildChain'] as const;

const tls: readonly Field[] = [
  ...members(TLS, [
    'serverName',
    'alpn',
    ['certificates.0.certificateFile', { isWide: true, generators: ['panelCertificate', 'selfSigned'] }],
    ['certificates.0.keyFile', { isWide: true }],
    ['certificates.0.certificate', { kind: 'lines', name: 'certificateText', isWide: true }],
    ['certificates.0.key', { kind: 'lines', name: 'keyText', isWide: true, isSecret: true }],
  ]),
  ...only((draft) => !protocol('hysteria2')(draft), members(TLS, ['settings.fingerprint'])),
  ...members(TLS, [
    ['settings.pinnedPeerCertSha256', { name: 'pins', isWide: true }],
    ...['minVersion', 'maxVersion', 'curvePreferences', 'cipherSuites'],
    ['echServerKeys', { isSecret: true, isWide: true, generators: ['ech'] }],
    ['settings.echConfigList', { isWide: true }],
    'rejectUnknownSni',
  ]),
  ...rare(
    members(TLS, [
      ...REST_OF_CERTIFICATE.map((name) => `certificates.0.${name}`),
      ...['enableSessionResumption', 'settings.verifyPeerCertByName', 'disableSystemRoot'],
      ['masterKeyLog', { isWide: true }],
      [
        'certificates',
        {
          skip: 1,
          fresh: {},
          items: [
            ['certificateFile', { isWide: true }],
            ['keyFile', { isWide: true }],
            ['certificate', { kind: 'lines', name: 'certificateText', isWide: true }],
            ['key', { kind: 'lines', name: 'keyText', isWide: true, isSecret: true }],
            ...REST_OF_CERTIFICATE,
          ],
        },
      ],
    ]),
  ),
];

const reality: readonly Field[] = [
  ...members(REALITY, [
    'target',
    'serverNames',
    ['privateKey', { isSecret: true, generators: ['x25519'] }],
    'settings.publicKey',
    ['shortIds', { generators: ['shortIds'] }],
    'settings.fingerprint',
    'settings.spiderX',
    ['mldsa65Seed', { isSecret: true, isWide: true, generators: ['mldsa65'] }],
    ['settings.mldsa65Verify', { isWide: true }],
    ...['minClientVer', 'maxClientVer', 'maxTimeDiff', 'xver', 'show'],
  ]),
  ...rare(
    members(REALITY, [
      ...['limitFallbackUpload.afterBytes', 'limitFallbackUpload.bytesPerSec', 'limitFallbackUpload.burstBytesPerSec']
        .concat(['limitFallbackDownload.afterBytes', 'limitFallbackDownload.bytesPerSec'])
        .concat('limitFallbackDownload.burstBytesPerSec')
        .map((path) => [path, { name: path }] as const),
      ['masterKeyLog', { isWide: true }],
    ]),
  ),
];

/** How the transport is encrypted. */
export const securityFields: readonly Field[] = [
  ...only((draft) => hasStream(draft) || protocol('hysteria2')(draft), members('streamSettings', ['security'])),
  ...only(security('tls'), tls),
  ...only(security('reality'), reality),
];
