import { createHash } from 'node:crypto';
import { canonicalJson } from './json.js';

/** SHA-256 of a JSON value in hex; equal values have equal digests. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
