import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { ServerCertificate } from '../../commands/ports/certificates.js';
import type { CertificatePair, PemSource } from '../../lib/certificate-pairs.js';

/** Larger than any chain; a path to something endless is not read. */
const LARGEST = 1024 * 1024;

/** A pair that works, why a server should not use it, or both: an expired certificate still encrypts. */
interface Reading {
  readonly pair: ServerCertificate | null;
  readonly problem: string | null;
}

const nothing = (problem: string): Reading => ({ pair: null, problem });

/** Reads the two files. Sentences never hold what is in a file, because it may be any file of the machine. */
export async function readPair(certFile: string, keyFile: string, now: number): Promise<Reading> {
  const cert = await read(certFile, 'certificate');
  if (typeof cert === 'string') return nothing(cert);
  const key = await read(keyFile, 'key');
  return typeof key === 'string' ? nothing(key) : pairOf(cert, key, now);
}

/**
 * Why a pair is of no use, wherever its halves come from; null when it is good. Lines are examined exactly as files are, and
 * are never repeated either.
 */
export async function givenPairProblem(pair: CertificatePair, now: number): Promise<string | null> {
  if (pair.malformed) return 'The lines of a certificate and its key must be arrays of strings';
  const cert = await contentOf(pair.certificate, 'certificate');
  if (typeof cert === 'string') return cert;
  const inLines = { certificate: isLines(pair.certificate), key: isLines(pair.key) };
  if (pair.verifies && pair.key === null) {
    const leaf = certificateIn(cert);
    return leaf === null ? certificateWords(inLines.certificate) : dateProblem(datesOf(leaf), now);
  }
  const key = await contentOf(pair.key, 'key');
  return typeof key === 'string' ? key : pairOf(cert, key, now, inLines).problem;
}

const isLines = (source: PemSource): boolean => source !== null && 'pem' in source;

async function contentOf(source: PemSource, what: 'certificate' | 'key'): Promise<Buffer | string> {
  if (source === null) return what === 'key' ? 'The certificate has no key' : 'The key has no certificate';
  return 'pem' in source ? Buffer.from(source.pem) : read(source.file, what);
}

function certificateWords(lines: boolean): string {
  return lines
    ? 'The certificate lines do not hold a PEM certificate'
    : 'The certificate file does not hold a PEM certificate';
}

function keyWords(lines: boolean): string {
  return lines
    ? 'The key lines do not hold a PEM private key without a passphrase'
    : 'The key file does not hold a PEM private key without a passphrase';
}

function certificateIn(cert: Buffer): X509Certificate | null {
  return cert.includes('-----BEGIN CERTIFICATE-----') ? parse(() => new X509Certificate(cert)) : null;
}

const datesOf = (leaf: X509Certificate) => ({
  notBefore: Date.parse(leaf.validFrom),
  notAfter: Date.parse(leaf.validTo),
});

/** The same for what has been read already, from files or from lines. */
export function pairOf(cert: Buffer, key: Buffer, now: number, inLines = { certificate: false, key: false }): Reading {
  const leaf = certificateIn(cert);
  if (!leaf) return nothing(certificateWords(inLines.certificate));
  const secret = parse(() => createPrivateKey(key));
  if (!secret) return nothing(keyWords(inLines.key));
  if (!parse(() => leaf.checkPrivateKey(secret))) return nothing('The key does not belong to the certificate');
  // A chain with a broken link, or a key that is too short to be used.
  if (!parse(() => createSecureContext({ cert, key }))) return nothing('No server can use this certificate and key');
  const fingerprint = createHash('sha256').update(leaf.raw).digest('hex');
  const pair = { cert, key, fingerprint, subject: subjectOf(leaf), ...datesOf(leaf) };
  return { pair, problem: dateProblem(pair, now) };
}

/** Why a certificate does not count now, or null. */
export function dateProblem(
  { notBefore, notAfter }: Pick<ServerCertificate, 'notBefore' | 'notAfter'>,
  now: number,
): string | null {
  if (now > notAfter) return `The certificate expired on ${day(notAfter)}`;
  return now < notBefore ? `The certificate is not valid before ${day(notBefore)}` : null;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** At most as much as fits in a line: a certificate may have a hundred names. */
function subjectOf({ subject, subjectAltName }: X509Certificate): string {
  const names = subjectAltName?.replaceAll(/(DNS|IP Address):/g, '') ?? subject?.replaceAll('\n', ', ') ?? '';
  return names.length > 200 ? `${names.slice(0, 199)}…` : names;
}

async function read(file: string, what: string): Promise<Buffer | string> {
  if (file === '') return `No ${what} file is named`;
  try {
    const found = await stat(file);
    if (!found.isFile()) return `The ${what} file is not a file`;
    if (found.size > LARGEST) return `The ${what} file is too large`;
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no ${what} file at that path`;
    if (code === 'EACCES' || code === 'EPERM') return `The panel may not read the ${what} file`;
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
