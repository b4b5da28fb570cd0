import { isObject } from './json.js';

/** One half of a pair as a configuration gives it: a file, its lines as one PEM text, or neither. */
export type PemSource = { readonly file: string } | { readonly pem: string } | null;

/** A certificate and its key, as a member of `tlsSettings.certificates` gives them. */
export interface CertificatePair {
  readonly certificate: PemSource;
  readonly key: PemSource;
  /** Others are checked against the certificate (`usage: "verify"`), so it needs no key. */
  readonly verifies: boolean;
  /** Lines were given as something else than an array of strings, which the core cannot read. */
  readonly malformed: boolean;
}

/** Every pair of a transport that the core would read. */
export function certificatesOf(stream: Readonly<Record<string, unknown>> | null): readonly CertificatePair[] {
  if (stream === null) return [];
  const tls = String(memberOf(stream, 'security')).toLowerCase() === 'tls';
  const used = Object.entries(stream).filter(([name]) => tls || goFolded(name) !== 'tlssettings');
  return certificatePairs(Object.fromEntries(used));
}

/**
 * Every pair at any depth. Files count wherever they are named; lines only in a list named `certificates`, because `key` and
 * `certificate` may be anything else elsewhere, such as the names of headers.
 */
export function certificatePairs(value: unknown, listed = false): readonly CertificatePair[] {
  if (Array.isArray(value)) return value.flatMap((item) => certificatePairs(item, listed));
  if (!isObject(value)) return [];
  const nested = Object.entries(value).flatMap(([name, member]) =>
    certificatePairs(member, goFolded(name) === 'certificates'),
  );
  const certificate = halfOf(value, 'certificate', listed);
  const key = halfOf(value, 'key', listed);
  const malformed = certificate === MALFORMED || key === MALFORMED;
  if (certificate === null && key === null) return nested;
  const verifies = String(memberOf(value, 'usage')).toLowerCase() === 'verify';
  return [{ certificate: sourceOf(certificate), key: sourceOf(key), verifies, malformed }, ...nested];
}

/** Whether it can be checked on any machine. */
export function needsNoFile({ certificate, key }: CertificatePair): boolean {
  return [certificate, key].every((half) => half === null || !('file' in half));
}

/** Whether a half of it is given as lines. */
export function hasLines({ certificate, key, malformed }: CertificatePair): boolean {
  return malformed || [certificate, key].some((half) => half !== null && 'pem' in half);
}

/** The file of the certificate, or nothing to name where it is given as lines. */
export function certificateFileOf({ certificate }: CertificatePair): string | null {
  return certificate !== null && 'file' in certificate ? certificate.file : null;
}

const MALFORMED = 'malformed';
type Half = PemSource | typeof MALFORMED;

/** As in the core, a file goes before lines. */
function halfOf(value: Readonly<Record<string, unknown>>, name: 'certificate' | 'key', listed: boolean): Half {
  const file = memberOf(value, `${name}file`);
  if (typeof file === 'string') return { file };
  const lines = listed ? memberOf(value, name) : undefined;
  if (lines === undefined || (Array.isArray(lines) && lines.length === 0)) return null;
  if (!Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) return MALFORMED;
  return { pem: lines.join('\n') };
}

const sourceOf = (half: Half): PemSource => (half === MALFORMED ? null : half);

/** The non-empty member of that name, in any spelling. */
function memberOf(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(value).find(([key, member]) => goFolded(key) === name && member !== '' && member !== null)?.[1];
}

/** The core compares names as Go does: without regard to case, also of the two letters that fold to ASCII. */
function goFolded(name: string): string {
  return name.replaceAll('ſ', 's').replaceAll('\u212a', 'k').toLowerCase();
}
