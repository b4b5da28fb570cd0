import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { ServerCertificate } from '../../commands/ports/certificates.js';
import type { CertificatePair, PemSource } from '../../lib/certificate-pairs.js';
import { message, type Text } from '../../messages/message.js';

/** More than any chain needs, in bytes. Larger files are not read. */
const MAX_FILE_BYTES = 1024 * 1024;

/** A usable pair, the problem of the files, or both: an expired certificate still encrypts. */
interface Reading {
  readonly pair: ServerCertificate | null;
  readonly problem: Text | null;
}

const unusable = (problem: Text): Reading => ({ pair: null, problem });

/** Reads the two files. A problem never quotes a file, because the path may be that of any file of the machine. */
export async function readPair(certFile: string, keyFile: string, now: number): Promise<Reading> {
  const cert = await read(certFile, 'certificate');
  if (!Buffer.isBuffer(cert)) return unusable(cert);
  const key = await read(keyFile, 'key');
  return Buffer.isBuffer(key) ? pairOf(cert, key, now) : unusable(key);
}

/**
 * The problem of a pair from files or lines; null when it is usable. Lines are checked like files, and are not quoted
 * either.
 */
export async function givenPairProblem(pair: CertificatePair, now: number): Promise<Text | null> {
  if (pair.malformed) return message('certificate.linesMalformed');
  const cert = await contentOf(pair.certificate, 'certificate');
  if (!Buffer.isBuffer(cert)) return cert;
  const inLines = { certificate: isLines(pair.certificate), key: isLines(pair.key) };
  if (pair.verifies && pair.key === null) {
    const leaf = certificateIn(cert);
    return leaf === null ? certificateProblem(inLines.certificate) : dateProblem(datesOf(leaf), now);
  }
  const key = await contentOf(pair.key, 'key');
  return Buffer.isBuffer(key) ? pairOf(cert, key, now, inLines).problem : key;
}

/** When the certificate of a pair expires, in ms since 1970; null when there is none that can be read. */
export async function givenExpiry({ certificate }: CertificatePair): Promise<number | null> {
  const content = certificate === null ? null : await contentOf(certificate, 'certificate');
  const leaf = Buffer.isBuffer(content) ? certificateIn(content) : null;
  return leaf === null ? null : datesOf(leaf).notAfter;
}

const isLines = (source: PemSource): boolean => source !== null && 'pem' in source;

async function contentOf(source: PemSource, what: 'certificate' | 'key'): Promise<Buffer | Text> {
  if (source === null) return message(what === 'key' ? 'certificate.keyMissing' : 'certificate.certificateMissing');
  return 'pem' in source ? Buffer.from(source.pem) : read(source.file, what);
}

function certificateProblem(lines: boolean): Text {
  return message(lines ? 'certificate.linesNotPem' : 'certificate.fileNotPem');
}

function keyProblem(lines: boolean): Text {
  return message(lines ? 'certificate.keyLinesNotPem' : 'certificate.keyFileNotPem');
}

function certificateIn(cert: Buffer): X509Certificate | null {
  return cert.includes('-----BEGIN CERTIFICATE-----') ? parse(() => new X509Certificate(cert)) : null;
}

const datesOf = (leaf: X509Certificate) => ({
  notBefore: Date.parse(leaf.validFrom),
  notAfter: Date.parse(leaf.validTo),
});

/** The pair in PEM data that has been read already, from files or from lines. */
export function pairOf(cert: Buffer, key: Buffer, now: number, inLines = { certificate: false, key: false }): Reading {
  const leaf = certificateIn(cert);
  if (!leaf) return unusable(certificateProblem(inLines.certificate));
  const secret = parse(() => createPrivateKey(key));
  if (!secret) return unusable(keyProblem(inLines.key));
  if (!parse(() => leaf.checkPrivateKey(secret))) return unusable(message('certificate.keyMismatch'));
  // A chain with a broken link, or a key that is too short to be used.
  if (!parse(() => createSecureContext({ cert, key }))) return unusable(message('certificate.unusable'));
  const fingerprint = createHash('sha256').update(leaf.raw).digest('hex');
  const pair = { cert, key, fingerprint, subject: subjectOf(leaf), ...datesOf(leaf) };
  return { pair, problem: dateProblem(pair, now) };
}

/** The problem of a certificate's dates; null while it is valid. */
export function dateProblem(
  { notBefore, notAfter }: Pick<ServerCertificate, 'notBefore' | 'notAfter'>,
  now: number,
): Text | null {
  if (now > notAfter) return message('certificate.expired', { date: day(notAfter) });
  return now < notBefore ? message('certificate.notYetValid', { date: day(notBefore) }) : null;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Cut to 200 characters: a certificate may have a hundred names. */
function subjectOf({ subject, subjectAltName }: X509Certificate): string {
  const names = subjectAltName?.replaceAll(/(DNS|IP Address):/g, '') ?? subject?.replaceAll('\n', ', ') ?? '';
  return names.length > 200 ? `${names.slice(0, 199)}…` : names;
}

async function read(file: string, half: 'certificate' | 'key'): Promise<Buffer | Text> {
  const what = message(half === 'key' ? 'certificate.key' : 'certificate.certificate');
  if (file === '') return message('certificate.fileNotSet', { what });
  try {
    const found = await stat(file);
    if (!found.isFile()) return message('certificate.notAFile', { what });
    if (found.size > MAX_FILE_BYTES) return message('certificate.fileTooLarge', { what });
    return await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return message('certificate.fileMissing', { what });
    if (code === 'EACCES' || code === 'EPERM') return message('certificate.fileForbidden', { what });
    return message('certificate.fileUnreadable', { what, code: code ?? 'unknown' });
  }
}

function parse<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}
