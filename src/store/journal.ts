import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Anchor, type Anchored, anchorProblem, compareAnchor, readAnchor } from '../adapters/data-directory/anchor.js';
import { type DataDirectory } from '../adapters/data-directory/data-directory.js';
import { snapshotFiles } from '../adapters/data-directory/snapshot-files.js';
import { CheckpointFile } from '../adapters/sqlite/checkpoint-file.js';
import type { LogDamage } from '../adapters/sqlite/codec.js';
import { endAt, openDatabase, type SqliteDatabase, storageError } from '../adapters/sqlite/database.js';
import { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { derivedKey, isOfOtherLog, Keyring, masterKey } from '../adapters/sqlite/keyring.js';
import { isMirror } from '../adapters/sqlite/mirror/reduced-boxes.js';
import { startProblem } from '../adapters/sqlite/start-check.js';
import type { Client } from '../events/client/client-document.js';
import type { CheckpointStore } from '../events/log/checkpoint-store.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import { warnOperator } from '../lib/errors/operator-warning.js';
import { sameJson } from '../lib/json.js';
import { MessageError } from '../messages/error.js';
import { message, type Text } from '../messages/message.js';
import { clients, type SavedClients } from '../projections/models/clients.js';
import { assertWhole } from './generations.js';

/** The open log of a data directory, with its snapshots and its anchor. */
export interface Journal {
  readonly log: SqliteEventLog;
  readonly snapshots: SnapshotStore;
  /** Opens the checkpoints of the log. `version`: of their content. Only while the log is not read-only. */
  readonly checkpoints: (version: string) => CheckpointStore;
  /** For the positions that limited roles get, and for versions of documents. Every member of a cluster has these keys. */
  readonly keys: { readonly positionKey: Buffer; readonly versionKey: Buffer };
  readonly anchor: Anchor;
  /** Why nothing may be written, or null. */
  readonly complaint: Text | null;
}

interface Options {
  readonly readonly?: boolean;
  /** With `readonly`: also sees events that are appended later. Without it, everything is read in one transaction. */
  readonly live?: boolean;
  /** Hides the events after this position. Only with `readonly`. */
  readonly upTo?: number;
  /** The log of a subscription mirror, instead of that of a panel. */
  readonly mirror?: boolean;
  readonly now?: () => number;
  readonly anchorFailed?: (error: unknown) => void;
}

/**
 * Opens the log and compares it with its anchor. Creates an empty log if there is none. Throws `MessageError`, and
 * `StorageError` of kind `damaged` when the database itself cannot be read.
 */
export function openJournal(directory: DataDirectory, options: Options = {}): Journal {
  const {
    readonly = false,
    live = false,
    upTo,
    mirror = false,
    now = Date.now,
    anchorFailed = () => undefined,
  } = options;
  assertWhole(directory.root);
  // Read before the log: a running panel updates both, and the anchor is never ahead of a log that is read later.
  const anchored = readAnchor(directory.anchor);
  if (!readonly) assertNotMissing(directory, anchored);
  const db = openDatabase(directory.database, { readonly });
  try {
    assertNotBackup(db, directory.database);
    assertRole(db, directory, mirror);
    if (upTo !== undefined) endAt(db, upTo);
    // Otherwise a roll-up between two pages could be counted in addition to its measurements.
    if (readonly && !live) db.exec('BEGIN');
    const empty = db.prepare('SELECT 1 FROM events LIMIT 1').get() === undefined;
    const master = masterKey(directory.masterKey, { mayCreate: empty && !readonly });
    // Without the check, the start would fail at the first sealed event, with an error of the cipher.
    if (!readonly && !mirror && isOfOtherLog(master, db))
      throw new MessageError(message('storage.keyFileOther', { file: directory.masterKey }));
    const log = new SqliteEventLog(db, new Keyring(db, master, now), upTo);
    const anchor = new Anchor(directory.anchor, log, anchorFailed);
    const snapshots = snapshotFiles(directory.snapshots, derivedKey(master, 'snapshots'), log);
    // Later, a log with events but without an anchor has lost its anchor.
    if (empty && !readonly && anchored === null) anchor.begin();
    const checkpoints = (version: string): CheckpointStore =>
      new CheckpointFile(join(directory.run, 'checkpoints.db'), {
        key: derivedKey(master, 'checkpoints'),
        log,
        version,
      });
    const complaint =
      anchorProblem(compareAnchor(anchored, log)) ??
      (readonly ? null : damageComplaint(startProblem(db, anchored?.position ?? 0, () => log.rolledTo)));
    if (!readonly && complaint === null) erase(log, snapshots);
    const keys = { positionKey: derivedKey(master, 'positions'), versionKey: derivedKey(master, 'versions') };
    return { log, snapshots, checkpoints, keys, anchor, complaint };
  } catch (error) {
    db.close();
    throw storageError(error);
  }
}

/** Completes the erasure of destroyed keys, also of those whose process was killed before it had finished. */
function erase(log: SqliteEventLog, snapshots: SnapshotStore): void {
  for (const id of log.destroyRestoredKeys()) {
    warnOperator(message('storage.keyDestroyedAgain', { id }));
    snapshots.clear();
  }
  log.checkpoint();
  log.appended$.subscribe((events) => {
    if (events.some(({ type }) => type === 'DataKeyDestroyed')) snapshots.clear();
  });
}

/** A new database beside an anchor would hide that the old one is missing. */
function assertNotMissing({ database, anchor }: DataDirectory, anchored: Anchored | null): void {
  if (anchored === null || anchored.position === 0 || existsSync(database)) return;
  throw new MessageError(message('storage.databaseMissing', { file: database, anchor, position: anchored.position }));
}

function assertNotBackup(db: SqliteDatabase, file: string): void {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup'").get() === undefined) return;
  throw new MessageError(message('storage.databaseIsBackup', { file }));
}

/** A panel could not decrypt what a mirror has, and a mirror must not have what a panel has. */
function assertRole(db: SqliteDatabase, { root }: DataDirectory, mirror: boolean): void {
  if (isMirror(db) === mirror) return;
  throw new MessageError(message(mirror ? 'storage.notMirror' : 'storage.isMirror', { folder: root }));
}

/** Commands that only read verify each row instead. */
const damageComplaint = (damage: LogDamage | null): Text | null =>
  damage && message('storage.logChanged', { place: damage.text });

/**
 * Replaces clients in loaded snapshots by equal ones from `known`, so that the write state and the read models share one
 * copy of each document in memory.
 */
export function sharingClients(snapshots: SnapshotStore, known: ReadonlyMap<number, Client>): SnapshotStore {
  return {
    ...snapshots,
    load(name, version) {
      const snapshot = snapshots.load(name, version);
      if (snapshot === null || name !== clients.name) return snapshot;
      const saved = snapshot.state as SavedClients;
      for (const [number, client] of saved.clients) {
        const other = known.get(number);
        if (other && sameJson(other, client)) saved.clients.set(number, other);
      }
      return snapshot;
    },
  };
}
