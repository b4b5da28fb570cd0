/** How long a client counts as online after it last moved bytes, in ms: a few polls, so that a pause is not a departure. */
export const ONLINE_WINDOW_MS = 20_000;

/** Who has a live connection now: a gauge from the cores, not a fold; it is empty until they were asked. */
export class OnlineGauge {
  readonly #sources = new Map<string, ReadonlySet<string>>();
  #emails: ReadonlySet<string> = new Set();

  /** `source`: the machine that has the connections; without it this one. */
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
