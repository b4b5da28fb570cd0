import { createHash } from 'node:crypto';
import { measuredTypes } from '../../events/catalog.js';
import type { NodeTraffic } from '../../events/node/node-sync.js';
import type { MeasurementsRolledUp, TrafficSum } from '../../events/traffic.js';
import { message, type Text } from '../../messages/message.js';
import { decode, type EventRow } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];
type Sum = TrafficSum | NodeTraffic;

/** By the type, which the chain covers; the column `measured` is beside the chain, and verification compares the two. */
const IS_MEASURED = `type IN (${measuredTypes.map((type) => `'${type}'`).join()})`;

/** One roll-up. There are thousands after some years, each with thousands of sums, so each is read on demand. */
interface Known {
  readonly position: number;
  /** Unknown until it was read. */
  range: { readonly from: number; readonly to: number } | null;
}

/** Measured payloads that were summed up and dropped, and the sums that stand for them. */
export class RollUps {
  /** In the order of the log: each covers what follows the one before. */
  #known: Known[] = [];
  /** The roll-up that was read last, with its sums: a replay reads its positions in order. */
  #open: { readonly index: number; readonly sums: ReadonlyMap<number, Sum> } | null = null;
  readonly #keyring: Keyring;
  readonly #sql;

  constructor(db: SqliteDatabase, keyring: Keyring) {
    this.#keyring = keyring;
    this.#sql = {
      hashes: db.prepare<[number, number], { payload_hash: Buffer }>(
        `SELECT payload_hash FROM events WHERE ${IS_MEASURED} AND position BETWEEN ? AND ? ORDER BY position`,
      ),
      allow: db.prepare('INSERT INTO prunable VALUES (?, ?)'),
      prune: db.prepare(
        `UPDATE events SET payload = NULL
         WHERE measured = 1 AND ${IS_MEASURED} AND payload IS NOT NULL AND position BETWEEN ? AND ?`,
      ),
      unpruned: db.prepare<[number, number], { position: number }>(
        `SELECT position FROM events WHERE ${IS_MEASURED} AND payload IS NOT NULL AND position BETWEEN ? AND ? LIMIT 1`,
      ),
      typeAt: db.prepare<[number], { type: string }>('SELECT type FROM events WHERE position = ?'),
      known: db.prepare<[number], { position: number }>(
        "SELECT position FROM events WHERE type = 'MeasurementsRolledUp' AND position > ? ORDER BY position",
      ),
      row: db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?'),
    };
    this.#load();
  }

  /**
   * What is met at a position whose payload is gone: the sum that was taken there, null when a sum further on has it,
   * undefined when no roll-up accounts for it.
   */
  sumAt(position: number): Sum | null | undefined {
    const index = this.#covering(position);
    if (index === undefined) return undefined;
    if (this.#open?.index !== index) this.#open = { index, sums: this.#sumsOf(index) };
    return this.#open.sums.get(position) ?? null;
  }

  root(from: number, to: number): { root: string; count: number } {
    const hash = createHash('sha256');
    let count = 0;
    for (const row of this.#sql.hashes.iterate(from, to)) {
      hash.update(row.payload_hash);
      count += 1;
    }
    return { root: hash.digest('hex'), count };
  }

  /**
   * What does not agree between a roll-up at `position` and the rows that it stands for, or null. `rolledTo` is the end of
   * the range before. The sums themselves cannot be checked: the payloads that they were made of are gone.
   */
  misfit(
    { fromPosition: from, toPosition: to, digest: root, prunedCount: pruned, sums, nodeSums }: RollUp,
    position: number,
    rolledTo: number,
  ): Text | null {
    if (from <= rolledTo) return message('storage.rollUpOverlap', { from, before: rolledTo });
    if (to < from || to >= position) return message('storage.rollUpRange', { from, to });
    const rows = this.root(from, to);
    if (rows.count !== pruned) return message('storage.rollUpCount', { expected: pruned, found: rows.count });
    if (rows.root !== root) return message('storage.rollUpDigest');
    const unpruned = this.#sql.unpruned.get(from, to);
    if (unpruned) return message('storage.rollUpUnpruned', { position: unpruned.position });
    return (
      this.#misplaced(from, to, 'TrafficRecorded', sums) ?? this.#misplaced(from, to, 'NodeTrafficRecorded', nodeSums)
    );
  }

  /** Each sum takes the place of one measurement of its type; two in one place would hide one of them. */
  #misplaced(from: number, to: number, type: string, sums: readonly { readonly position: number }[]): Text | null {
    let last = from - 1;
    for (const { position } of [...sums].sort((a, b) => a.position - b.position)) {
      if (position <= last || position > to || this.#sql.typeAt.get(position)?.type !== type)
        return message('storage.rollUpSum', { position, type });
      last = position;
    }
    return null;
  }

  /** Inside the transaction that appends the roll-up, after it. */
  prune({ fromPosition: from, toPosition: to }: RollUp): void {
    this.#sql.allow.run(from, to);
    this.#sql.prune.run(from, to);
    this.#load();
  }

  /** The end of the newest range; 0 when nothing was rolled up. */
  get rolledTo(): number {
    return this.#known.length === 0 ? 0 : this.#rangeOf(this.#known.length - 1).to;
  }

  covers(position: number): boolean {
    return this.#covering(position) !== undefined;
  }

  /** Back to what is stored, after a transaction that was not kept. */
  reload(): void {
    this.#known = [];
    this.#open = null;
    this.#load();
  }

  /** Which one covers a position. */
  #covering(position: number): number | undefined {
    const last = this.#open?.index ?? 0;
    // The one that was asked for last, the one after it, or wherever it may be.
    for (const index of [last, last + 1]) if (this.#isIn(index, position)) return index;
    const found = this.#search(position);
    if (found !== undefined) return found;
    // A reader beside a running panel meets roll-ups that are newer than itself.
    return this.#load() ? this.#search(position) : undefined;
  }

  #isIn(index: number, position: number): boolean {
    if (index >= this.#known.length) return false;
    const { from, to } = this.#rangeOf(index);
    return position >= from && position <= to;
  }

  #search(position: number): number | undefined {
    let [low, high] = [0, this.#known.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { from, to } = this.#rangeOf(middle);
      if (position < from) high = middle - 1;
      else if (position > to) low = middle + 1;
      else return middle;
    }
    return undefined;
  }

  #rangeOf(index: number): { readonly from: number; readonly to: number } {
    const known = this.#known[index];
    if (!known) throw new RangeError(`there is no roll-up ${index}`);
    if (known.range) return known.range;
    const { fromPosition: from, toPosition: to } = this.#read(index);
    known.range = { from, to };
    return known.range;
  }

  #sumsOf(index: number): ReadonlyMap<number, Sum> {
    const { sums, nodeSums } = this.#read(index);
    return new Map<number, Sum>([...sums, ...nodeSums].map(({ position: at, sum }) => [at, sum]));
  }

  #read(index: number): RollUp {
    const row = this.#sql.row.get(this.#known[index]?.position ?? 0);
    if (!row) throw new RangeError(`there is no roll-up ${index}`);
    return decode(row, this.#keyring).data as RollUp;
  }

  /** Looks for new ones; whether there are. */
  #load(): boolean {
    const found = this.#sql.known.all(this.#known.at(-1)?.position ?? 0);
    this.#known.push(...found.map(({ position }) => ({ position, range: null })));
    return found.length > 0;
  }
}
