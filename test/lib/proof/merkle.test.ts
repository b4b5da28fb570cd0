import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyPath,
  EMPTY_ROOT,
  inclusionPath,
  isExtended,
  isIncluded,
  leafHash,
  MerkleEdge,
  nodeHash,
  type Subtree,
  treeRoot,
} from '../../../src/lib/proof/merkle.js';

const hex = (bytes: Buffer): string => bytes.toString('hex');

/** The subtrees of a list of leaves, computed as RFC 6962 defines them. */
function subtreesOf(leaves: readonly Buffer[]): Subtree {
  const subtree: Subtree = (level, index) => {
    if (level === 0) return leafHash(leaves[index] ?? Buffer.alloc(0));
    return nodeHash(subtree(level - 1, 2 * index), subtree(level - 1, 2 * index + 1));
  };
  return subtree;
}

/** MTH of RFC 6962, section 2.1, word by word. */
function definedRoot(leaves: readonly Buffer[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return leafHash(first);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(definedRoot(leaves.slice(0, k)), definedRoot(leaves.slice(k)));
}

/** The leaves, roots and paths of the tests of the reference implementation of RFC 6962. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  (text) => Buffer.from(text, 'hex'),
);
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const FIRST_OF_8 = [
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
  '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
];
const FIFTH_OF_8 = [
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
];

describe('the Merkle tree of RFC 6962', () => {
  const subtree = subtreesOf(LEAVES);

  it('has the roots of the test vectors', () => {
    expect(hex(EMPTY_ROOT)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(ROOTS.map((_, i) => hex(treeRoot(i + 1, subtree)))).toStrictEqual(ROOTS);
    const edge = new MerkleEdge();
    const grown = LEAVES.map((leaf) => {
      edge.add(leafHash(leaf));
      return hex(edge.root());
    });
    expect(grown).toStrictEqual(ROOTS);
  });

  it('has the inclusion paths of the test vectors', () => {
    expect(inclusionPath(0, 1, subtree)).toStrictEqual([]);
    expect(inclusionPath(0, 8, subtree).map(hex)).toStrictEqual(FIRST_OF_8);
    expect(inclusionPath(5, 8, subtree).map(hex)).toStrictEqual(FIFTH_OF_8);
    expect(inclusionPath(2, 3, subtree).map(hex)).toStrictEqual([ROOTS[1]]);
  });

  it('has the consistency paths of the test vectors', () => {
    expect(consistencyPath(1, 1, subtree)).toStrictEqual([]);
    expect(consistencyPath(1, 8, subtree).map(hex)).toStrictEqual(FIRST_OF_8);
    expect(consistencyPath(6, 8, subtree).map(hex)).toStrictEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      ...FIFTH_OF_8.slice(1),
    ]);
    expect(consistencyPath(2, 5, subtree).map(hex)).toStrictEqual([FIRST_OF_8[1], FIFTH_OF_8[0]]);
  });

  it('agrees with the definition for trees of any size, and its proofs hold only for the right tree', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 70 }), fc.nat(), fc.nat());
    fc.assert(
      fc.property(sizes, ([size, some, other]) => {
        const leaves = Array.from({ length: size }, (_, i) => Buffer.from([i]));
        const tree = subtreesOf(leaves);
        const root = treeRoot(size, tree);
        expect(root).toStrictEqual(definedRoot(leaves));
        const index = some % size;
        const leaf = leafHash(leaves[index] ?? Buffer.alloc(0));
        const path = inclusionPath(index, size, tree);
        expect(isIncluded(leaf, index, { size, root }, path)).toBe(true);
        expect(isIncluded(leaf, (index + 1) % size, { size, root }, path)).toBe(size === 1);
        expect(isIncluded(leafHash(Buffer.from('x')), index, { size, root }, path)).toBe(false);
        const from = 1 + (other % size);
        const older = { size: from, root: definedRoot(leaves.slice(0, from)) };
        const proof = consistencyPath(from, size, tree);
        expect(isExtended(older, { size, root }, proof)).toBe(true);
        expect(isExtended({ ...older, root: leafHash(Buffer.from('x')) }, { size, root }, proof)).toBe(false);
        expect(isExtended(older, { size, root: leafHash(Buffer.from('x')) }, proof)).toBe(false);
        expect(isExtended(older, { size, root }, [...proof, root])).toBe(false);
      }),
    );
  });

  it('is consistent with the empty tree, and not with a larger one', () => {
    const root = treeRoot(3, subtree);
    expect(isExtended({ size: 0, root: EMPTY_ROOT }, { size: 3, root }, [])).toBe(true);
    expect(isExtended({ size: 0, root }, { size: 3, root }, [])).toBe(false);
    expect(isExtended({ size: 4, root }, { size: 3, root }, [])).toBe(false);
    expect(isExtended({ size: 3, root }, { size: 3, root }, [root])).toBe(false);
    expect(isExtended({ size: 2, root: treeRoot(2, subtree) }, { size: 3, root }, [])).toBe(false);
  });
});
