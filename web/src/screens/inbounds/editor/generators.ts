import { api } from '../../../api/client';
import { valueAt, withValue } from '../../../model/json';
import { withMaskSetting } from '../../../model/masks';
import { randomBase64, randomHex, randomWord } from '../../../model/random';
import { carrierOf } from '../fields/conditions';
import type { Draft } from './draft';

export type Generator = keyof typeof makers;

const REALITY = 'streamSettings.realitySettings';
const TLS = 'streamSettings.tlsSettings';
const CERTIFICATE = `${TLS}.certificates.0`;
/** A name for a certificate of a server that has none. */
const NO_NAME = 'www.example.com';

const textAt = (draft: Draft, path: string): string => String(valueAt(draft, path) ?? '');

function withAll(draft: Draft, values: Readonly<Record<string, Parameters<typeof withValue>[2]>>): Draft {
  return Object.entries(values).reduce((next, [path, value]) => withValue(next, path, value), draft);
}

export function shadowsocksKey(method: string): string {
  if (!method.startsWith('2022-')) return randomWord(20);
  return randomBase64(method.includes('aes-128') ? 16 : 32);
}

async function x25519(draft: Draft): Promise<Draft> {
  const { privateKey, publicKey } = await api.get('/panel/api/server/getNewX25519Cert');
  return withAll(draft, { [`${REALITY}.privateKey`]: privateKey, [`${REALITY}.settings.publicKey`]: publicKey });
}

async function mldsa65(draft: Draft): Promise<Draft> {
  const { seed, verify } = await api.get('/panel/api/server/getNewmldsa65');
  return withAll(draft, { [`${REALITY}.mldsa65Seed`]: seed, [`${REALITY}.settings.mldsa65Verify`]: verify });
}

/** VLESS encryption with one of the two authentications of the core. */
async function vlessEncryption(draft: Draft, kind: RegExp): Promise<Draft> {
  const { auths } = await api.get('/panel/api/server/getNewVlessEnc');
  const found = auths.find(({ label }) => kind.test(label)) ?? auths[0];
  if (!found) return draft;
  return withAll(draft, { 'settings.decryption': found.decryption, 'settings.encryption': found.encryption });
}

async function panelCertificate(draft: Draft): Promise<Draft> {
  const { obj } = await api.post('/panel/setting/defaultSettings');
  return withAll(draft, {
    ...{ [`${CERTIFICATE}.certificate`]: undefined, [`${CERTIFICATE}.key`]: undefined },
    ...{ [`${CERTIFICATE}.certificateFile`]: obj.defaultCert, [`${CERTIFICATE}.keyFile`]: obj.defaultKey },
    [`${TLS}.settings.pinnedPeerCertSha256`]: undefined,
  });
}

/** Clients trust the certificate by its pin, which links carry. */
async function selfSigned(draft: Draft): Promise<Draft> {
  const sni = textAt(draft, `${TLS}.serverName`) || NO_NAME;
  const { obj } = await api.post('/panel/api/server/getNewSelfSignedCert', { body: { sni } });
  return withAll(draft, {
    ...{ [`${CERTIFICATE}.certificateFile`]: undefined, [`${CERTIFICATE}.keyFile`]: undefined },
    ...{ [`${CERTIFICATE}.certificate`]: obj.certificate, [`${CERTIFICATE}.key`]: obj.key },
    [`${TLS}.serverName`]: sni,
    [`${TLS}.settings.pinnedPeerCertSha256`]: [obj.sha256],
  });
}

async function ech(draft: Draft): Promise<Draft> {
  const sni = textAt(draft, `${TLS}.serverName`) || NO_NAME;
  const { obj } = await api.post('/panel/api/server/getNewEchCert', { body: { sni } });
  return withAll(draft, {
    [`${TLS}.echServerKeys`]: obj.echKeySet,
    [`${TLS}.settings.echConfigList`]: obj.echConfigList,
  });
}

async function wireguardKey(draft: Draft): Promise<Draft> {
  const { privateKey } = await api.get('/panel/api/server/getNewX25519Cert');
  // WireGuard writes keys in the usual alphabet of base64.
  return withValue(draft, 'settings.secretKey', `${privateKey.replaceAll('-', '+').replaceAll('_', '/')}=`);
}

/** Secrets that need no mathematics are made in the browser, all other keys by the core. */
const makers = {
  port: async (draft: Draft) =>
    withValue(draft, 'port', await api.get('/panel/api/inbounds/freePort', { query: { prefer: 0 } })),
  x25519,
  mldsa65,
  ech,
  wireguardKey,
  panelCertificate,
  selfSigned,
  vlessX25519: (draft: Draft) => vlessEncryption(draft, /x25519/i),
  vlessMlkem768: (draft: Draft) => vlessEncryption(draft, /ml-?kem/i),
  noEncryption: (draft: Draft) => withAll(draft, { 'settings.decryption': 'none', 'settings.encryption': 'none' }),
  shortIds: (draft: Draft) => withValue(draft, `${REALITY}.shortIds`, [randomHex(8)]),
  shadowsocksKey: (draft: Draft) =>
    withValue(draft, 'settings.password', shadowsocksKey(textAt(draft, 'settings.method'))),
  path: (draft: Draft) => withValue(draft, `${carrierOf(draft)}.path`, `/${randomWord(10)}`),
  serviceName: (draft: Draft) => withValue(draft, 'streamSettings.grpcSettings.serviceName', randomWord(10)),
  obfs: (draft: Draft) => withMaskSetting(draft, 'salamander', 'password', randomWord(16)),
  seed: (draft: Draft) => withMaskSetting(draft, 'mkcp-legacy', 'value', randomWord(16)),
} as const satisfies Readonly<Record<string, (draft: Draft) => Draft | Promise<Draft>>>;

/** The draft with new values. */
export const generated = async (draft: Draft, generator: Generator): Promise<Draft> => makers[generator](draft);
