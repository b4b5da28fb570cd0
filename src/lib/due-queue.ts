/**
 * Keys with the times at which they are due: a binary heap that knows where each key is. A change takes a logarithmic number
 * of steps, and finding the keys that are due takes as many steps as there are.
 */
export class DueQueue<K> {
  /** The time at `n` is not after those at `2n + 1` and `2n + 2`. */
  readonly #heap: { readonly key: K; readonly at: number }[];
  readonly #places: Map<K, number>;

  constructor(other?: DueQueue<K>) {
    this.#heap = other ? [...other.#heap] : [];
    this.#places = new Map(other ? other.#places : []);
  }

  copy(): DueQueue<K> {
    return new DueQueue(this);
  }

  /** The keys that are due at `now` (ms) or were due before, in any order. */
  due(now: number): readonly K[] {
    const due: K[] = [];
    const visit = (n: number): void => {
      const entry = this.#heap[n];
      if (!entry || entry.at > now) return;
      due.push(entry.key);
      visit(2 * n + 1);
      visit(2 * n + 2);
    };
    visit(0);
    return due;
  }

  /** Sets when a key is due, in ms; null = never. */
  set(key: K, at: number | null): void {
    const place = this.#places.get(key);
    if (place === undefined) {
      if (at !== null) this.#settle(this.#heap.length, { key, at });
    } else if (this.#heap[place]?.at !== at) {
      if (at === null) this.#remove(key, place);
      else this.#settle(place, { key, at });
    }
  }

  #remove(key: K, place: number): void {
    this.#places.delete(key);
    const last = this.#heap.pop();
    if (last && place < this.#heap.length) this.#settle(place, last);
  }

  /** Puts an entry at a place, or further up or down where it belongs. */
  #settle(place: number, entry: { readonly key: K; readonly at: number }): void {
    let n = place;
    for (let above = (n - 1) >> 1; n > 0 && this.#at(above) > entry.at; above = (n - 1) >> 1) {
      this.#move(above, n);
      n = above;
    }
    for (;;) {
      const below = this.#at(2 * n + 2) < this.#at(2 * n + 1) ? 2 * n + 2 : 2 * n + 1;
      if (this.#at(below) >= entry.at) break;
      this.#move(below, n);
      n = below;
    }
    this.#heap[n] = entry;
    this.#places.set(entry.key, n);
  }

  #move(from: number, to: number): void {
    const entry = this.#heap[from];
    if (!entry) return;
    this.#heap[to] = entry;
    this.#places.set(entry.key, to);
  }

  #at(n: number): number {
    return this.#heap[n]?.at ?? Number.POSITIVE_INFINITY;
  }
}
