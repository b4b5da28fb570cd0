import type { Phrase } from './words.js';

/** How long the first line of a message waits for others, and how far apart two messages are, in ms. */
export interface Pace {
  readonly soonMs: number;
  readonly gapMs: number;
}
export const usualPace: Pace = { soonMs: 1000, gapMs: 60_000 };

/** A line, and how many times it came. */
export interface Gathered {
  readonly line: Phrase;
  readonly times: number;
}

/** Lines of one message; those above it are only counted. */
const MOST = 30;

/** Makes one message of many lines, and never more than one in a while. The same line is told once, with a count. */
export class Gatherer {
  readonly #pace: Pace;
  readonly #now: () => number;
  readonly #tell: (lines: readonly Gathered[], more: number) => void;
  readonly #lines = new Map<string, Gathered>();
  #more = 0;
  #last = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pace, now: () => number, tell: (lines: readonly Gathered[], more: number) => void) {
    this.#pace = pace;
    this.#now = now;
    this.#tell = tell;
  }

  add(line: Phrase, times = 1): void {
    const known = this.#lines.get(line.plain);
    if (known || this.#lines.size < MOST) this.#lines.set(line.plain, { line, times: (known?.times ?? 0) + times });
    else this.#more += times;
    const wait = Math.max(this.#pace.soonMs, this.#last + this.#pace.gapMs - this.#now());
    this.#timer ??= setTimeout(() => this.#flush(), Math.min(wait, this.#pace.gapMs)).unref();
  }

  /** Forgets what was gathered. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines.clear();
    this.#more = 0;
  }

  #flush(): void {
    const [lines, more] = [[...this.#lines.values()], this.#more];
    this.stop();
    this.#last = this.#now();
    this.#tell(lines, more);
  }
}
