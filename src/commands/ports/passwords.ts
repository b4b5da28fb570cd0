/** Slow on purpose, and behind a small queue: a flood of logins cannot take the machine. */
export interface Passwords {
  /** A PHC string with its parameters. */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time. With a null hash (an unknown user) it takes as long and answers false. What is asked with the
   * same `name` while the same is being compared gets that answer: the name, known or not, so that the time does not tell.
   */
  verify(password: string, hash: string | null, name?: string): Promise<boolean>;
}
