const none: readonly never[] = [];

/**
 * A map with several values for a key, each once, in insertion order. Nearly every key has one value, which is stored
 * directly: with thousands of clients, a set for each key would take most of the memory.
 */
export class ManyMap<K, V extends string | number> {
  readonly #values = new Map<K, V | Set<V>>();

  get size(): number {
    return this.#values.size;
  }

  keys(): IterableIterator<K> {
    return this.#values.keys();
  }

  get(key: K): readonly V[] {
    const known = this.#values.get(key);
    if (known === undefined) return none;
    return known instanceof Set ? [...known] : [known];
  }

  add(key: K, value: V): void {
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, value);
    else if (known instanceof Set) known.add(value);
    else if (known !== value) this.#values.set(key, new Set([known, value]));
  }

  remove(key: K, value: V): void {
    const known = this.#values.get(key);
    if (known instanceof Set) {
      known.delete(value);
      if (known.size === 0) this.#values.delete(key);
    } else if (known === value) this.#values.delete(key);
  }

  *[Symbol.iterator](): Generator<readonly [K, readonly V[]]> {
    for (const key of this.#values.keys()) yield [key, this.get(key)];
  }
}
