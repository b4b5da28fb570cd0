/** Hashing is slow on purpose and limited by a small queue, so that a flood of logins cannot overload the machine. */
export interface Passwords {
  /** A PHC string with its parameters. */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time; false for a null hash, which stands for an unknown user. The password is hashed once in each
   * way in which `others`, the hashes of all accounts, were made, so that the response time does not reveal the account.
   */
  verify(password: string, hash: string | null, others?: readonly string[]): Promise<boolean>;
  /** Whether the hash was made by another panel: passwords are compared with it, and `hash` makes no such ones. */
  isForeign(hash: string): boolean;
}
