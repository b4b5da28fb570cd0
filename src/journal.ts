import { Anchor, anchorComplaint } from './adapters/anchor.js';
import { type DataDirectory } from './adapters/data-directory.js';
import { snapshotFiles } from './adapters/snapshot-files.js';
import type { LogDamage } from './adapters/sqlite/codec.js';
import { openDatabase } from './adapters/sqlite/database.js';
import { SqliteEventLog } from './adapters/sqlite/event-log.js';
import { derivedKey, Keyring, masterKey } from './adapters/sqlite/keyring.js';
import { startFlaw } from './adapters/sqlite/start-check.js';
import type { Client } from './events/client-document.js';
import type { SnapshotStore } from './events/snapshot-store.js';
import { assertWhole } from './generations.js';
import { sameJson } from './lib/json.js';
import { clients, type SavedClients } from './projections/clients.js';

/** The log of a data directory with what belongs to it. */
export interface Journal {
  readonly log: SqliteEventLog;
  readonly snapshots: SnapshotStore;
  readonly anchor: Anchor;
  /** Why nothing may be written, or null. */
  readonly complaint: string | null;
}

interface Options {
  readonly readonly?: boolean;
  readonly now?: () => number;
  readonly anchorFailed?: (error: unknown) => void;
}

/** Opens the log and compares it with its anchor. It writes nothing but an empty log. */
export function openJournal(directory: DataDirectory, options: Options = {}): Journal {
  const { readonly = false, now = Date.now, anchorFailed = () => undefined } = options;
  assertWhole(directory.root);
  const db = openDatabase(directory.database, { readonly });
  try {
    const empty = db.prepare('SELECT 1 FROM events LIMIT 1').get() === undefined;
    const master = masterKey(directory.masterKey, { mayCreate: empty && !readonly });
    const log = new SqliteEventLog(db, new Keyring(db, master, now));
    const anchor = new Anchor(directory.anchor, log, anchorFailed);
    const snapshots = snapshotFiles(directory.snapshots, derivedKey(master, 'snapshots'), log);
    const complaint =
      anchorComplaint(anchor.check()) ??
      (readonly ? null : damageComplaint(startFlaw(db, anchor.position, () => log.rolledTo)));
    return { log, snapshots, anchor, complaint };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Readers at the command line look at each row instead. */
const damageComplaint = (damage: LogDamage | null): string | null =>
  damage &&
  `the log was changed at ${damage.message}. Run portolan events verify to find the first bad position, then restore a backup`;

/**
 * Snapshots whose clients are `known` ones where both are equal. The write state and the read models know nothing of
 * each other, but one copy of each document in memory is enough.
 */
export function sharing(snapshots: SnapshotStore, known: ReadonlyMap<number, Client>): SnapshotStore {
  const shared = ([number, client]: SavedClients['clients'][number]): SavedClients['clients'][number] => {
    const other = known.get(number);
    return [number, other && sameJson(other, client) ? other : client];
  };
  return {
    ...snapshots,
    load(name, version) {
      const snapshot = snapshots.load(name, version);
      if (snapshot === null || name !== clients.name) return snapshot;
      const saved = snapshot.state as SavedClients;
      return { ...snapshot, state: { ...saved, clients: saved.clients.map(shared) } };
    },
  };
}
