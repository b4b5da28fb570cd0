import type { ClientNumber } from '../ids.js';
import { emailKey } from './client-document.js';

const nobody: readonly never[] = [];

/**
 * Who has which email, without regard to case. Clients of one email, each in another inbound, are *siblings*: they are one
 * person, and what one of them uses counts for all. Hardly anybody has siblings, so nothing is kept for those who have
 * none but their number.
 */
export class EmailIndex {
  readonly #byEmail = new Map<string, ClientNumber | readonly ClientNumber[]>();
  readonly #siblings = new Map<ClientNumber, readonly ClientNumber[]>();

  /** How many emails there are. */
  get size(): number {
    return this.#byEmail.size;
  }

  /** The clients of an email, the lowest number first. */
  get(email: string): readonly ClientNumber[] {
    const known = this.#byEmail.get(emailKey(email));
    if (known === undefined) return nobody;
    return typeof known === 'number' ? [known] : known;
  }

  /** The lowest number with this email. */
  first(email: string): ClientNumber | undefined {
    const known = this.#byEmail.get(emailKey(email));
    return typeof known === 'object' ? known[0] : known;
  }

  /** All numbers that share the email of this one, itself among them, the lowest first; undefined when it is alone. */
  siblings(number: ClientNumber): readonly ClientNumber[] | undefined {
    return this.#siblings.get(number);
  }

  /** Puts a client under an email; it may be there already. */
  put(email: string, number: ClientNumber): void {
    const key = emailKey(email);
    const known = this.#byEmail.get(key);
    if (known === undefined) this.#byEmail.set(key, number);
    else if (typeof known === 'number') {
      if (known !== number) this.#set(key, [known, number]);
    } else if (!known.includes(number)) this.#set(key, [...known, number]);
  }

  take(email: string, number: ClientNumber): void {
    const key = emailKey(email);
    const known = this.#byEmail.get(key);
    if (known === number) this.#byEmail.delete(key);
    if (typeof known !== 'object' || !known.includes(number)) return;
    this.#siblings.delete(number);
    this.#set(
      key,
      known.filter((other) => other !== number),
    );
  }

  *[Symbol.iterator](): Generator<readonly [string, readonly ClientNumber[]]> {
    for (const email of this.#byEmail.keys()) yield [email, this.get(email)];
  }

  #set(key: string, numbers: readonly ClientNumber[]): void {
    const [first] = numbers;
    if (first !== undefined && numbers.length === 1) {
      this.#byEmail.set(key, first);
      this.#siblings.delete(first);
    } else {
      const sorted = [...numbers].sort((a, b) => a - b);
      this.#byEmail.set(key, sorted);
      for (const number of sorted) this.#siblings.set(number, sorted);
    }
  }
}
