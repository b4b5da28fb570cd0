import { randomUUID, X509Certificate } from 'node:crypto';
import { CoreError } from '../../../../commands/ports/core.js';
import { type Rejection, reject } from '../../../../commands/rejection.js';
import type { Needs } from '../../context.js';
import type { keygenRoutes } from '../../contract/inbounds/keygen.js';
import type { Handlers } from '../../mount.js';

export const keygenHandlers: Handlers<typeof keygenRoutes, Needs<'core' | 'read'>> = {
  getNewUUID(_, services) {
    const uuid = randomUUID();
    return asIn3xui(services) ? { uuid } : uuid;
  },
  getNewX25519Cert: (_, { core }) => core.keys.x25519(),

  getNewmldsa65: (_, { core }) =>
    generated(async () => {
      const { seed, verify } = await core.keys.mldsa65();
      return { privateKey: seed, publicKey: verify, seed, verify };
    }),

  getNewmlkem768: (_, { core }) =>
    generated(async () => {
      const { seed, client } = await core.keys.mlkem768();
      return { clientKey: client, serverKey: seed, seed, client };
    }),

  getNewVlessEnc: (_, services) =>
    generated(async () => {
      const found = await services.core.keys.vlessEncryption();
      const auths = found.map(({ label, encryption, decryption }, index) => ({
        id: asIn3xui(services) ? nameOf(label) : index + 1,
        label,
        encryption,
        decryption,
      }));
      return { auths };
    }),

  getNewSelfSignedCert: ({ body: { sni } }, { core }) =>
    generated(async () => {
      const { certificate, key } = await core.keys.selfSigned(sni);
      const { fingerprint256 } = new X509Certificate(certificate.join('\n'));
      return { certificate, key, sha256: fingerprint256.replaceAll(':', '').toLowerCase() };
    }),

  getNewEchCert: ({ body: { sni } }, services) =>
    generated(async () => {
      const { serverKeys, configList } = await services.core.keys.ech(sni);
      const echServerKeys = asIn3xui(services) ? serverKeys : [serverKeys];
      return { echKeySet: serverKeys, echServerKeys, echConfigList: configList };
    }),
};

const asIn3xui = ({ read }: Needs<'read'>): boolean => read.settings.current().apiDialect === '3x-ui';

/** `x25519`, `mlkem768`, or the core's name of another kind, without characters other than letters and digits. */
function nameOf(label: string): string {
  const plain = label.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  return ['mlkem768', 'x25519'].find((name) => plain.includes(name)) ?? plain;
}

async function generated<T>(make: () => Promise<T>): Promise<T | Rejection> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    return error.kind === 'missing' ? reject('CORE_MISSING') : reject('CORE_FAILED', { why: error.text });
  }
}
