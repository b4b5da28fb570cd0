import { createReadStream, readFileSync } from 'node:fs';
import { readPublicKey, type SignedHead } from '../lib/proof/signed-head.js';
import { type Fault, type LogVerdict, LogVerifier, readHeads } from '../lib/proof/verify-log.js';
import { type Proof, proofProblem, readProof } from '../lib/proof/verify-proof.js';
import { type Message, message, type Text, verbatim } from '../messages/message.js';

/** A file cannot be read or used. Not a `MessageError`: its English text would need the files in `locales`. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError';
  readonly text: Text;

  constructor(text: Message<'proof.fileUnreadable' | 'proof.keyInvalid' | 'proof.proofUnreadable'>) {
    super(text.code);
    this.text = text;
  }
}

/** Bytes that are read at a time. */
const PIECE = 4 * 1024 * 1024;

/** The files of one verification: an export or a proof, with the published heads and the key. */
export interface VerifiedFiles {
  readonly key: string;
  readonly heads?: string | undefined;
  readonly events?: string | undefined;
  readonly proof?: string | undefined;
}

/** What a verification found. `texts` are sentences for people, `result` is the same for programs. */
interface Verification {
  readonly ok: boolean;
  readonly texts: readonly Text[];
  readonly result: object;
}

/** Whether the arguments name all files of one verification, and no others. */
export function isComplete({ key, heads, events, proof }: Partial<VerifiedFiles>): boolean {
  if (key === undefined) return false;
  return proof === undefined ? heads !== undefined && events !== undefined : events === undefined;
}

/** Verifies an export or a proof. Rejects with `VerifierError` for a file that cannot be used. */
export async function verify({ key, heads, events = '', proof: file }: VerifiedFiles): Promise<Verification> {
  if (file !== undefined) {
    const { proof, problem } = verifyProof(file, heads ?? null, key);
    const text = problem ? message('proof.proofFails', { what: problem }) : holds(meaningOf(proof));
    return { ok: problem === null, texts: [text], result: { ok: problem === null, kind: proof.kind, problem } };
  }
  const verdict = await verifyExport(events, heads ?? '', key);
  const { fault } = verdict;
  const texts = fault ? [faultText(fault)] : verdictTexts(verdict).map(holds);
  return { ok: fault === null, texts, result: { ok: fault === null, ...verdict } };
}

const holds = (what: Text): Text => message('proof.holds', { what });

/** The verdict on an export, and the heads that it was compared with. `-` as a file is the standard input. */
async function verifyExport(file: string, headsFile: string, keyFile: string): Promise<LogVerdict> {
  const heads = publishedHeads(headsFile, publicKeyIn(keyFile));
  if (!isHeads(heads)) return { events: 0, heads: 0, confirmed: 0, fault: heads };
  const verifier = new LogVerifier(heads);
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: PIECE });
  try {
    for await (const piece of source) if (!verifier.add(piece as Buffer)) break;
  } catch (error) {
    throw unreadable(file, error);
  }
  return verifier.end();
}

/** A proof from a file, and why it does not hold; null when it does. `headsFile`: null = only signatures are checked. */
function verifyProof(
  file: string,
  headsFile: string | null,
  keyFile: string,
): { readonly proof: Proof; readonly problem: Text | null } {
  const key = publicKeyIn(keyFile);
  const heads = headsFile === null ? null : publishedHeads(headsFile, key);
  const proof = readProof(parsed(contentOf(file)));
  if (proof === null) throw new VerifierError(message('proof.proofUnreadable', { file }));
  if (heads !== null && !isHeads(heads)) return { proof, problem: heads.what };
  return { proof, problem: proofProblem(proof, key, heads) };
}

/** What a proof shows, in words. */
function meaningOf(proof: Proof): Text {
  if (proof.kind === 'consistency') return message('proof.consistencyHolds', { from: proof.from, to: proof.to });
  const { position, size, head } = proof;
  return message('proof.inclusionHolds', { position, size, panel: head?.panel ?? '' });
}

/** A fault as a sentence. */
function faultText({ position, what }: Fault): Text {
  return position === 0 ? message('proof.headsFault', { what }) : message('proof.faultAt', { position, what });
}

/** What a verdict without a fault says, as sentences. */
function verdictTexts({ events, heads, confirmed }: LogVerdict): readonly Text[] {
  const count = events - confirmed;
  const fits = message('proof.logFits', { events: confirmed, heads, confirmed });
  return count === 0 ? [fits] : [fits, message('proof.unconfirmed', { count, confirmed })];
}

function publishedHeads(file: string, key: string): readonly SignedHead[] | Fault {
  return readHeads(contentOf(file), key);
}

function isHeads(found: readonly SignedHead[] | Fault): found is readonly SignedHead[] {
  return Array.isArray(found);
}

function publicKeyIn(file: string): string {
  const key = readPublicKey(contentOf(file));
  if (key === null) throw new VerifierError(message('proof.keyInvalid', { file }));
  return key;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function unreadable(file: string, error: unknown): VerifierError {
  const why = verbatim(error instanceof Error ? error.message : String(error));
  return new VerifierError(message('proof.fileUnreadable', { file, why }));
}
