/** Slow on purpose, and behind a small queue: a flood of logins cannot take the machine. */
export interface Passwords {
  /** A PHC string with its parameters. */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time. With a null hash (an unknown user) it takes as long and answers false. What is asked with the
   * same `name` while the same is being compared, or in the 2 s after it was right, gets that answer: by the name, known or
   * not, so that the time tells nothing.
   */
  verify(password: string, hash: string | null, name?: string): Promise<boolean>;
  /** Whether the hash was made by another panel: passwords are compared with it, and `hash` makes no such ones. */
  isForeign(hash: string): boolean;
}
