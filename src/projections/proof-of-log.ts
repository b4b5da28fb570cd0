import type { RecordedEvent } from '../events/catalog.js';
import type { LogHead } from '../events/log/log.js';
import type { LogTree } from '../events/log/log-tree.js';
import type { Proofs } from '../events/proof/proof-document.js';
import { consistencyPath, inclusionPath, treeRoot } from '../lib/proof/merkle.js';
import type { SignedHead } from '../lib/proof/signed-head.js';
import type { ConsistencyProof, InclusionProof } from '../lib/proof/verify-proof.js';

/** A log, and the heads that were signed of it. */
export interface ProvenLog {
  readonly stored: { readonly tree: LogTree };
  head(): LogHead;
  at(position: number): RecordedEvent | undefined;
  readStream(stream: string, version?: number, limit?: number): readonly RecordedEvent[];
}

const PAGE = 1000;
const hex = (bytes: Buffer): string => bytes.toString('hex');

/** The signed head of a position; null when none was signed. */
function headAt(log: Pick<ProvenLog, 'at'>, { heads }: Pick<Proofs, 'heads'>, position: number): SignedHead | null {
  const place = heads.findLast((head) => head.position === position);
  const event = place && log.at(place.event);
  return event?.type === 'HeadSigned' ? event.data.head : null;
}

/** Up to `limit` signed heads after a position, oldest first. */
export function* signedHeads(
  log: Pick<ProvenLog, 'at'>,
  { heads }: Pick<Proofs, 'heads'>,
  after = 0,
  limit = heads.length,
) {
  for (const { event: at } of heads.filter(({ position }) => position > after).slice(0, limit)) {
    const event = log.at(at);
    if (event?.type === 'HeadSigned') yield event.data.head;
  }
}

/** All heads that another panel has published to this one, in the order in which they came. */
export function* receivedHeads(log: Pick<ProvenLog, 'readStream'>, panel: string): Generator<SignedHead> {
  let version = 0;
  for (;;) {
    const page = log.readStream('received-heads', version, PAGE);
    for (const event of page)
      if (event.type === 'HeadReceived' && event.data.head.panel === panel) yield event.data.head;
    if (page.length < PAGE) return;
    version = page.at(-1)?.version ?? version;
  }
}

/** The size of the tree for a proof about a position: that of the last signed head, unless it is before the position. */
export function usualSize(log: Pick<ProvenLog, 'head'>, { last }: Pick<Proofs, 'last'>, position: number): number {
  return last !== null && last.position >= position ? last.position : log.head().position;
}

/** Proves that the event at a position is in the tree of the first `size` events. Both must be in the log. */
export function inclusionProof(log: ProvenLog, proofs: Proofs, position: number, size: number): InclusionProof {
  const { subtree } = log.stored.tree;
  const { line = '', previous = '' } = log.stored.tree.lineAt(position) ?? {};
  return {
    ...{ kind: 'inclusion', position, previous, event: line, size, root: hex(treeRoot(size, subtree)) },
    path: inclusionPath(position - 1, size, subtree).map(hex),
    head: headAt(log, proofs, size),
  };
}

/** Proves that the first `from` events are the same in the tree of the first `to` events. Both must be in the log. */
export function consistencyProof(log: ProvenLog, proofs: Proofs, from: number, to: number): ConsistencyProof {
  const { subtree } = log.stored.tree;
  return {
    ...{ kind: 'consistency', from, to, fromRoot: hex(treeRoot(from, subtree)), toRoot: hex(treeRoot(to, subtree)) },
    path: consistencyPath(from, to, subtree).map(hex),
    fromHead: headAt(log, proofs, from),
    toHead: headAt(log, proofs, to),
  };
}
