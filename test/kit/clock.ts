import { T0 } from './builders.js';

/** A manual clock. */
export class Clock {
  #now: number;

  constructor(now: number = T0) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  advance(ms: number): void {
    this.#now += ms;
  }

  set(ms: number): void {
    this.#now = ms;
  }
}
