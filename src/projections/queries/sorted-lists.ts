/** The elements of a list in lists of `size`; the last one may be shorter. */
export function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Merges two sorted lists into the first `limit` elements of a sorted one. Of equal elements, those of `one` come first. */
export function mergeSorted<T>(
  one: readonly T[],
  other: readonly T[],
  compare: (a: T, b: T) => number,
  limit: number,
): T[] {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (merged.length < limit) {
    const [a, b] = [one[i], other[j]];
    if (a !== undefined && (b === undefined || compare(a, b) <= 0)) {
      merged.push(a);
      i += 1;
    } else if (b !== undefined) {
      merged.push(b);
      j += 1;
    } else break;
  }
  return merged;
}
