/** How long a client counts as online after it last moved bytes, in ms: a few polls, so that a pause is not a departure. */
export const ONLINE_WINDOW_MS = 20_000;

/** Who has a live connection now: a gauge from the core, not a fold; it is empty until the core was asked. */
export class OnlineGauge {
  #emails: ReadonlySet<string> = new Set();

  set(emails: Iterable<string>): void {
    this.#emails = new Set(emails);
  }

  has(email: string): boolean {
    return this.#emails.has(email);
  }

  get emails(): ReadonlySet<string> {
    return this.#emails;
  }
}
