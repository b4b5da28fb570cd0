import { createHmac } from 'node:crypto';

/** Half of the bits of a number that can be hidden. */
const HALF = 2 ** 24;
/** Larger than every number that is hidden. Hidden ones begin here, and have at most 15 digits. */
const FIRST = HALF * HALF;
/** Four rounds with a pseudorandom function suffice (Luby and Rackoff, 1988); more cost little. */
const ROUNDS = 8;

/**
 * Numbers that tell readers neither how large the number is nor which of two is the larger one, but which this process and
 * others with the same key can read again. It is a Feistel permutation of 48 bits, so equal numbers stay equal.
 */
export class OpaqueNumbers {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `number`: an integer from 0 to 2^48 - 1. Returns one from 2^48 to 2^49 - 1. */
  hide(number: number): number {
    let [left, right] = [Math.floor(number / HALF), number % HALF];
    for (let round = 0; round < ROUNDS; round += 1) [left, right] = [right, left ^ this.#mixed(round, right)];
    return FIRST + left * HALF + right;
  }

  /** The hidden number; null if `shown` is not one. */
  reveal(shown: number): number | null {
    if (!Number.isSafeInteger(shown) || shown < FIRST || shown >= 2 * FIRST) return null;
    let [left, right] = [Math.floor((shown - FIRST) / HALF), (shown - FIRST) % HALF];
    for (let round = ROUNDS - 1; round >= 0; round -= 1) [left, right] = [right ^ this.#mixed(round, left), left];
    return left * HALF + right;
  }

  #mixed(round: number, half: number): number {
    return createHmac('sha256', this.#key).update(`${round} ${half}`).digest().readUIntBE(0, 3);
  }
}
