import { message, type Text } from '../../messages/message.js';
import { isObject } from '../json.js';
import { chainHashOf, readExportLine } from './export-line.js';
import { isExtended, isIncluded, leafHash } from './merkle.js';
import { sha256 } from './sha256.js';
import { isSignedBy, readHead, type SignedHead } from './signed-head.js';

/** Proves that one event is in a log without the rest of the log. All hashes are hex. */
export interface InclusionProof {
  readonly kind: 'inclusion';
  readonly position: number;
  /** Chain hash of the event before; zeros for the first event. */
  readonly previous: string;
  /** The event as a line of an export. */
  readonly event: string;
  /** Number of events in the tree. */
  readonly size: number;
  readonly root: string;
  /** From the leaf to the root (RFC 6962, section 2.1.1). */
  readonly path: readonly string[];
  /** The signed head of this size; null when none was signed. */
  readonly head: SignedHead | null;
}

/** Proves that a log of `to` events begins with the same `from` events as before. All hashes are hex. */
export interface ConsistencyProof {
  readonly kind: 'consistency';
  readonly from: number;
  readonly to: number;
  readonly fromRoot: string;
  readonly toRoot: string;
  /** RFC 6962, section 2.1.2. */
  readonly path: readonly string[];
  /** The signed heads of both sizes; null when none was signed. */
  readonly fromHead: SignedHead | null;
  readonly toHead: SignedHead | null;
}

export type Proof = InclusionProof | ConsistencyProof;

const HASH = /^[0-9a-f]{64}$/;
/** A tree with 2^53 leaves has 53 levels. */
const MAX_PATH = 2 * 53;

const bytes = (text: string): Buffer => Buffer.from(text, 'hex');

/** A proof from parsed JSON; null when the value is not one. Nothing is verified. */
export function readProof(value: unknown): Proof | null {
  if (!isObject(value) || !isPath(value['path'])) return null;
  return value['kind'] === 'inclusion' ? readInclusion(value) : readConsistency(value);
}

function readInclusion(value: Readonly<Record<string, unknown>>): InclusionProof | null {
  const { position, previous, event, size, root, path } = value;
  if (!isCount(position) || !isHash(previous) || typeof event !== 'string' || !isCount(size) || !isHash(root))
    return null;
  return {
    kind: 'inclusion',
    ...{ position, previous, event, size, root },
    path: path as readonly string[],
    head: readHead(value['head']),
  };
}

function readConsistency(value: Readonly<Record<string, unknown>>): ConsistencyProof | null {
  const { kind, from, to, fromRoot, toRoot, path } = value;
  if (kind !== 'consistency' || !isCount(from) || !isCount(to) || !isHash(fromRoot) || !isHash(toRoot)) return null;
  return {
    kind,
    ...{ from, to, fromRoot, toRoot },
    path: path as readonly string[],
    fromHead: readHead(value['fromHead']),
    toHead: readHead(value['toHead']),
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

function isPath(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_PATH && value.every(isHash);
}

/**
 * Why a proof does not hold; null when it does. Its heads must be signed with the key, and be among `published`, unless that
 * is null.
 */
export function proofProblem(proof: Proof, publicKey: string, published: readonly SignedHead[] | null): Text | null {
  if (proof.kind === 'inclusion')
    return eventProblem(proof) ?? headProblem(proof.head, proof, publicKey, published) ?? pathProblem(proof);
  const { from, to, fromRoot, toRoot, fromHead, toHead } = proof;
  return (
    headProblem(fromHead, { size: from, root: fromRoot }, publicKey, published) ??
    headProblem(toHead, { size: to, root: toRoot }, publicKey, published) ??
    (fromHead?.panel === toHead?.panel ? null : message('proof.proofPath')) ??
    pathProblem(proof)
  );
}

/** Whether the event of the proof has its position, and hashes that fit. */
function eventProblem({ event: line, position, previous }: InclusionProof): Text | null {
  const exported = readExportLine(line);
  if (exported === null || exported.event.position !== position) return message('proof.proofEvent');
  const { event, hashes } = exported;
  const { payload } = event;
  if (payload !== null && !sha256(payload).equals(hashes.payloadHash)) return message('proof.proofEvent');
  const isSame = chainHashOf(bytes(previous), event, hashes.payloadHash).equals(hashes.hash);
  return isSame ? null : message('proof.proofEvent');
}

function headProblem(
  head: SignedHead | null,
  { size: position, root }: { readonly size: number; readonly root: string },
  publicKey: string,
  published: readonly SignedHead[] | null,
): Text | null {
  if (head === null || head.position !== position || head.root !== root)
    return message('proof.proofNoHead', { position });
  if (!isSignedBy(head, publicKey)) return message('proof.proofHeadSignature', { position });
  const isPublished = published === null || published.some(({ signature }) => signature === head.signature);
  return isPublished ? null : message('proof.proofHeadOther', { position });
}

function pathProblem(proof: Proof): Text | null {
  const path = proof.path.map(bytes);
  if (proof.kind === 'consistency') {
    const { from, to, fromRoot, toRoot } = proof;
    const holds = isExtended({ size: from, root: bytes(fromRoot) }, { size: to, root: bytes(toRoot) }, path);
    return holds ? null : message('proof.proofPath');
  }
  const { event, position, size, root } = proof;
  const leaf = readExportLine(event)?.hashes.hash ?? Buffer.alloc(0);
  return isIncluded(leafHash(leaf), position - 1, { size, root: bytes(root) }, path)
    ? null
    : message('proof.proofPath');
}
