import { describe, expect, it, vi } from 'vitest';
import { withValue } from '../src/model/json';
import type { Draft } from '../src/screens/inbounds/editor/draft';
import { problemField } from '../src/screens/inbounds/editor/problem-field';

// The client needs a document.
vi.mock('../src/api/client', () => ({ api: {}, ApiError: Error }));

const base: Draft = {
  ...{
    remark: 'a',
    enable: true,
    nodeId: 0,
    listen: '',
    port: 443,
    protocol: 'vless',
    tag: '',
    total: 0,
    expiryTime: 0,
  },
  trafficReset: 'never',
  ...{ settings: {}, streamSettings: { network: 'tcp', security: 'none' }, sniffing: { enabled: true } },
};
const REALITY = 'streamSettings.realitySettings';
const CERTIFICATE = 'streamSettings.tlsSettings.certificates.0';
const reality = withValue(base, 'streamSettings.security', 'reality');
const tls = withValue(base, 'streamSettings.security', 'tls');
const over = (network: string): Draft => withValue(base, 'streamSettings.network', network);
const of = (protocol: string, settings: Draft['settings'] = {}): Draft => ({ ...base, protocol, settings });
const hysteria: Draft = { ...of('hysteria2'), streamSettings: { network: 'hysteria', security: 'tls' } };
const fallbacks = of('vless', { fallbacks: [{ dest: '80' }, { dest: 'nowhere', xver: 7 }] });
const key = 'yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=';

const byCore = (why: string) => ({
  ...{ code: 'CORE_REFUSED', message: `The core does not accept this configuration: ${why}`, reasons: [] },
});
const because = (...reasons: readonly string[]) => ({ code: 'CONFIG_INVALID', message: 'A reason.', reasons });

describe('a refusal of an inbound belongs to a field', () => {
  it.each([
    [reality, 'infra/conf: invalid "shortIds[0]": xyz', `${REALITY}.shortIds`],
    [reality, 'infra/conf: please fill in a valid value for "target"', `${REALITY}.target`],
    [reality, 'infra/conf: non-empty "serverNames", please use "serverName" instead', `${REALITY}.serverNames`],
    [reality, 'infra/conf: "mldsa65Seed" and "privateKey" can not be the same value: abc', `${REALITY}.mldsa65Seed`],
    [reality, 'infra/conf: "minClientVer[0]" should be less than 256', `${REALITY}.minClientVer`],
    [reality, 'infra/conf: invalid PROXY protocol version, "xver" only accepts 0, 1, 2', `${REALITY}.xver`],
    [
      reality,
      'json: cannot unmarshal number -1 into Go struct field REALITYConfig.inbounds.streamSettings.realitySettings.maxTimeDiff of type uint64',
      `${REALITY}.maxTimeDiff`,
    ],
    [tls, 'infra/conf: invalid ECH Config!!', 'streamSettings.tlsSettings.echServerKeys'],
    [over('kcp'), 'infra/conf: Mtu must be at least 21', 'streamSettings.kcpSettings.mtu'],
    [over('kcp'), 'infra/conf: invalid mKCP TTI: 0x9be1f01d738', 'streamSettings.kcpSettings.tti'],
    [over('xhttp'), 'infra/conf: "headers" can\'t contain "host"', 'streamSettings.xhttpSettings.headers'],
    [
      withValue(over('xhttp'), 'streamSettings.xhttpSettings', { xPaddingBytes: '1-5', scMaxEachPostBytes: 'x' }),
      'infra/conf: Invalid integer range, expected either string of form "1-2" or plain integer.',
      'streamSettings.xhttpSettings.scMaxEachPostBytes',
    ],
    [base, 'infra/conf: VLESS settings: unsupported "decryption": zz', 'settings.decryption'],
    [
      fallbacks,
      'infra/conf: VLESS fallbacks: please fill in a valid value for every "dest"',
      'settings.fallbacks.1.dest',
    ],
    [
      fallbacks,
      'infra/conf: VLESS fallbacks: invalid PROXY protocol version, "xver" only accepts 0, 1, 2',
      'settings.fallbacks.1.xver',
    ],
    [base, 'infra/conf: unknown protocol: zz', 'sniffing.destOverride'],
    [base, 'error parsing regexp: missing closing ): `(`', 'sniffing.domainsExcluded'],
    [of('shadowsocks'), 'infra/conf: unknown cipher method: zz', 'settings.method'],
    [
      of('tunnel'),
      'json: cannot unmarshal number 99999 into Go struct field DokodemoConfig.port of type uint16',
      'settings.port',
    ],
    [
      of('wireguard', { secretKey: key, peers: [{ publicKey: key }, { publicKey: 'zz' }] }),
      'proxy/wireguard: len(slice) != 32',
      'settings.peers.1.publicKey',
    ],
    [
      hysteria,
      'infra/conf: UdpIdleTimeout must be between 2 and 600',
      'streamSettings.hysteriaSettings.udpIdleTimeout',
    ],
  ])('that the core names or describes: %#', (draft, why, path) => {
    expect(problemField(byCore(why), draft)).toBe(path);
  });

  it.each([
    [tls, because('certificate.fileMissing', 'certificate.certificate'), `${CERTIFICATE}.certificateFile`],
    [tls, because('certificate.fileMissing', 'certificate.key'), `${CERTIFICATE}.keyFile`],
    [tls, because('certificate.keyMismatch'), `${CERTIFICATE}.keyFile`],
    [withValue(tls, `${CERTIFICATE}.key`, ['x']), because('certificate.keyLinesNotPem'), `${CERTIFICATE}.key`],
    [reality, because('inbound.realityKeyInvalid'), `${REALITY}.privateKey`],
    [
      of('mixed', { accounts: [{ user: 'a' }, { user: '5:b' }] }),
      because('inbound.accountLikeClient'),
      'settings.accounts.1.user',
    ],
    [base, { code: 'PORT_TAKEN', message: 'Taken.', reasons: [] }, 'port'],
    [base, { code: 'INPUT_INVALID', message: 'ورودی نادرست است: \u2068remark\u2069: too long', reasons: [] }, 'remark'],
  ])('that the panel names by its code: %#', (draft, refusal, path) => {
    expect(problemField(refusal, draft)).toBe(path);
  });

  it.each([
    // No such field is shown.
    [base, byCore('infra/conf: invalid "shortIds[0]": xyz')],
    // Of the two that it could be, each has a value that the core can read.
    [of('wireguard', { secretKey: key, peers: [{ publicKey: key }] }), byCore('proxy/wireguard: len(slice) != 32')],
    // The form has one certificate.
    [withValue(tls, 'streamSettings.tlsSettings.certificates', [{}, {}]), because('certificate.keyMissing')],
    // The panel reads this member, not the core.
    [reality, byCore('infra/conf: unknown "publicKey"')],
    [base, byCore('infra/conf: something new')],
    [base, { code: 'CORE_FAILED', message: 'infra/conf: invalid "decryption"', reasons: [] }],
  ])('or to none: %#', (draft, refusal) => {
    expect(problemField(refusal, draft)).toBeNull();
  });
});
