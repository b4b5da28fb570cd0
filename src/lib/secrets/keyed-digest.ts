import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../json.js';

/**
 * Digests of JSON values with secrets in them. Without the key, the digest of a guessed value cannot be computed, so a
 * reader who gets the digest cannot test guesses. Processes with the same key compute the same digests.
 */
export class KeyedDigest {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  /**
   * HMAC-SHA-256 of a value, in hex. `subject`: the document that has the value. Equal values of two documents have different
   * digests, so a reader who can add a document cannot test a guess with it either.
   */
  of(subject: string, value: unknown): string {
    return createHmac('sha256', this.#key).update(`${subject}\0`).update(canonicalJson(value)).digest('hex');
  }
}
