import Database from 'better-sqlite3';
import { flush } from '../../data-directory/files.js';
import type { EventRow } from '../codec.js';
import { openDatabase } from '../database.js';
import { Keyring, masterKey } from '../keyring.js';
import { copyDatabase, type LogCopy } from '../replication/log-copy.js';
import { givenKey, mirrorKey, mirrorUse, type Reduce, reducedOf } from './mirror-keys.js';
import { createReducedBoxes, type ReducedBox, ReducedBoxes } from './reduced-boxes.js';

/** The mirror that a copy is for. */
export interface CopyTarget {
  /** The file of the master key. */
  readonly masterKey: string;
  /** See `mirrorKey`. */
  readonly fingerprint: string;
}

/** Copies the database of a log for a mirror: with the same events, but only the data keys that links need. */
export function copyForMirror(database: string, file: string, target: CopyTarget, reduce: Reduce): LogCopy {
  const copied = copyDatabase(database, file);
  const { keys, reduced } = forwarded(file, target, reduce);
  const db = new Database(file);
  try {
    db.pragma('secure_delete = ON');
    createReducedBoxes(db);
    const boxes = new ReducedBoxes(db);
    const replace = db.prepare('UPDATE keys SET wrapped = ? WHERE id = ?');
    db.transaction(() => {
      for (const [id, wrapped] of keys) replace.run(wrapped, id);
      for (const box of reduced) boxes.put(box);
      // The answers to requests of admins.
      db.exec('DELETE FROM commands');
    })();
  } finally {
    db.close();
  }
  flush(file);
  return copied;
}

function forwarded(file: string, { masterKey: keyFile, fingerprint }: CopyTarget, reduce: Reduce) {
  const db = openDatabase(file, { readonly: true });
  try {
    const master = masterKey(keyFile, { mayCreate: false });
    const forwarding = { keyring: new Keyring(db, master, Date.now), key: mirrorKey(master, fingerprint), reduce };
    const keys = new Map<string, Buffer | null>();
    const ids = db.prepare<[], string>('SELECT id FROM keys WHERE wrapped IS NOT NULL').pluck().all();
    for (const id of ids) keys.set(id, mirrorUse(id) === 'given' ? givenKey(id, forwarding) : null);
    const reduced: ReducedBox[] = [];
    const rows = db.prepare<[], EventRow>(
      "SELECT * FROM events WHERE type IN ('InboundAdded', 'InboundReconfigured') ORDER BY position",
    );
    for (const row of rows.iterate()) {
      for (const one of reducedOf(row, forwarding)) {
        keys.set(one.reduced.key, one.wrapped);
        reduced.push(one.reduced);
      }
    }
    return { keys, reduced };
  } finally {
    db.close();
  }
}
