import { join } from 'node:path';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { connectNats } from '../adapters/nats/connection.js';
import { SnapshotStore } from '../adapters/nats/snapshot-store.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { masterKey } from '../adapters/sqlite/keyring.js';
import type { CopyTarget } from '../adapters/sqlite/mirror/mirror-copy.js';
import { mirrorKey } from '../adapters/sqlite/mirror/mirror-keys.js';
import type { LogCopy } from '../adapters/sqlite/replication/log-copy.js';
import type { JoinRequests } from '../commands/cluster.js';
import { JoinApprovals } from './join-approvals.js';
import type { LeaderCalls } from './leader-calls.js';
import { approvalOf } from './mirror/approval.js';
import { MirrorKeyRequests } from './mirror/mirror-key-requests.js';
import { type Recipient, SnapshotRequests } from './snapshot-requests.js';

/** Copies the database of the log into a file, in another process. `mirror`: only what that mirror may have; null = everything. */
export type CopyLog = (file: string, mirror: CopyTarget | null) => Promise<LogCopy>;

interface Parts {
  readonly name: string;
  readonly version: string;
  readonly directory: DataDirectory;
  /** The id of the first event of the log. */
  readonly log: string;
  readonly events: SqliteEventLog;
  readonly now: () => number;
  readonly copy: CopyLog;
  readonly confirmed: () => Promise<boolean>;
  readonly answer: LeaderCalls['answer'];
}

/** Answers machines that want to join, and members that need a snapshot, as the leader. */
export function answerNewMembers(
  connection: Awaited<ReturnType<typeof connectNats>>,
  { directory, answer, version: release, events, ...parts }: Parts,
): JoinRequests {
  const master = (): Buffer => masterKey(directory.masterKey, { mayCreate: false });
  const joins = new JoinApprovals({ ...parts, release, master });
  const snapshots = new SnapshotRequests({
    recipient: (member) => recipientOf(events, member, directory.masterKey, master()),
    ...{ ...parts, file: join(directory.run, 'snapshot-for-member.db') },
    store: () => SnapshotStore.open(connection),
  });
  const mirrors = new MirrorKeyRequests({ log: events, master });
  answer('join', (question) => joins.answer(question));
  answer('snapshot', (question) => snapshots.answer(question));
  answer('mirror-keys', (question) => mirrors.answer(question));
  return joins;
}

/** A mirror proves its own key, and every other member the master key. */
function recipientOf(
  log: Pick<SqliteEventLog, 'lastOf'>,
  member: string,
  keyFile: string,
  master: Buffer,
): Recipient | null {
  const approval = approvalOf(log, member);
  if (approval === null) return { key: master, mirror: null };
  const { fingerprint, isRemoved } = approval;
  return isRemoved ? null : { key: mirrorKey(master, fingerprint), mirror: { masterKey: keyFile, fingerprint } };
}
