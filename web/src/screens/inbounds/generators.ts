import { api } from '../../api/client';
import type { Inbound } from '../../api/contract.generated';
import { randomBase64, randomHex, randomWord } from '../../model/random';
import { type Draft, valueAt, withValue } from './draft';

export type Generator =
  | 'port'
  | 'x25519'
  | 'shortIds'
  | 'shadowsocksKey'
  | 'password'
  | 'wireguardKey'
  | 'vlessEncryption'
  | 'panelCertificate';

const REALITY = 'streamSettings.realitySettings';
const LOWEST_PORT = 10_000;
const HIGHEST_PORT = 60_000;

/** A port that no other inbound has. The panel checks on saving that the machine has it free. */
export function freePort(inbounds: readonly Pick<Inbound, 'port'>[]): number {
  const taken = new Set(inbounds.map(({ port }) => port));
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    if (!taken.has(port)) return port;
  }
}

export function shadowsocksKey(method: string): string {
  if (!method.startsWith('2022-')) return randomWord(20);
  return randomBase64(method.includes('aes-128') ? 16 : 32);
}

/** The draft with fresh values; keys are made by the panel. */
export async function generated(draft: Draft, generator: Generator, inbounds: readonly Inbound[]): Promise<Draft> {
  switch (generator) {
    case 'port':
      return withValue(draft, 'port', freePort(inbounds));
    case 'x25519': {
      const { privateKey, publicKey } = await api.get('/panel/api/server/getNewX25519Cert');
      return withValue(
        withValue(draft, `${REALITY}.privateKey`, privateKey),
        `${REALITY}.settings.publicKey`,
        publicKey,
      );
    }
    case 'shortIds':
      return withValue(draft, `${REALITY}.shortIds`, [randomHex(8)]);
    case 'shadowsocksKey':
      return withValue(draft, 'settings.password', shadowsocksKey(String(valueAt(draft, 'settings.method') ?? '')));
    case 'password':
      return withValue(draft, 'settings.accounts.0.pass', randomWord(20));
    case 'wireguardKey': {
      const { privateKey } = await api.get('/panel/api/server/getNewX25519Cert');
      // WireGuard writes keys in the usual alphabet of base64.
      return withValue(draft, 'settings.secretKey', `${privateKey.replaceAll('-', '+').replaceAll('_', '/')}=`);
    }
    case 'vlessEncryption': {
      const { auths } = await api.get('/panel/api/server/getNewVlessEnc');
      const [first] = auths;
      if (!first) return draft;
      return withValue(
        withValue(draft, 'settings.decryption', first.decryption),
        'settings.encryption',
        first.encryption,
      );
    }
    case 'panelCertificate': {
      const { obj } = await api.post('/panel/setting/defaultSettings');
      const place = 'streamSettings.tlsSettings.certificates.0';
      return withValue(
        withValue(draft, `${place}.certificateFile`, obj.defaultCert),
        `${place}.keyFile`,
        obj.defaultKey,
      );
    }
  }
}
