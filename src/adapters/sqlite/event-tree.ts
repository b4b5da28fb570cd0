import { StorageError } from '../../events/log/log.js';
import type { LogTree } from '../../events/log/log-tree.js';
import { leafHash, nodeHash } from '../../lib/proof/merkle.js';
import type { Steps } from '../../lib/time/slices.js';
import { type EventRow, exportLineOf } from './codec.js';
import type { SqliteDatabase } from './database.js';

/** Only subtrees of 2^8, 2^16, 2^24 … leaves are stored: 33 rows of 32 bytes for each 8,192 events. */
const STORED_LEVELS = 8;
const BLOCK = 2 ** STORED_LEVELS;
/** Blocks that are written in one transaction. */
const BATCH = 64;
const GENESIS = '0'.repeat(64);

interface Stored {
  readonly level: number;
  readonly number: number;
  readonly hash: Buffer;
}

/**
 * The Merkle tree over the chain hashes, as a cache in the database of the log. An append does nothing for it: `grow` reads the
 * hashes of the events since the last call. Rows of the table never change, because complete subtrees never do.
 */
export class EventTree implements LogTree {
  readonly #db: SqliteDatabase;
  readonly #sql;
  /** Null when a read-only database has no table yet: then everything is computed from the events. */
  readonly #table;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    this.#sql = {
      hashes: db.prepare<[number, number], { hash: Buffer }>(
        'SELECT hash FROM events WHERE position > ? ORDER BY position LIMIT ?',
      ),
      row: db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?'),
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
    };
    const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tree'").get() !== undefined;
    this.#table = hasTable ? tableOf(db) : null;
  }

  readonly subtree = (level: number, index: number): Buffer => {
    if (level < STORED_LEVELS) return this.#small(level, index);
    const isStored = level % STORED_LEVELS === 0;
    const stored = isStored ? this.#table?.get.get(level, index) : undefined;
    if (stored) return stored.hash;
    if (level === STORED_LEVELS) return this.#block(index) ?? beyondEnd(index * BLOCK);
    return nodeHash(this.subtree(level - 1, 2 * index), this.subtree(level - 1, 2 * index + 1));
  };

  *grow(): Steps<void> {
    if (this.#table === null || this.#db.readonly) return;
    let made: Stored[] = [];
    for (let number = (this.#table.last.get(STORED_LEVELS)?.number ?? -1) + 1; ; number += 1) {
      const hash = this.#block(number);
      if (hash) made.push({ level: STORED_LEVELS, number, hash });
      if (made.length > 0 && (!hash || made.length === BATCH)) {
        if (!this.#write(made)) return;
        made = [];
      }
      if (!hash) break;
      yield;
    }
    yield* this.#growUpper(2 * STORED_LEVELS);
  }

  /** Stores the complete subtrees of a level and of those above it, from the stored ones below it. */
  *#growUpper(level: number): Steps<void> {
    if (this.#table === null) return;
    const below = (this.#table.last.get(level - STORED_LEVELS)?.number ?? -1) + 1;
    const made: Stored[] = [];
    for (let number = (this.#table.last.get(level)?.number ?? -1) + 1; (number + 1) * BLOCK <= below; number += 1) {
      const parts = Array.from({ length: BLOCK }, (_, i) => this.subtree(level - STORED_LEVELS, number * BLOCK + i));
      made.push({ level, number, hash: rootOf(parts) });
      yield;
    }
    if (made.length > 0 && this.#write(made)) yield* this.#growUpper(level + STORED_LEVELS);
  }

  lineAt(position: number): { readonly line: string; readonly previous: string } | null {
    const row = this.#sql.row.get(position);
    if (!row) return null;
    const before = this.#sql.row.get(position - 1);
    return { line: exportLineOf(row), previous: before?.hash.toString('hex') ?? GENESIS };
  }

  /** A subtree that is not stored, from its leaves, which one query reads. */
  #small(level: number, index: number): Buffer {
    const count = 2 ** level;
    const leaves = this.#leaves(index * count, count);
    return leaves.length === count ? rootOf(leaves) : beyondEnd(index * count + leaves.length);
  }

  /** The root of a block of leaves; null while it is not complete. */
  #block(number: number): Buffer | null {
    const leaves = this.#leaves(number * BLOCK, BLOCK);
    return leaves.length === BLOCK ? rootOf(leaves) : null;
  }

  #leaves(start: number, count: number): readonly Buffer[] {
    return this.#sql.hashes.all(start, count).map(({ hash }) => leafHash(hash));
  }

  /** False when the disk refuses: the subtrees are then computed from the events, and stored by a later call. */
  #write(subtrees: readonly Stored[]): boolean {
    try {
      this.#sql.begin.run();
      for (const { level, number, hash } of subtrees) this.#table?.insert.run(level, number, hash);
      this.#sql.commit.run();
      return true;
    } catch (error) {
      if (this.#db.inTransaction) this.#sql.rollback.run();
      if (error instanceof StorageError) return false;
      throw error;
    }
  }
}

function tableOf(db: SqliteDatabase) {
  return {
    get: db.prepare<[number, number], { hash: Buffer }>('SELECT hash FROM tree WHERE level = ? AND number = ?'),
    last: db.prepare<[number], { number: number | null }>('SELECT max(number) AS number FROM tree WHERE level = ?'),
    insert: db.prepare('INSERT OR IGNORE INTO tree VALUES (?, ?, ?)'),
  };
}

/** The root over a power of two of hashes. */
function rootOf(hashes: readonly Buffer[]): Buffer {
  let level = [...hashes];
  while (level.length > 1) {
    const next: Buffer[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) {
      const [left, right] = [level[i], level[i + 1]];
      if (left && right) next.push(nodeHash(left, right));
    }
    level = next;
  }
  return level[0] ?? beyondEnd(0);
}

function beyondEnd(index: number): never {
  throw new RangeError(`the log has no event with index ${index}`);
}
