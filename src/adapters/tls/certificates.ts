import type { CertificatePair } from '../../lib/certificate-pairs.js';
import { givenPairProblem, readPair } from './pair.js';

/**
 * Why a server could not use this certificate with this key, or null when it can: missing, unreadable, something else,
 * of another key, expired or not yet valid. The files may lie anywhere, so a sentence never holds what is in them.
 */
export async function certificateProblem(certFile: string, keyFile: string): Promise<string | null> {
  return (await readPair(certFile, keyFile, Date.now())).problem;
}

/** The same for a pair of an inbound or of the template, whose halves are files or lines. */
export function pairProblem(pair: CertificatePair): Promise<string | null> {
  return givenPairProblem(pair, Date.now());
}
