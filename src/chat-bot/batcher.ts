import type { Phrase } from './words.js';

/** How long the first line of a message waits for others, and the time between two messages, in ms. */
export interface Pace {
  readonly delayMs: number;
  readonly gapMs: number;
}
export const usualPace: Pace = { delayMs: 1000, gapMs: 60_000 };

/** A line and the number of its occurrences. */
export interface Batched {
  readonly line: Phrase;
  readonly times: number;
}

/** Different lines of one message; the rest is only counted. */
const MAX_LINES = 30;

/** Collects lines into one message and limits the rate of messages. Equal lines become one line with a count. */
export class Batcher {
  readonly #pace: Pace;
  readonly #now: () => number;
  readonly #send: (lines: readonly Batched[], more: number) => void;
  readonly #lines = new Map<string, Batched>();
  #more = 0;
  #last = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(pace: Pace, now: () => number, send: (lines: readonly Batched[], more: number) => void) {
    this.#pace = pace;
    this.#now = now;
    this.#send = send;
  }

  add(line: Phrase, times = 1): void {
    const known = this.#lines.get(line.plain);
    if (known || this.#lines.size < MAX_LINES)
      this.#lines.set(line.plain, { line, times: (known?.times ?? 0) + times });
    else this.#more += times;
    const wait = Math.max(this.#pace.delayMs, this.#last + this.#pace.gapMs - this.#now());
    this.#timer ??= setTimeout(() => this.#flush(), Math.min(wait, this.#pace.gapMs)).unref();
  }

  /** Drops what was collected. */
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
    this.#send(lines, more);
  }
}
