import { exportLineOf } from '../../src/adapters/sqlite/codec.js';
import { treeRoot } from '../../src/lib/proof/merkle.js';
import { createHeadKey, signHead } from '../../src/lib/proof/signed-head.js';
import { LogVerifier } from '../../src/lib/proof/verify-log.js';
import { proofProblem } from '../../src/lib/proof/verify-proof.js';
import { atOnce } from '../../src/lib/time/slices.js';
import { inclusionProof } from '../../src/projections/proof-of-log.js';
import { draftOf, one, populate } from '../kit/fleet.js';
import { type InsidePanel, newFolder, openInside, removeFolder } from '../kit/inside.js';
import type { Bench, Row } from '../kit/row.js';
import { chance, collect, median } from '../kit/time.js';
import { processorTime } from '../kit/turns.js';
import { fill } from '../process/start.js';

const PAGE = 1000;
const PROOFS = 200;
/** Changes for each signed head: a head an hour, and a change every five seconds. */
const CHANGES_PER_HEAD = 720;
/** Time is measured in ms. */
const MICROSECONDS = 1000;

function processorTimeOf(work: () => void): number {
  const start = processorTime();
  work();
  return processorTime() - start;
}

/** The part of the Merkle tree and of the signatures in the cost of single changes. */
function upkeep({ panel, run }: InsidePanel, rounds: number): Row {
  const { log } = panel;
  const key = createHeadKey();
  atOnce(log.stored.tree.grow());
  collect();
  const append = processorTimeOf(() => {
    for (let i = 0; i < rounds; i += 1) {
      const draft = draftOf(1 + (i % PAGE));
      const changed = { ...draft, spec: { ...draft.spec, capBytes: 1e12 + i } };
      run({ type: 'UpdateClient', data: { inbound: one, client: { email: draft.identity.email }, draft: changed } });
    }
  });
  const { position, hash } = log.head();
  const proof = processorTimeOf(() => {
    atOnce(log.stored.tree.grow());
    for (let n = 0; n < rounds / CHANGES_PER_HEAD; n += 1) {
      const root = treeRoot(position, log.stored.tree.subtree).toString('hex');
      signHead({ panel: log.at(1)?.id ?? '', position, hash, root, at: panel.now() }, key);
    }
  });
  const note = `${((append / rounds) * MICROSECONDS).toFixed(0)} µs of processor time for a change, ${((proof / rounds) * MICROSECONDS).toFixed(1)} µs for the tree and a head after ${CHANGES_PER_HEAD} changes`;
  return {
    name: 'proof: tree and heads, share of a change',
    measured: (100 * proof) / append,
    unit: '%',
    target: { most: 3 },
    note,
  };
}

/** Proofs of random events, and their verification. */
function inclusion({ panel }: InsidePanel): readonly Row[] {
  const { log } = panel;
  const key = createHeadKey();
  const { position: size, hash } = log.head();
  const root = treeRoot(size, log.stored.tree.subtree).toString('hex');
  const head = signHead({ panel: log.at(1)?.id ?? '', position: size, hash, root, at: 0 }, key);
  const random = chance(3);
  const made: number[] = [];
  const verified: number[] = [];
  const proofs = panel.read.records.proofs();
  for (let n = 0; n < PROOFS; n += 1) {
    const position = 1 + Math.floor(random() * size);
    let proof = inclusionProof(log, proofs, position, size);
    made.push(processorTimeOf(() => (proof = inclusionProof(log, proofs, position, size))));
    verified.push(
      processorTimeOf(() => {
        if (proofProblem({ ...proof, head }, key.publicKey, null) !== null) throw new Error('a proof does not hold');
      }),
    );
  }
  const note = `${size} events, processor time`;
  return [
    { name: 'proof: inclusion of one event', measured: median(made), unit: 'ms', target: { most: 5 }, note },
    { name: 'proof: verification of it', measured: median(verified), unit: 'ms', target: { most: 2 }, note },
  ];
}

/** The verification of an export of the whole log, without making it. */
function verification({ panel }: InsidePanel): Row {
  const { log } = panel;
  const key = createHeadKey();
  const { position: size, hash } = log.head();
  const root = treeRoot(size, log.stored.tree.subtree).toString('hex');
  const verifier = new LogVerifier([signHead({ panel: log.at(1)?.id ?? '', position: size, hash, root, at: 0 }, key)]);
  let [ms, bytes] = [0, 0];
  for (let done = 0; done < size; done += PAGE) {
    const piece = Buffer.from(`${log.stored.rows(done, PAGE).map(exportLineOf).join('\n')}\n`);
    bytes += piece.length;
    ms += processorTimeOf(() => verifier.add(piece));
  }
  const { fault, confirmed } = verifier.end();
  if (fault || confirmed !== size) throw new Error('the export does not fit');
  return {
    name: 'proof: verification of 1,000,000 events',
    measured: (ms / size) * MICROSECONDS,
    unit: 's',
    target: { most: 20 },
    note: `processor time, from ${size} events with ${Math.round(bytes / size)} bytes each`,
  };
}

/** Signed heads, proofs, and the verification of an export. */
export const proof: Bench = async ({ quick }) => {
  const [clients, size] = quick ? [2500, 50_000] : [25_000, 1_000_000];
  const inside = await openInside(newFolder());
  try {
    populate(inside, clients);
    const share = upkeep(inside, quick ? 1000 : 5000);
    fill(inside, clients, size);
    atOnce(inside.panel.log.stored.tree.grow());
    return [share, ...inclusion(inside), verification(inside)];
  } finally {
    await inside.close();
    removeFolder(inside.folder);
  }
};
