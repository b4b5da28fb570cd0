import { once } from 'node:events';
import { type ConnectionOptions, connect, getCiphers, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CertificateAndKey, Endpoints } from '../../../src/http/server/listening/endpoint.js';
import { makeCertificate, type TestCertificate } from '../../kit/real/certificate.js';

const HOST = '127.0.0.1';
const TLS12 = ['aes128-gcm-sha256', 'aes256-gcm-sha384', 'chacha20-poly1305'];
const TLS13 = ['tls_aes_128_gcm_sha256', 'tls_aes_256_gcm_sha384', 'tls_chacha20_poly1305_sha256'];
const certificates = new Map<'ec' | 'rsa', TestCertificate>();

beforeAll(async () => {
  for (const keyType of ['ec', 'rsa'] as const)
    certificates.set(keyType, await makeCertificate(['one.example'], { keyType }));
});
afterAll(() => {
  for (const { remove } of certificates.values()) remove();
});

function keyOf(type: 'ec' | 'rsa'): CertificateAndKey {
  const { certPem = '', keyPem = '' } = certificates.get(type) ?? {};
  return { cert: Buffer.from(certPem), key: Buffer.from(keyPem) };
}

async function open(type: 'ec' | 'rsa') {
  const endpoints = new Endpoints((_req, res) => res.end('hello'));
  onTestFinished(() => endpoints.close());
  const endpoint = await endpoints.open(0, HOST, keyOf(type));
  return { endpoint, port: endpoint.address.port };
}

/** A TLS connection; null if the server or the library of the client rejects it. */
async function handshake(port: number, options: ConnectionOptions): Promise<TLSSocket | null> {
  try {
    const socket = connect({ port, host: HOST, rejectUnauthorized: false, ...options });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  } catch {
    return null;
  }
}

describe('an endpoint with TLS', () => {
  it.each(['ec', 'rsa'] as const)(
    'accepts only suites with forward secrecy and AEAD, with a key of %s',
    async (type) => {
      const { endpoint, port } = await open(type);
      const names = getCiphers();
      expect(names.length).toBeGreaterThan(30);
      const takenBy = async (): Promise<string[]> => {
        const taken: string[] = [];
        for (const name of names) {
          const version = name.startsWith('tls_') ? 'TLSv1.3' : 'TLSv1.2';
          const ciphers = version === 'TLSv1.3' ? name.toUpperCase() : `${name.toUpperCase()}:@SECLEVEL=0`;
          const socket = await handshake(port, { ciphers, minVersion: version, maxVersion: version });
          if (socket) taken.push(name);
          socket?.destroy();
        }
        return taken;
      };
      const signedBy = type === 'ec' ? 'ecdhe-ecdsa' : 'ecdhe-rsa';
      const expected = [...TLS12.map((name) => `${signedBy}-${name}`), ...TLS13].toSorted();
      expect((await takenBy()).toSorted()).toStrictEqual(expected);
      // A renewed certificate changes nothing about it.
      endpoint.secure(keyOf(type));
      expect((await takenBy()).toSorted()).toStrictEqual(expected);
    },
  );

  it('rejects renegotiation', async () => {
    const { port } = await open('ec');
    const socket = await handshake(port, { maxVersion: 'TLSv1.2' });
    const refused = await new Promise((resolve) => {
      socket?.on('error', resolve).on('close', resolve);
      socket?.renegotiate({}, resolve);
    });
    expect(refused).toBeTruthy();
    expect(await handshake(port, { maxVersion: 'TLSv1.2' })).not.toBeNull();
  });
});
