import { createHash } from 'node:crypto';
import type { NodeTraffic } from '../../events/node-sync.js';
import type { MeasurementsRolledUp, TrafficSum } from '../../events/traffic.js';
import { decode, type EventRow } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

/** Measured payloads that were summed up and dropped, and the sums that stand for them. */
export class RollUps {
  readonly #sums = new Map<number, TrafficSum | NodeTraffic>();
  /** The end of each range by its begin. */
  readonly #ranges = new Map<number, number>();
  /** The range that was asked for last: a replay asks for its positions one after the other. */
  #covering: { readonly from: number; readonly to: number } | undefined;
  readonly #keyring: Keyring;
  readonly #sql;
  #read = 0;

  constructor(db: SqliteDatabase, keyring: Keyring) {
    this.#keyring = keyring;
    this.#sql = {
      hashes: db.prepare<[number, number], { payload_hash: Buffer }>(
        'SELECT payload_hash FROM events WHERE measured = 1 AND position BETWEEN ? AND ? ORDER BY position',
      ),
      allow: db.prepare('INSERT INTO prunable VALUES (?, ?)'),
      prune: db.prepare(
        'UPDATE events SET payload = NULL WHERE measured = 1 AND payload IS NOT NULL AND position BETWEEN ? AND ?',
      ),
      known: db.prepare<[number], EventRow>(
        "SELECT * FROM events WHERE type = 'MeasurementsRolledUp' AND position > ? ORDER BY position",
      ),
    };
    this.#load();
  }

  /**
   * What is met at a position whose payload is gone: the sum that was taken there, null when a sum further on has it,
   * undefined when no roll-up accounts for it.
   */
  sumAt(position: number): TrafficSum | NodeTraffic | null | undefined {
    // A reader beside a running panel meets roll-ups that are newer than itself.
    if (!this.covers(position)) this.#load();
    return this.#sums.get(position) ?? (this.covers(position) ? null : undefined);
  }

  root(from: number, to: number): { root: string; count: number } {
    const hash = createHash('sha256');
    const rows = this.#sql.hashes.all(from, to);
    for (const row of rows) hash.update(row.payload_hash);
    return { root: hash.digest('hex'), count: rows.length };
  }

  /** Inside the transaction that appends the roll-up. */
  prune(rollUp: RollUp): void {
    this.#sql.allow.run(rollUp.from, rollUp.to);
    this.#sql.prune.run(rollUp.from, rollUp.to);
    this.#keep(rollUp);
  }

  /** The end of the newest range; 0 when nothing was rolled up. */
  get rolledTo(): number {
    return Math.max(0, ...this.#ranges.values());
  }

  covers(position: number): boolean {
    if (this.#covering && this.#covering.from <= position && position <= this.#covering.to) return true;
    for (const [from, last] of this.#ranges) {
      if (position < from || position > last) continue;
      this.#covering = { from, to: last };
      return true;
    }
    return false;
  }

  /** Back to what is stored, after a transaction that was not kept. */
  reload(): void {
    this.#sums.clear();
    this.#ranges.clear();
    this.#covering = undefined;
    this.#read = 0;
    this.#load();
  }

  #load(): void {
    for (const row of this.#sql.known.all(this.#read)) {
      this.#keep(decode(row, this.#keyring).data as RollUp);
      this.#read = row.position;
    }
  }

  #keep({ from, to, sums, nodeSums }: RollUp): void {
    this.#ranges.set(from, to);
    for (const { at, sum } of [...sums, ...nodeSums]) this.#sums.set(at, sum);
  }
}
