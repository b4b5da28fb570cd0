import { type DataDirectory } from '../adapters/data-directory/data-directory.js';
import { snapshotFiles } from '../adapters/data-directory/snapshot-files.js';
import { openDatabase } from '../adapters/sqlite/database.js';
import { derivedKey, Keyring, masterKey } from '../adapters/sqlite/keyring.js';
import { SqliteLogTail } from '../adapters/sqlite/log-tail.js';
import type { LogTail } from '../events/log/log-tail.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';

/** Opens the log of a running panel to follow it, with the snapshots to start from. Throws as `openJournal` does. */
export function openTail({ database, masterKey: keyFile, snapshots }: DataDirectory): {
  readonly tail: LogTail;
  readonly snapshots: Pick<SnapshotStore, 'load'>;
} {
  const db = openDatabase(database, { readonly: true });
  try {
    const master = masterKey(keyFile, { mayCreate: false });
    const tail = new SqliteLogTail(db, new Keyring(db, master, Date.now));
    return { tail, snapshots: snapshotFiles(snapshots, derivedKey(master, 'snapshots'), tail.log) };
  } catch (error) {
    db.close();
    throw error;
  }
}
