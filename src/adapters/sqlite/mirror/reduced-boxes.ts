import type { SqliteDatabase } from '../database.js';

/** A box that replaces a stored one: it was sealed again for a mirror, with less in it. */
export interface ReducedBox {
  /** The id of the event. */
  readonly event: string;
  /** The id of the data key, which differs from the one of the same id on the other members. */
  readonly key: string;
  readonly box: string;
}

const CREATE = `CREATE TABLE reduced (
  event TEXT NOT NULL, key TEXT NOT NULL, box TEXT NOT NULL, PRIMARY KEY (event, key)
) STRICT, WITHOUT ROWID`;
const IS_THERE = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'reduced'";

/**
 * The reduced boxes in the database of a subscription mirror. The events stay as they were recorded, because the chain covers
 * them; a mirror cannot open their own boxes.
 */
export class ReducedBoxes {
  readonly #find;
  readonly #put;

  constructor(db: SqliteDatabase) {
    this.#find = db.prepare<[string, string], string>('SELECT box FROM reduced WHERE event = ? AND key = ?').pluck();
    this.#put = db.prepare('INSERT OR REPLACE INTO reduced (event, key, box) VALUES (?, ?, ?)');
  }

  /** The box to open in place of a stored one. */
  boxOf(event: string, stored: { readonly key: string; readonly box: string }) {
    const box = this.#find.get(event, stored.key);
    return box === undefined ? stored : { key: stored.key, box };
  }

  put({ event, key, box }: ReducedBox): void {
    this.#put.run(event, key, box);
  }
}

/** Makes a database that of a mirror. */
export const createReducedBoxes = (db: Pick<SqliteDatabase, 'exec'>): unknown => db.exec(CREATE);

/** Null unless the database is that of a mirror. */
export function reducedBoxes(db: SqliteDatabase): ReducedBoxes | null {
  return isMirror(db) ? new ReducedBoxes(db) : null;
}

/** Whether a database is that of a subscription mirror. */
export const isMirror = (db: SqliteDatabase): boolean => db.prepare(IS_THERE).get() !== undefined;
