import type { CertificateStatus } from '../../commands/ports/certificates.js';
import type { CertificatePair } from '../../lib/certificate-pairs.js';
import type { Text } from '../../messages/message.js';
import { givenExpiry, givenPairProblem, readPair } from './pair.js';

/**
 * Why a server cannot use this certificate with this key: a file is missing, unreadable or not PEM, the key belongs to
 * another certificate, or the certificate is expired or not yet valid. Null when it can. Never quotes the files.
 */
export async function certificateProblem(certFile: string, keyFile: string): Promise<Text | null> {
  return (await certificateStatus(certFile, keyFile)).problem;
}

/** The certificate that the files contain, and the same problem. An expired certificate has both. */
export function certificateStatus(certFile: string, keyFile: string): Promise<CertificateStatus> {
  return readPair(certFile, keyFile, Date.now());
}

/** The same for a pair of an inbound or the template, which consists of files or lines. */
export function pairProblem(pair: CertificatePair): Promise<Text | null> {
  return givenPairProblem(pair, Date.now());
}

/** When its certificate expires, in ms since 1970; null when it has none that can be read. */
export const pairExpiry = (pair: CertificatePair): Promise<number | null> => givenExpiry(pair);
