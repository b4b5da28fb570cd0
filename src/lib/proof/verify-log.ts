import { message, type Text } from '../../messages/message.js';
import { chainHashOf, type ExportedEvent, readExportLine } from './export-line.js';
import { MEASURED_TYPES } from './measured-types.js';
import { leafHash, MerkleEdge } from './merkle.js';
import { sha256 } from './sha256.js';
import { isSignedBy, readHead, type SignedHead } from './signed-head.js';

/** The first place that does not fit. */
export interface Fault {
  /** In the log; 0 = the heads themselves are wrong. */
  readonly position: number;
  readonly what: Text;
}

/** The result of verifying an export against published heads. */
export interface LogVerdict {
  /** Events up to the first fault. */
  readonly events: number;
  /** Heads that the log contains. */
  readonly heads: number;
  /** The position of the last of them; 0 = none. Later events are chained, but no head confirms them yet. */
  readonly confirmed: number;
  readonly fault: Fault | null;
}

const LINE_FEED = 10;
const HASH_BYTES = 32;
/** Bytes of a line. An event is far smaller; a program that reads a larger one could run out of memory. */
const MAX_LINE = 256 * 1024 * 1024;

/**
 * The heads in a file of JSON lines, in its order, each with a valid signature of the key. Heads at the same position must
 * be equal, and positions must not go back. The times may: a clock may be set back.
 */
export function readHeads(text: string, publicKey: string): readonly SignedHead[] | Fault {
  const heads: SignedHead[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const head = headOf(line);
    const before = heads.at(-1);
    const at = { line: index + 1 };
    if (head === null) return { position: 0, what: message('proof.headUnreadable', at) };
    if (!isSignedBy(head, publicKey)) return { position: 0, what: message('proof.headSignature', at) };
    if (before && before.panel !== head.panel) return { position: 0, what: message('proof.headPanel', at) };
    if (before && before.position > head.position) return { position: 0, what: message('proof.headOrder', at) };
    if (before?.position === head.position && (before.hash !== head.hash || before.root !== head.root))
      return { position: head.position, what: message('proof.headTwice', { ...at, position: head.position }) };
    heads.push(head);
  }
  return heads.length === 0 ? { position: 0, what: message('proof.noHeads') } : heads;
}

function headOf(line: string): SignedHead | null {
  try {
    return readHead(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Measured events that no roll-up covers yet, and whether their payloads are missing. */
class Measurements {
  #positions: number[] = [];
  /** The hashes of their payloads one after the other: a buffer for each would take five times the memory. */
  #hashes: Buffer = Buffer.alloc(HASH_BYTES * 1024);
  #missing: boolean[] = [];

  add({ event, hashes }: ExportedEvent): void {
    const end = this.#positions.length * HASH_BYTES;
    if (end === this.#hashes.length) this.#hashes = Buffer.concat([this.#hashes], 2 * end);
    hashes.payloadHash.copy(this.#hashes, end);
    this.#positions.push(event.position);
    this.#missing.push(event.payload === null);
  }

  /** Takes the events of a roll-up; the difference between both, or null. */
  rollUp(data: Readonly<Record<string, unknown>>): Text | null {
    const { fromPosition: from, toPosition: to, digest, prunedCount: count } = data as Record<string, number | string>;
    const first = this.#positions.findIndex((position) => position >= Number(from));
    const after = this.#positions.findIndex((position) => position > Number(to));
    const [start, end] = [first === -1 ? this.#positions.length : first, after === -1 ? this.#positions.length : after];
    const missing = this.#missing.slice(0, start).indexOf(true);
    if (missing !== -1) return message('storage.payloadMissing');
    const rolledUp = this.#hashes.subarray(start * HASH_BYTES, end * HASH_BYTES);
    if (count !== end - start) return message('storage.rollUpCount', { expected: Number(count), found: end - start });
    if (sha256(rolledUp).toString('hex') !== digest) return message('storage.rollUpDigest');
    this.#positions = this.#positions.slice(end);
    this.#hashes.copyWithin(0, end * HASH_BYTES);
    this.#missing = this.#missing.slice(end);
    return null;
  }

  /** The first position whose payload is missing although no roll-up covers it; null when there is none. */
  get uncovered(): number | null {
    return this.#positions[this.#missing.indexOf(true)] ?? null;
  }
}

/**
 * Verifies an export of a log piece by piece: each byte of it is covered by the hash chain, and it contains each of `heads`, in
 * order. Memory does not grow with the log, except for the measurements since the last roll-up.
 */
export class LogVerifier {
  readonly #heads: readonly SignedHead[];
  readonly #edge = new MerkleEdge();
  readonly #measurements = new Measurements();
  /** Index of the next head to find. */
  #next = 0;
  #hash: Buffer = Buffer.alloc(32);
  #rest: Buffer = Buffer.alloc(0);
  #fault: Fault | null = null;
  readonly #maxLine: number;

  constructor(heads: readonly SignedHead[], maxLine = MAX_LINE) {
    this.#heads = heads;
    this.#maxLine = maxLine;
  }

  /** Takes the next bytes of the export. False after the first fault: the rest need not be read. */
  add(piece: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      this.#line(bytes.subarray(start, end));
      if (this.#fault) return false;
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > this.#maxLine) this.#fail(message('proof.lineLong', { most: this.#maxLine }));
    return this.#fault === null;
  }

  /** The verdict after the last piece. */
  end(): LogVerdict {
    const { size: events } = this.#edge;
    const head = this.#heads[this.#next];
    const uncovered = this.#measurements.uncovered;
    if (this.#fault === null && this.#rest.length > 0) this.#fail(message('proof.lineCut'));
    else if (this.#fault === null && uncovered !== null)
      this.#fault = { position: uncovered, what: message('storage.payloadMissing') };
    else if (this.#fault === null && head) this.#fail(message('proof.logEnds', { last: events, head: head.position }));
    const confirmed = this.#heads[this.#next - 1]?.position ?? 0;
    return { events, heads: this.#next, confirmed, fault: this.#fault };
  }

  /** Records a fault at the event after the last valid one. */
  #fail(what: Text): void {
    this.#fault = { position: this.#edge.size + 1, what };
  }

  #line(bytes: Buffer): void {
    if (bytes.length > this.#maxLine) return this.#fail(message('proof.lineLong', { most: this.#maxLine }));
    const text = bytes.toString();
    const exported = readExportLine(text);
    // Invalid UTF-8 would be read as a replacement character.
    if (exported === null || Buffer.byteLength(text) !== bytes.length) return this.#fail(message('proof.lineInvalid'));
    const problem = this.#problemOf(exported);
    if (problem !== null) return this.#fail(problem);
    const { event, data, hashes } = exported;
    this.#hash = hashes.hash;
    if (MEASURED_TYPES.has(event.type)) this.#measurements.add(exported);
    if (event.type === 'MeasurementsRolledUp' && data) {
      const mismatch = this.#measurements.rollUp(data);
      if (mismatch !== null) return this.#fail(mismatch);
    }
    this.#edge.add(leafHash(hashes.hash));
    this.#compareHeads(event.position);
  }

  #problemOf({ event, hashes }: ExportedEvent): Text | null {
    const { position, type, payload, id } = event;
    if (position !== this.#edge.size + 1) return message('proof.positionExpected', { position: this.#edge.size + 1 });
    if (payload === null && !MEASURED_TYPES.has(type)) return message('storage.payloadMissingKept', { type });
    if (payload !== null && !sha256(payload).equals(hashes.payloadHash)) return message('storage.payloadChanged');
    if (!chainHashOf(this.#hash, event, hashes.payloadHash).equals(hashes.hash)) return message('storage.chainBroken');
    const [head] = this.#heads;
    return position === 1 && head && head.panel !== id ? message('proof.otherPanel', { panel: head.panel, id }) : null;
  }

  /** Compares the log with the heads at a position. */
  #compareHeads(position: number): void {
    for (let head = this.#heads[this.#next]; head?.position === position; head = this.#heads[this.#next]) {
      const confirmed = this.#heads[this.#next - 1]?.position ?? 0;
      const isSame = head.hash === this.#hash.toString('hex') && head.root === this.#edge.root().toString('hex');
      if (!isSame) {
        this.#fault = { position, what: message('proof.headDiffers', { position, confirmed }) };
        return;
      }
      this.#next += 1;
    }
  }
}
