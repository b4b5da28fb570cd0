import type { EventRow } from './codec.js';
import type { SqliteDatabase } from './database.js';
import type { CommandRow } from './replication/batch-codec.js';

export type LogStatements = ReturnType<typeof statements>;

/** The prepared statements of the event log. */
export function statements(db: SqliteDatabase) {
  return {
    beginRead: db.prepare('BEGIN'),
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    last: db.prepare<[], EventRow>('SELECT * FROM events ORDER BY position DESC LIMIT 1'),
    at: db.prepare<[number], EventRow>('SELECT * FROM events WHERE position = ?'),
    hashAt: db.prepare<[number], { hash: Buffer }>('SELECT hash FROM events WHERE position = ?'),
    before: db.prepare<[number], { position: number }>(
      'SELECT position FROM events WHERE at <= ? ORDER BY position DESC LIMIT 1',
    ),
    nextBy: db.prepare<[number, number], { position: number; at: number }>(
      'SELECT position, at FROM events WHERE position > ? AND at <= ? ORDER BY position LIMIT 1',
    ),
    idAt: db.prepare<[number], { id: Buffer }>('SELECT id FROM events WHERE position = ?'),
    place: db.prepare<[number, number, Buffer], { position: number; type: string }>(
      'SELECT position, type FROM events WHERE position BETWEEN ? AND ? AND id = ? ORDER BY position DESC LIMIT 1',
    ),
    version: db.prepare<[string], { version: number | null }>(
      'SELECT max(version) AS version FROM events WHERE stream = ?',
    ),
    /** In the order of the streams. */
    versions: db
      .prepare<[string], number | null>(
        'SELECT (SELECT max(version) FROM events WHERE stream = value) FROM json_each(?) ORDER BY key',
      )
      .pluck(),
    insert: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    read: db.prepare<[number, number], EventRow>('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?'),
    range: db.prepare<[number, number], EventRow>(
      'SELECT * FROM events WHERE position BETWEEN ? AND ? ORDER BY position',
    ),
    stream: db.prepare<[string, number, number], EventRow>(
      'SELECT * FROM events WHERE stream = ? AND version > ? ORDER BY version LIMIT ?',
    ),
    older: older(db),
    command: db.prepare('INSERT INTO commands VALUES (?, ?, ?, ?, ?)'),
    commandRow: db.prepare<[string], CommandRow>('SELECT * FROM commands WHERE key = ?'),
    answered: db.prepare<[string], { fingerprint: string; first: number; last: number }>(
      'SELECT fingerprint, first, last FROM commands WHERE key = ?',
    ),
    generation: db.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'generation'"),
    regenerate: db.prepare("UPDATE meta SET value = ? WHERE key = 'generation'"),
    generate: db.prepare("INSERT INTO meta VALUES ('generation', ?)"),
  };
}

/** Rows of a stream from a version to the one before another, of some types (as JSON), newest first, with a limit. */
export const older = (db: SqliteDatabase) =>
  db.prepare<[string, number, number, string, number], EventRow>(
    `SELECT * FROM events WHERE stream = ? AND version >= ? AND version < ?
     AND type IN (SELECT value FROM json_each(?)) ORDER BY version DESC LIMIT ?`,
  );
