import type { Counter } from './counters.js';

/** Numbers below this one are indexes of an array. Larger ones are not of this log: an admin's own account may look like one. */
const MAX_INDEX = 2_097_152;

/** `[number, up, down]`, in bytes. */
export type NumberedGrowth = [number, number, number];

/**
 * Counters by number, such as those of clients. A poll compares those of every client, so they are in one array: in a map of
 * objects, a comparison takes fifty times as long.
 */
export class CounterTable {
  /** Up and down of each number in turn. */
  #bytes = new Float64Array(2048);
  readonly #others = new Map<number, Counter>();

  static of(counters: Iterable<readonly [number, Counter]>): CounterTable {
    const table = new CounterTable();
    for (const [number, { up, down }] of counters) table.add(number, up, down);
    return table;
  }

  /** Undefined when nothing was counted. */
  get(number: number): Counter | undefined {
    if (number >= MAX_INDEX) return this.#others.get(number);
    const [up = 0, down = 0] = [this.#bytes[2 * number], this.#bytes[2 * number + 1]];
    return up === 0 && down === 0 ? undefined : { up, down };
  }

  /** Adds bytes to a counter. `number` is a positive integer. */
  add(number: number, up: number, down: number): void {
    if (up === 0 && down === 0) return;
    if (number >= MAX_INDEX) {
      const before = this.#others.get(number);
      this.#others.set(number, { up: (before?.up ?? 0) + up, down: (before?.down ?? 0) + down });
      return;
    }
    const at = 2 * number;
    if (at >= this.#bytes.length) this.#extend(at);
    this.#bytes[at] = (this.#bytes[at] ?? 0) + up;
    this.#bytes[at + 1] = (this.#bytes[at + 1] ?? 0) + down;
  }

  clear(): void {
    this.#bytes.fill(0);
    this.#others.clear();
  }

  /** The growth of each counter that is larger than in `before`. One that fell is ignored, as is an implausible one. */
  growthSince(before: CounterTable): NumberedGrowth[] {
    const growths: NumberedGrowth[] = [];
    const take = (number: number, up: number, down: number, old: Counter): void => {
      if (!Number.isSafeInteger(up) || !Number.isSafeInteger(down)) return;
      growths.push([number, Math.max(0, up - old.up), Math.max(0, down - old.down)]);
    };
    const [bytes, known] = [this.#bytes, before.#bytes];
    for (let at = 0; at < bytes.length; at += 2) {
      const [up, down] = [bytes[at] ?? 0, bytes[at + 1] ?? 0];
      const [oldUp, oldDown] = [known[at] ?? 0, known[at + 1] ?? 0];
      if (up <= oldUp && down <= oldDown) continue;
      take(at / 2, up, down, { up: oldUp, down: oldDown });
    }
    for (const [number, { up, down }] of this.#others) {
      const old = before.#others.get(number) ?? { up: 0, down: 0 };
      if (up > old.up || down > old.down) take(number, up, down, old);
    }
    return growths;
  }

  /** In the order of the numbers, without those that are 0. */
  *[Symbol.iterator](): Generator<[number, Counter]> {
    for (let number = 0; 2 * number < this.#bytes.length; number += 1) {
      const counter = this.get(number);
      if (counter) yield [number, counter];
    }
    yield* [...this.#others].sort(([one], [other]) => one - other);
  }

  #extend(at: number): void {
    const longer = new Float64Array(2 ** Math.ceil(Math.log2(at + 2)));
    longer.set(this.#bytes);
    this.#bytes = longer;
  }
}
