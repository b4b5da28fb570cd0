interface Waiting {
  readonly position: number;
  readonly reached: () => void;
}

/** A position that only grows, and those who wait for it. */
export class Watermark {
  #position: number;
  #waiting: Waiting[] = [];

  constructor(position: number) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  advance(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    const ready = this.#waiting.filter((waiting) => waiting.position <= position);
    this.#waiting = this.#waiting.filter((waiting) => waiting.position > position);
    for (const { reached } of ready) reached();
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
    });
  }
}
