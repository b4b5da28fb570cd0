import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';

/** Larger than any chain; a path to something endless is not read. */
const LARGEST = 1024 * 1024;

/**
 * Why a server could not use this certificate with this key, or null when it can. The files may lie anywhere, so a
 * sentence never holds what is in them.
 */
export async function certificateFlaw(certFile: string, keyFile: string): Promise<string | null> {
  const chain = await read(certFile, 'certificate');
  if (typeof chain === 'string') return chain;
  const secret = await read(keyFile, 'key');
  if (typeof secret === 'string') return secret;
  const certificate = parse(() => new X509Certificate(chain));
  if (!certificate || !chain.includes('-----BEGIN CERTIFICATE-----'))
    return 'The certificate file does not hold a PEM certificate';
  const key = parse(() => createPrivateKey(secret));
  if (!key) return 'The key file does not hold a PEM private key without a passphrase';
  return parse(() => certificate.checkPrivateKey(key)) ? null : 'The key does not belong to the certificate';
}

async function read(file: string, what: string): Promise<Buffer | string> {
  try {
    const found = await stat(file);
    if (!found.isFile()) return `The ${what} file is not a file`;
    if (found.size > LARGEST) return `The ${what} file is too large`;
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no ${what} file at that path`;
    return `The ${what} file cannot be read (${code ?? 'unknown reason'})`;
  }
}

function parse<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
