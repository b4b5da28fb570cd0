import { createHmac, randomBytes } from 'node:crypto';
import { lruOf } from '../../../lib/lru.js';
import { sameSecret } from './equal.js';

const LIFETIME_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;
/** Used challenges that are remembered. Each one had a valid signature. */
const MAX_USED = 10_000;

/**
 * Challenges for passkeys. A challenge contains its expiry and is signed with a key of this process, so that requests of
 * unknown clients need no memory. Each is valid once, for one purpose.
 */
export class Challenges {
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  readonly #used = lruOf<string, true>(MAX_USED, { ttl: LIFETIME_MS });

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Base64url. */
  issue(purpose: string): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(this.#now() + LIFETIME_MS, 0, TIME_BYTES);
    const body = Buffer.concat([randomBytes(NONCE_BYTES), time]);
    return Buffer.concat([body, this.#sign(body, purpose)]).toString('base64url');
  }

  isValid(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge, 'base64url');
    const body = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    const signature = bytes.subarray(NONCE_BYTES + TIME_BYTES);
    if (body.length < NONCE_BYTES + TIME_BYTES || this.#used.has(challenge)) return false;
    const isOwn = sameSecret(signature.toString('hex'), this.#sign(body, purpose).toString('hex'));
    return isOwn && body.readUIntBE(NONCE_BYTES, TIME_BYTES) > this.#now();
  }

  /** Whether the challenge was valid. It is not valid again. */
  use(challenge: string, purpose: string): boolean {
    if (!this.isValid(challenge, purpose)) return false;
    this.#used.set(challenge, true);
    return true;
  }

  #sign(body: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(body).update(purpose).digest();
  }
}
