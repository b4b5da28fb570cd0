const none: readonly never[] = [];

/**
 * A map with several values for a key, each once, in insertion order. Nearly every key has one value, which is stored
 * directly: with thousands of clients, a set for each key would take most of the memory.
 */
export class ManyMap<K, V extends string | number> {
  readonly #values = new Map<K, V | Set<V>>();
  #source: (() => Iterable<readonly [K, V]>) | null;

  /** `source`: all pairs at the time of the first reading. Until then, changes are ignored, because it contains them. */
  constructor(source: (() => Iterable<readonly [K, V]>) | null = null) {
    this.#source = source;
  }

  get size(): number {
    return this.#read().size;
  }

  keys(): IterableIterator<K> {
    return this.#read().keys();
  }

  get(key: K): readonly V[] {
    const known = this.#read().get(key);
    if (known === undefined) return none;
    return known instanceof Set ? [...known] : [known];
  }

  add(key: K, value: V): void {
    if (this.#source) return;
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, value);
    else if (known instanceof Set) known.add(value);
    else if (known !== value) this.#values.set(key, new Set([known, value]));
  }

  remove(key: K, value: V): void {
    if (this.#source) return;
    const known = this.#values.get(key);
    if (known instanceof Set) {
      known.delete(value);
      if (known.size === 0) this.#values.delete(key);
    } else if (known === value) this.#values.delete(key);
  }

  *[Symbol.iterator](): Generator<readonly [K, readonly V[]]> {
    for (const key of this.keys()) yield [key, this.get(key)];
  }

  #read(): Map<K, V | Set<V>> {
    const source = this.#source;
    this.#source = null;
    for (const [key, value] of source?.() ?? []) this.add(key, value);
    return this.#values;
  }
}
