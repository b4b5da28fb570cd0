import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import { replaceFile } from '../adapters/data-directory/files.js';
import { askLeader } from '../adapters/nats/requests.js';
import { openDatabase } from '../adapters/sqlite/database.js';
import { Keyring, masterKey } from '../adapters/sqlite/keyring.js';
import { exportTail, removeTail, tailAfter } from '../adapters/sqlite/replication/rewind.js';
import { type KeyBucket, keyGroups } from '../commands/ports/cluster/keys.js';
import { ClusterAway } from '../commands/ports/cluster.js';
import { MessageError } from '../messages/error.js';
import { message } from '../messages/message.js';

/** Pause between two reports, in ms. */
const REPORT_MS = 1000;

/** What a member has set aside, as it reports it to the leader. */
export const SetAsideReport = z.strictObject({
  member: z.string(),
  fromPosition: z.int(),
  toPosition: z.int(),
  file: z.string(),
});
export type SetAsideReport = z.output<typeof SetAsideReport>;

/** Events that were moved from a log into a file. */
export interface SetAside {
  readonly fromPosition: number;
  readonly toPosition: number;
  /** The name of the file in the folder `backups`. */
  readonly file: string;
}

interface Parts {
  readonly directory: DataDirectory;
  /** The last position that the log and the stream have in common. */
  readonly position: number;
  readonly keys: KeyBucket;
  readonly now: () => number;
}

/**
 * Moves the events after a position into a file: they never reached the stream. The caller holds the lock of the directory and
 * has the log closed. Throws `MessageError` when the panel has run alone after the position. A crash in between leaves at most a complete file and the log as it was. Null: there was no such event.
 */
export async function setAsideTail({ directory, position, keys, now }: Parts): Promise<SetAside | null> {
  const db = openDatabase(directory.database);
  try {
    const tail = tailAfter(db, position);
    if (tail === null) return null;
    if (tail.leftAt !== null) throw new MessageError(message('start.clusterLeft', { position: tail.leftAt }));
    if (tail.prunes) throw new MessageError(message('start.clusterGap', { position }));
    const keyring = new Keyring(db, masterKey(directory.masterKey, { mayCreate: false }), now);
    // They stay in the log, and this member uses them again when it leads.
    const used = [...tail.keys].flatMap((id) => {
      const wrapped = keyring.wrapped(id);
      return wrapped ? [[id, wrapped] as const] : [];
    });
    for (const [name, group] of keyGroups(used)) await keys.putGroup(name, group);
    const destroyed = new Map<string, readonly Uint8Array[]>();
    for (const id of tail.destroyed) destroyed.set(id, await keys.all(id));
    const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-');
    const file = `set-aside-${time}-${tail.first}-${tail.last}.jsonl`;
    exportTail(db, position, join(directory.backups, file));
    // What is derived from the removed events is made again.
    for (const name of ['snapshots', 'checkpoints.db', 'ledger.db'])
      rmSync(join(directory.run, name), { recursive: true, force: true });
    const generation = db.prepare("SELECT value FROM meta WHERE key = 'generation'").pluck().get() as string;
    const hash = db.prepare('SELECT hash FROM events WHERE position = ?').pluck().get(position) as Buffer | undefined;
    // Written first: an anchor that is behind the log is sound, one that is ahead is not.
    const anchored = { generation, position, hash: (hash ?? Buffer.alloc(32)).toString('hex') };
    replaceFile(directory.anchor, `${JSON.stringify(anchored)}\n`);
    removeTail(db, position, keyring, destroyed);
    return { fromPosition: tail.first, toPosition: tail.last, file };
  } finally {
    db.close();
  }
}

/** Reports to the leader what was set aside, until the leader has recorded it. `connection` returns null once this member has ended. */
export async function reportSetAside(
  report: SetAsideReport,
  connection: () => Parameters<typeof askLeader>[0] | null,
): Promise<void> {
  for (let open = connection(); open !== null; open = connection()) {
    try {
      await askLeader(open, 'set-aside', report);
      return;
    } catch (error) {
      if (!(error instanceof ClusterAway)) throw error;
      await sleep(REPORT_MS);
    }
  }
}
