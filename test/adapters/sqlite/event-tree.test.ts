import { describe, expect, it } from 'vitest';
import { PanelStarted } from '../../../src/events/panel.js';
import {
  consistencyPath,
  inclusionPath,
  isExtended,
  isIncluded,
  leafHash,
  MerkleEdge,
  treeRoot,
} from '../../../src/lib/proof/merkle.js';
import { atOnce } from '../../../src/lib/time/slices.js';
import { openParts, TestLog, temporaryFolder } from '../../kit/log.js';

const BLOCK = 256;

/** Appends so many events. */
function append(log: TestLog, count: number): void {
  log.append(...Array.from({ length: count }, () => PanelStarted({ version: '1.0.0' })));
}

/** The root over the first `size` events, leaf by leaf. */
function plainRoot({ log }: TestLog, size: number): Buffer {
  const edge = new MerkleEdge();
  for (const { hash } of log.stored.rows(0, size)) edge.add(leafHash(hash));
  return edge.root();
}

const rowsOf = (root: string) =>
  openParts(root, { readonly: true }).db.prepare('SELECT level, number FROM tree ORDER BY level, number').all();

describe('the Merkle tree over the log', () => {
  it('has the same roots and proofs whether subtrees are stored or not', () => {
    const panel = new TestLog();
    const { tree } = panel.log.stored;
    append(panel, 2 * BLOCK + 77);
    const sizes = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 77];
    const before = sizes.map((size) => treeRoot(size, tree.subtree));
    atOnce(tree.grow());
    expect(rowsOf(panel.directory.root)).toStrictEqual([
      { level: 8, number: 0 },
      { level: 8, number: 1 },
    ]);
    const after = sizes.map((size) => treeRoot(size, tree.subtree));
    expect(after).toStrictEqual(before);
    expect(after).toStrictEqual(sizes.map((size) => plainRoot(panel, size)));
    const [size, root] = [2 * BLOCK + 77, treeRoot(2 * BLOCK + 77, tree.subtree)];
    for (const position of [1, BLOCK, BLOCK + 1, size]) {
      const leaf = leafHash(Buffer.from(panel.log.hashAt(position) ?? '', 'hex'));
      const path = inclusionPath(position - 1, size, tree.subtree);
      expect(isIncluded(leaf, position - 1, { size, root }, path)).toBe(true);
    }
    for (const from of sizes) {
      const older = { size: from, root: plainRoot(panel, from) };
      expect(isExtended(older, { size, root }, consistencyPath(from, size, tree.subtree))).toBe(true);
    }
  });

  it('stores only what new events complete, and subtrees of 65,536 events', { timeout: 60_000 }, () => {
    const panel = new TestLog();
    append(panel, BLOCK * BLOCK - 1);
    atOnce(panel.log.stored.tree.grow());
    expect(rowsOf(panel.directory.root)).toHaveLength(BLOCK - 1);
    append(panel, 2);
    atOnce(panel.log.stored.tree.grow());
    expect(rowsOf(panel.directory.root).at(-1)).toStrictEqual({ level: 16, number: 0 });
    const size = BLOCK * BLOCK + 1;
    expect(treeRoot(size, panel.log.stored.tree.subtree)).toStrictEqual(plainRoot(panel, size));
  });

  it('is computed from the events where a log of an earlier release is only read', () => {
    const root = temporaryFolder();
    const panel = new TestLog(root);
    append(panel, BLOCK + 1);
    const expected = plainRoot(panel, BLOCK + 1);
    const { db } = openParts(root);
    db.exec('DROP TABLE tree');
    const { log } = openParts(root, { readonly: true });
    atOnce(log.stored.tree.grow());
    expect(treeRoot(BLOCK + 1, log.stored.tree.subtree)).toStrictEqual(expected);
  });

  it('has no event beyond the end', () => {
    const panel = new TestLog();
    append(panel, 3);
    expect(() => treeRoot(4, panel.log.stored.tree.subtree)).toThrow(RangeError);
    expect(panel.log.stored.tree.lineAt(4)).toBeNull();
    expect(panel.log.stored.tree.lineAt(1)).toMatchObject({ previous: '0'.repeat(64) });
  });
});
