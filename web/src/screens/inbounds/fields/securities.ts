import {
  type Field,
  flag,
  hasStream,
  inside,
  lines,
  list,
  number,
  only,
  protocol,
  security,
  select,
  text,
} from './field';

const FINGERPRINTS = ['chrome', 'firefox', 'safari', 'ios', 'android', 'edge', 'random', 'randomized'] as const;
const ALPN = ['h3', 'h2', 'http/1.1'] as const;
const VERSIONS = ['1.2', '1.3'] as const;
const CURVES = ['X25519MLKEM768', 'X25519', 'CurveP256', 'CurveP384', 'CurveP521'] as const;

const tls: readonly Field[] = inside('streamSettings.tlsSettings', [
  text('serverName'),
  list('alpn', { options: ALPN }),
  text('certificates.0.certificateFile', { isWide: true, generators: ['panelCertificate', 'selfSigned'] }),
  text('certificates.0.keyFile', { isWide: true }),
  lines('certificates.0.certificate', { name: 'certificateText', isWide: true }),
  lines('certificates.0.key', { name: 'keyText', isWide: true, isSecret: true }),
  select('settings.fingerprint', ['', ...FINGERPRINTS], {
    ...{ fallback: '', when: (draft) => draft.protocol !== 'hysteria2' && draft.protocol !== 'hysteria' },
  }),
  list('settings.pinnedPeerCertSha256', { name: 'pins', isWide: true }),
  select('minVersion', VERSIONS, { fallback: '1.2' }),
  select('maxVersion', VERSIONS, { fallback: '1.3' }),
  list('curvePreferences', { options: CURVES }),
  text('cipherSuites'),
  text('echServerKeys', { isSecret: true, isWide: true, generators: ['ech'] }),
  text('settings.echConfigList', { isWide: true }),
  flag('rejectUnknownSni'),
]);

const reality: readonly Field[] = inside('streamSettings.realitySettings', [
  text('target', { isRequired: true }),
  list('serverNames', { isRequired: true }),
  text('privateKey', { isRequired: true, isSecret: true, generators: ['x25519'] }),
  text('settings.publicKey'),
  list('shortIds', { generators: ['shortIds'] }),
  select('settings.fingerprint', FINGERPRINTS, { fallback: 'chrome' }),
  text('settings.spiderX', { fallback: '/' }),
  text('mldsa65Seed', { isSecret: true, isWide: true, generators: ['mldsa65'] }),
  text('settings.mldsa65Verify', { isWide: true }),
  text('minClientVer'),
  text('maxClientVer'),
  number('maxTimeDiff'),
  number('xver'),
  flag('show'),
]);

/** How the transport is encrypted. */
export const securityFields: readonly Field[] = [
  select('streamSettings.security', ['none', 'tls', 'reality'], {
    fallback: 'none',
    when: (draft) => hasStream(draft) || protocol('hysteria2')(draft),
  }),
  ...only(security('tls'), tls),
  ...only(security('reality'), reality),
];
