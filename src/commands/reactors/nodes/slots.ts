/** Runs at most `limit` tasks at a time; others wait in the order of their calls. */
export class Slots {
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves to the result of the task; to undefined when `signal` was aborted before a slot was free. */
  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.#enter(signal))) return undefined;
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        resolve(false);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      this.#queue.push(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
