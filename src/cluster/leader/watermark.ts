interface Waiting {
  readonly position: number;
  readonly reached: () => void;
}

/** A position that only grows, and those who wait for it. */
export class Watermark {
  #position: number;
  #waiting: Waiting[] = [];
  /** Called when another one waits. */
  #joined: () => unknown = () => undefined;

  constructor(position: number) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Returns how many have waited for it. */
  advance(position: number): number {
    if (position <= this.#position) return 0;
    this.#position = position;
    const ready = this.#waiting.filter((waiting) => waiting.position <= position);
    this.#waiting = this.#waiting.filter((waiting) => waiting.position > position);
    for (const { reached } of ready) reached();
    return ready.length;
  }

  /** Resolves when `count` wait, or after `ms`. One call at a time. */
  gathered(count: number, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#joined = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#joined = () => this.#waiting.length >= count && end();
      this.#joined();
    });
  }

  /** Resolves to whether it gets to a position within `ms`. */
  async reached(position: number, ms: number): Promise<boolean> {
    if (position <= this.#position) return true;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        position,
        reached: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        resolve(false);
      }, ms);
      this.#waiting.push(waiting);
      this.#joined();
    });
  }
}
