/** How long a client counts as online after its last traffic, in ms: a few polls, so that a short pause does not matter. */
export const ONLINE_WINDOW_MS = 20_000;

/** The clients with a connection now. It is measured by the cores, not folded from the log, and empty until the first poll. */
export class OnlineGauge {
  readonly #sources = new Map<string, ReadonlySet<string>>();
  #emails: ReadonlySet<string> = new Set();

  /** `source`: the machine that has the connections; by default this one. */
  set(emails: Iterable<string>, source = 'core'): void {
    const before = this.#sources.get(source);
    const now = new Set(emails);
    if (now.size === 0 && !before) return;
    if (now.size === 0) this.#sources.delete(source);
    else this.#sources.set(source, now);
    const [only = new Set(), ...others] = this.#sources.values();
    this.#emails = others.length === 0 ? only : new Set([...this.#sources.values()].flatMap((own) => [...own]));
  }

  has(email: string): boolean {
    return this.#emails.has(email);
  }

  get emails(): ReadonlySet<string> {
    return this.#emails;
  }
}
