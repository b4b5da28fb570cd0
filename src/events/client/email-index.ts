import type { ClientNumber } from '../ids.js';
import { emailKey } from './client-document.js';

const none: readonly never[] = [];

/**
 * Clients by email, without regard to case. Clients with the same email on different inbounds are *siblings*: the traffic of
 * one counts for all. Few clients have siblings, so only the number is stored for the others.
 */
export class EmailIndex {
  readonly #byEmail = new Map<string, ClientNumber | readonly ClientNumber[]>();
  readonly #siblings = new Map<ClientNumber, readonly ClientNumber[]>();

  /** An index with the same entries that can be changed on its own. */
  copy(): EmailIndex {
    const copy = new EmailIndex();
    for (const [email, numbers] of this.#byEmail) copy.#byEmail.set(email, numbers);
    for (const [number, siblings] of this.#siblings) copy.#siblings.set(number, siblings);
    return copy;
  }

  /** Number of emails. */
  get size(): number {
    return this.#byEmail.size;
  }

  /** The clients of an email, the lowest number first. */
  get(email: string): readonly ClientNumber[] {
    const known = this.#byEmail.get(emailKey(email));
    if (known === undefined) return none;
    return typeof known === 'number' ? [known] : known;
  }

  /** The client with the lowest number of those with this email. */
  first(email: string): ClientNumber | undefined {
    const known = this.#byEmail.get(emailKey(email));
    return typeof known === 'object' ? known[0] : known;
  }

  /** All numbers with the email of this one, including itself, the lowest first; undefined if it has no siblings. */
  siblings(number: ClientNumber): readonly ClientNumber[] | undefined {
    return this.#siblings.get(number);
  }

  /** Adds a client to an email. Does nothing if it has it already. */
  add(email: string, number: ClientNumber): void {
    const key = emailKey(email);
    const known = this.#byEmail.get(key);
    if (known === undefined) this.#byEmail.set(key, number);
    else if (typeof known === 'number') {
      if (known !== number) this.#set(key, [known, number]);
    } else if (!known.includes(number)) this.#set(key, [...known, number]);
  }

  remove(email: string, number: ClientNumber): void {
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
