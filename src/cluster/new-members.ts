import { join } from 'node:path';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { connectNats } from '../adapters/nats/connection.js';
import { answerMembers } from '../adapters/nats/requests.js';
import { SnapshotStore } from '../adapters/nats/snapshot-store.js';
import { masterKey } from '../adapters/sqlite/keyring.js';
import type { LogCopy } from '../adapters/sqlite/replication/log-copy.js';
import type { JoinRequests } from '../commands/cluster.js';
import { JoinDesk } from './join-desk.js';
import { SnapshotDesk } from './snapshot-desk.js';

interface Parts {
  readonly name: string;
  readonly version: string;
  readonly directory: DataDirectory;
  /** The id of the first event of the log. */
  readonly log: string;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  readonly copy: (file: string) => Promise<LogCopy>;
  readonly confirmed: () => Promise<boolean>;
}

/** Answers machines that want to join, and members that need a snapshot, as the leader. */
export function answerNewMembers(
  connection: Awaited<ReturnType<typeof connectNats>>,
  { directory, warn, version: release, ...parts }: Parts,
): JoinRequests {
  const master = (): Buffer => masterKey(directory.masterKey, { mayCreate: false });
  const joins = new JoinDesk({ ...parts, release, master });
  const snapshots = new SnapshotDesk({
    ...{ ...parts, master, file: join(directory.run, 'snapshot-for-member.db') },
    store: () => SnapshotStore.open(connection),
  });
  const failed = (error: unknown): void => warn('a machine sent an invalid request', { error: String(error) });
  answerMembers(connection, 'join', (question) => joins.answer(question), failed);
  answerMembers(connection, 'snapshot', (question) => snapshots.answer(question), failed);
  return joins;
}
