import { sha256 } from './sha256.js';

/** The Merkle tree of RFC 6962, section 2.1, with SHA-256. All hashes are buffers of 32 bytes. Indexes count from 0. */

/** The root of a tree without leaves. */
export const EMPTY_ROOT: Buffer = sha256(Buffer.alloc(0));

export function leafHash(data: Buffer): Buffer {
  const input = Buffer.allocUnsafe(1 + data.length);
  input[0] = 0;
  data.copy(input, 1);
  return sha256(input);
}

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  const input = Buffer.allocUnsafe(1 + left.length + right.length);
  input[0] = 1;
  left.copy(input, 1);
  right.copy(input, 1 + left.length);
  return sha256(input);
}

/** The hash of a complete subtree: the leaves from `index × 2^level`, `2^level` of them. */
export type Subtree = (level: number, index: number) => Buffer;

/** The largest power of two below `size`, and its exponent. `size` is at least 2. */
function splitOf(size: number): { readonly leaves: number; readonly level: number } {
  let [leaves, level] = [1, 0];
  while (leaves * 2 < size) [leaves, level] = [leaves * 2, level + 1];
  return { leaves, level };
}

/** The hash of the leaves from `start` up to `end`. `start` is a multiple of a power of two that is at least their number. */
function rangeHash(start: number, end: number, subtree: Subtree): Buffer {
  const size = end - start;
  if (size === 1) return subtree(0, start);
  const { leaves, level } = splitOf(size);
  if (leaves * 2 === size) return subtree(level + 1, start / size);
  return nodeHash(subtree(level, start / leaves), rangeHash(start + leaves, end, subtree));
}

/** The root of the first `size` leaves. */
export function treeRoot(size: number, subtree: Subtree): Buffer {
  return size === 0 ? EMPTY_ROOT : rangeHash(0, size, subtree);
}

/** PATH of RFC 6962, section 2.1.1: proves that a leaf is in the tree of the first `size` leaves. */
export function inclusionPath(index: number, size: number, subtree: Subtree): Buffer[] {
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start).leaves;
    if (index < middle) {
      path.push(rangeHash(middle, end, subtree));
      end = middle;
    } else {
      path.push(rangeHash(start, middle, subtree));
      start = middle;
    }
  }
  return path.reverse();
}

/** PROOF of RFC 6962, section 2.1.2: proves that the tree of `to` leaves begins with the tree of `from` leaves. */
export function consistencyPath(from: number, to: number, subtree: Subtree): Buffer[] {
  if (from === 0 || from === to) return [];
  const path: Buffer[] = [];
  let [start, end] = [0, to];
  // While the older tree is a complete subtree of the newer one from its first leaf, its root is known to the reader.
  let known = true;
  while (end !== from) {
    const middle = start + splitOf(end - start).leaves;
    if (from <= middle) {
      path.push(rangeHash(middle, end, subtree));
      end = middle;
    } else {
      path.push(rangeHash(start, middle, subtree));
      start = middle;
      known = false;
    }
  }
  if (!known) path.push(rangeHash(start, end, subtree));
  return path.reverse();
}

/** A position on the way from a leaf to the root: the index of the node, and that of the last node of its level. */
class Climb {
  node: number;
  last: number;

  constructor(node: number, last: number) {
    [this.node, this.last] = [node, last];
  }

  up(): void {
    this.node = Math.floor(this.node / 2);
    this.last = Math.floor(this.last / 2);
  }

  get isLeft(): boolean {
    return this.node % 2 === 0;
  }
}

/** Whether the path proves that the leaf with this hash is in the tree (RFC 9162, section 2.1.3.2). */
export function isIncluded(
  leaf: Buffer,
  index: number,
  { size, root }: { readonly size: number; readonly root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (index < 0 || index >= size) return false;
  const at = new Climb(index, size - 1);
  let result = leaf;
  for (const sibling of path) {
    if (at.last === 0) return false;
    if (!at.isLeft || at.node === at.last) {
      result = nodeHash(sibling, result);
      while (at.isLeft && at.node !== 0) at.up();
    } else {
      result = nodeHash(result, sibling);
    }
    at.up();
  }
  return at.last === 0 && result.equals(root);
}

interface Tree {
  readonly size: number;
  readonly root: Buffer;
}

/** Whether the path proves that the newer tree begins with the older one (RFC 9162, section 2.1.4.2). */
export function isExtended(older: Tree, newer: Tree, path: readonly Buffer[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return path.length === 0 && older.root.equals(EMPTY_ROOT);
  const isPower = Number.isInteger(Math.log2(older.size));
  const [first, ...rest] = isPower ? [older.root, ...path] : path;
  if (first === undefined) return false;
  const at = new Climb(older.size - 1, newer.size - 1);
  while (!at.isLeft) at.up();
  let [before, after] = [first, first];
  for (const sibling of rest) {
    if (at.last === 0) return false;
    if (!at.isLeft || at.node === at.last) {
      before = nodeHash(sibling, before);
      after = nodeHash(sibling, after);
      while (at.isLeft && at.node !== 0) at.up();
    } else {
      after = nodeHash(after, sibling);
    }
    at.up();
  }
  return at.last === 0 && before.equals(older.root) && after.equals(newer.root);
}

/** The right edge of a growing tree: at most one complete subtree per level, so it takes 32 bytes per level. */
export class MerkleEdge {
  size = 0;
  /** By level; undefined where the tree has no complete subtree at its right edge. */
  readonly #edge: (Buffer | undefined)[] = [];

  /** Adds a leaf by its hash. */
  add(leaf: Buffer): void {
    let [level, node] = [0, leaf];
    for (let left = this.#edge[0]; left !== undefined; left = this.#edge[level]) {
      node = nodeHash(left, node);
      this.#edge[level] = undefined;
      level += 1;
    }
    this.#edge[level] = node;
    this.size += 1;
  }

  root(): Buffer {
    let root: Buffer | undefined;
    for (const node of this.#edge) if (node) root = root ? nodeHash(node, root) : node;
    return root ?? EMPTY_ROOT;
  }
}
