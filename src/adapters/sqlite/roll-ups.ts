import { createHash } from 'node:crypto';
import type { MeasurementsRolledUp, TrafficSum } from '../../events/traffic.js';
import { decode, type EventRow } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { Keyring } from './keyring.js';

type RollUp = Parameters<typeof MeasurementsRolledUp>[0];

/** Measured payloads that were summed up and dropped, and the sums that stand for them. */
export class RollUps {
  readonly #sums = new Map<number, TrafficSum>();
  readonly #ranges: { readonly from: number; readonly to: number }[] = [];
  readonly #sql;

  constructor(db: SqliteDatabase, keyring: Keyring) {
    this.#sql = {
      hashes: db.prepare<[number, number], { payload_hash: Buffer }>(
        'SELECT payload_hash FROM events WHERE measured = 1 AND position BETWEEN ? AND ? ORDER BY position',
      ),
      allow: db.prepare('INSERT INTO prunable VALUES (?, ?)'),
      prune: db.prepare(
        'UPDATE events SET payload = NULL WHERE measured = 1 AND payload IS NOT NULL AND position BETWEEN ? AND ?',
      ),
    };
    const known = db
      .prepare<[], EventRow>("SELECT * FROM events WHERE type = 'MeasurementsRolledUp' ORDER BY position")
      .all();
    for (const row of known) this.#keep(decode(row, keyring).data as RollUp);
  }

  /** The sum that is met at this position instead of the polls before it, if one was taken here. */
  sumAt(position: number): TrafficSum | undefined {
    return this.#sums.get(position);
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

  covers(position: number): boolean {
    return this.#ranges.some(({ from, to }) => from <= position && position <= to);
  }

  #keep({ from, to, sums }: RollUp): void {
    this.#ranges.push({ from, to });
    for (const { at, sum } of sums) this.#sums.set(at, sum);
  }
}
