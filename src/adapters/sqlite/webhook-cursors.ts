import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { WebhookCursor, WebhookCursors } from '../../commands/ports/webhook-cursors.js';
import { assertRegular, DATABASE_FILES } from './own-file.js';

/** Increase it when the layout changes: a file with another version is replaced. */
const LAYOUT = 1;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS cursors (
  webhook INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, position INTEGER NOT NULL, hash TEXT NOT NULL
) STRICT;
PRAGMA user_version = ${LAYOUT};
`;

/**
 * The cursors in a database of their own. A write is in the page cache when `put` returns, so a kill of the process loses
 * none; a crash of the machine may lose the last ones, whose deliveries are then repeated.
 */
export class WebhookCursorFile implements WebhookCursors {
  readonly #file: string;
  readonly #warn: (message: string, fields?: object) => void;
  #opened: ReturnType<typeof statements> | null = null;

  /** The file is opened at its first use, and replaced when it cannot be read. */
  constructor(file: string, warn: (message: string, fields?: object) => void) {
    this.#file = file;
    this.#warn = warn;
  }

  get #sql() {
    this.#opened ??= statements(openOrReplace(this.#file, this.#warn));
    return this.#opened;
  }

  get(webhook: number): WebhookCursor | null {
    return this.#try(() => this.#sql.get.get(webhook)) ?? null;
  }

  put({ webhook, epoch, position, hash }: WebhookCursor): void {
    this.#try(() => this.#sql.put.run(webhook, epoch, position, hash));
  }

  remove(webhook: number): void {
    this.#try(() => this.#sql.remove.run(webhook));
  }

  close(): void {
    this.#opened?.db.close();
    this.#opened = null;
  }

  #try<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.#warn('a position of a webhook could not be saved or read', { error: String(error) });
      return undefined;
    }
  }
}

function statements(db: Database.Database) {
  return {
    db,
    get: db.prepare<[number], WebhookCursor>('SELECT * FROM cursors WHERE webhook = ?'),
    put: db.prepare<[number, number, number, string]>('INSERT OR REPLACE INTO cursors VALUES (?, ?, ?, ?)'),
    remove: db.prepare<[number]>('DELETE FROM cursors WHERE webhook = ?'),
  };
}

function openOrReplace(file: string, warn: (message: string, fields?: object) => void): Database.Database {
  assertRegular(file);
  try {
    return openAt(file);
  } catch (error) {
    warn('the positions of the webhooks cannot be read; deliveries are repeated', { error: String(error) });
    for (const end of DATABASE_FILES) rmSync(file + end, { force: true });
    return openAt(file);
  }
}

function openAt(file: string): Database.Database {
  const db = new Database(file);
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    const layout = Number(db.pragma('user_version', { simple: true }));
    if (layout !== 0 && layout !== LAYOUT) throw new Error(`layout ${layout} is unknown`);
    db.exec(SCHEMA);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
