import { createHash } from 'node:crypto';
import { measuredTypes } from '../../events/catalog.js';
import type { NodeTraffic } from '../../events/node/node-sync.js';
import type { MeasurementsRolledUp, TrafficSum } from '../../events/traffic/traffic.js';
import { message, type Text } from '../../messages/message.js';
import { decode, type EventRow } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];
type Sum = TrafficSum | NodeTraffic;

/** Compares the type, which the chain covers. The chain does not cover the column `measured`; verification compares both. */
const IS_MEASURED = `type IN (${measuredTypes.map((type) => `'${type}'`).join()})`;

/** One roll-up. It is read on demand, because a log may contain thousands, each with thousands of sums. */
interface Known {
  readonly position: number;
  /** Null until it is read. */
  range: { readonly from: number; readonly to: number } | null;
}

/** Measured payloads that were rolled up and removed, and the sums that replace them. */
export class RollUps {
  /** In the order of the log. */
  #known: Known[] = [];
  /** The roll-up that was read last, with its sums, because a replay reads positions in order. */
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
   * The sum at a position with a removed payload. Null when a sum at a later position includes it, undefined when no roll-up
   * covers the position.
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
   * The difference between a roll-up at `position` and the rows of its range, or null. `rolledTo` is the end of the range
   * before. The sums cannot be verified, because the summed payloads are removed.
   */
  mismatch(
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

  /** Each sum must be at the position of a measurement of its type, and no two at the same position. */
  #misplaced(from: number, to: number, type: string, sums: readonly { readonly position: number }[]): Text | null {
    let last = from - 1;
    for (const { position } of [...sums].sort((a, b) => a.position - b.position)) {
      if (position <= last || position > to || this.#sql.typeAt.get(position)?.type !== type)
        return message('storage.rollUpSum', { position, type });
      last = position;
    }
    return null;
  }

  /** Removes the payloads of a roll-up. To be called inside the transaction that appends it, after the append. */
  prune({ fromPosition: from, toPosition: to }: RollUp): void {
    this.#sql.allow.run(from, to);
    this.#sql.prune.run(from, to);
    this.#load();
  }

  /** The end of the newest range; 0 = nothing is rolled up. */
  get rolledTo(): number {
    return this.#known.length === 0 ? 0 : this.#rangeOf(this.#known.length - 1).to;
  }

  covers(position: number): boolean {
    return this.#covering(position) !== undefined;
  }

  /** Loads the stored roll-ups again after a rollback. */
  reload(): void {
    this.#known = [];
    this.#open = null;
    this.#load();
  }

  /** The index of the roll-up that covers a position. */
  #covering(position: number): number | undefined {
    const last = this.#open?.index ?? 0;
    // First the last result and the one after it, then a binary search.
    for (const index of [last, last + 1]) if (this.#isIn(index, position)) return index;
    const found = this.#search(position);
    if (found !== undefined) return found;
    // The running panel may have appended roll-ups after this process had loaded them.
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

  /** Loads new roll-ups. Returns whether there are any. */
  #load(): boolean {
    const found = this.#sql.known.all(this.#known.at(-1)?.position ?? 0);
    this.#known.push(...found.map(({ position }) => ({ position, range: null })));
    return found.length > 0;
  }
}
