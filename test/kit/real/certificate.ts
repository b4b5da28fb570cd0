import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A self-signed certificate on disk, and the pin that a link carries for it. */
export interface TestCertificate {
  certFile: string;
  keyFile: string;
  certPem: string;
  keyPem: string;
  /** SHA-256 of the leaf, 64 lower-case hex digits: `pcs`, `pinSHA256`, `pinnedPeerCertSha256`. */
  pin: string;
  remove(): void;
}

/** EC P-256 or RSA, for `localhost` and 127.0.0.1, in a directory of its own that only this user can read. Valid from a minute ago for 30 days. */
export async function makeCertificate(
  names: string[] = ['localhost'],
  {
    notBefore = new Date(Date.now() - 60_000),
    notAfter = new Date(Date.now() + 30 * 86_400_000),
    keyType = 'ec' as 'ec' | 'rsa',
  } = {},
): Promise<TestCertificate> {
  const altNames = [...names.map((value) => ({ type: 2 as const, value })), { type: 7 as const, ip: '127.0.0.1' }];
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...(keyType === 'ec' ? { keyType, curve: 'P-256' as const } : { keyType, keySize: 2048 as const }),
    algorithm: 'sha256',
    notBeforeDate: notBefore,
    notAfterDate: notAfter,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: keyType === 'rsa', critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  const directory = mkdtempSync(join(tmpdir(), 'portolan-kit-cert-'));
  const certFile = join(directory, 'cert.pem');
  const keyFile = join(directory, 'key.pem');
  writeFileSync(certFile, made.cert, { mode: 0o600 });
  writeFileSync(keyFile, made.private, { mode: 0o600 });
  const pin = new X509Certificate(made.cert).fingerprint256.replaceAll(':', '').toLowerCase();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  return { certFile, keyFile, certPem: made.cert, keyPem: made.private, pin, remove };
}
