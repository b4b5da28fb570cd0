import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { type DataDirectory, dataDirectory, prepareDataDirectory } from '../adapters/data-directory/data-directory.js';
import { flush, replaceFile, sha256Of } from '../adapters/data-directory/files.js';
import { openMirrorStore, storedIdentity } from '../adapters/nats/cluster-store.js';
import { closeNats, connectNats, type NatsOptions } from '../adapters/nats/connection.js';
import { askLeader, type LeaderRequest } from '../adapters/nats/requests.js';
import { SnapshotStore } from '../adapters/nats/snapshot-store.js';
import { masterKey } from '../adapters/sqlite/keyring.js';
import { lockDirectory } from '../adapters/sqlite/lock.js';
import { ClusterAway, membersOf } from '../commands/ports/cluster.js';
import { MessageError, textOf } from '../messages/error.js';
import { message } from '../messages/message.js';
import { completeSwitch, confirmSwitch, stage, switchTo } from '../store/generations.js';
import { openJournal } from '../store/journal.js';
import { verifyLog } from '../store/verify.js';
import { align } from './alignment.js';
import { JOIN_MS, JoinAnswer } from './join-approvals.js';
import {
  createMemberKeys,
  fingerprintOf,
  isProof,
  type JoinRole,
  masterFingerprint,
  openMaster,
  proofOf,
} from './key-handover.js';
import { withoutLogin } from './shown-url.js';
import { provenValues, type ReadySnapshot, SnapshotAnswer } from './snapshot-requests.js';

const ASK_MS = 1000;
/** How long a leader may be away while a machine waits, in ms: longer than an election. */
const LEADER_MS = 30_000;
/** What an empty directory may contain: a file system that is mounted there has the first one. */
const IGNORED: ReadonlySet<string> = new Set(['lost+found', 'run', 'staged']);

type Connection = Awaited<ReturnType<typeof connectNats>>;

interface Options extends NatsOptions {
  readonly dataDir: string;
  /** What this machine joins as, or is. */
  readonly role: JoinRole;
  /** The version of this program. */
  readonly release: string;
  /** Shows the fingerprint to the operator, who compares it on the leader. */
  readonly waiting: (fingerprint: string) => void;
}

/** What a member has after it was brought up. */
export interface BroughtUp {
  readonly position: number;
  /** The fingerprint of the master key, which the approval has shown too. */
  readonly masterFingerprint: string;
  /** The folder with the database before; null = there was none. */
  readonly movedTo: string | null;
}

/** Makes an empty data directory a member. Throws `MessageError`; then the directory is still empty. */
export async function joinCluster(options: Options): Promise<BroughtUp> {
  const { dataDir, name } = options;
  const directory = emptyDirectory(dataDir);
  const lock = lockDirectory(directory.lock);
  try {
    return await connected(options, async (connection, log) => {
      const { members } = await openMirrorStore(connection);
      const others = membersOf(await members.all());
      if (others.some((other) => other.name === name && other.state === 'running'))
        throw new MessageError(message('cluster.joinNameUsed', { member: name }));
      const master = await handedOver(connection, log, options);
      return bringUp(connection, { directory, name, master, log, role: options.role });
    });
  } finally {
    lock.release();
  }
}

/** Brings a member up again that has its master key: its database is moved into `backups`. Throws `MessageError`. */
export async function rejoinCluster(options: Omit<Options, 'waiting' | 'release'>): Promise<BroughtUp> {
  const { dataDir, name, role } = options;
  if (!existsSync(dataDirectory(dataDir).masterKey)) throw new MessageError(message('start.clusterNotJoined'));
  const directory = prepareDataDirectory(dataDir);
  const lock = lockDirectory(directory.lock);
  try {
    completeSwitch(directory);
    const master = masterKey(directory.masterKey, { mayCreate: false });
    return await connected(options, (connection, log) => bringUp(connection, { directory, name, master, log, role }));
  } finally {
    lock.release();
  }
}

function emptyDirectory(root: string): DataDirectory {
  const found = existsSync(root) ? readdirSync(root).filter((name) => !IGNORED.has(name)) : [];
  const used = found.find((name) => {
    const path = join(root, name);
    return !['keys', 'certs', 'core', 'geo', 'backups', 'logs'].includes(name) || readdirSync(path).length > 0;
  });
  if (used !== undefined) throw new MessageError(message('cluster.joinNotEmpty', { folder: root, file: used }));
  return prepareDataDirectory(root);
}

async function connected<T>(options: NatsOptions, work: (connection: Connection, log: string) => Promise<T>) {
  const connection = await connectNats(options);
  try {
    const identity = await storedIdentity(connection);
    if (identity === null)
      throw new MessageError(message('start.clusterNotInitialized', { url: withoutLogin(options.url) }));
    return await work(connection, identity.log);
  } finally {
    await closeNats(connection);
  }
}

/** Asks the leader; during an election again. Throws `MessageError` when none answers for `LEADER_MS`. */
async function ask<T>(connection: Connection, kind: LeaderRequest, question: unknown, answer: z.ZodType<T>) {
  for (const since = performance.now(); ; ) {
    try {
      return answer.parse(await askLeader(connection, kind, question));
    } catch (error) {
      if (!(error instanceof ClusterAway)) throw error;
      if (performance.now() - since > LEADER_MS) throw new MessageError(message('cluster.leaderAway'));
      await sleep(ASK_MS);
    }
  }
}

/** Asks for the master key until an owner has approved it. */
async function handedOver(connection: Connection, log: string, options: Options): Promise<Buffer> {
  const { name, release, role, waiting } = options;
  const keys = createMemberKeys();
  const { publicKey } = keys;
  const until = performance.now() + JOIN_MS;
  let isShown = false;
  while (performance.now() < until) {
    const answer = await ask(connection, 'join', { member: name, publicKey, release, role }, JoinAnswer);
    switch (answer.state) {
      case 'approved':
        try {
          return openMaster(keys, answer, { member: name, leader: answer.leader, log });
        } catch (cause) {
          throw new MessageError(message('cluster.joinKeyInvalid'), { cause });
        }
      case 'version':
        throw new MessageError(message('cluster.joinVersion', { own: release, leader: answer.release }));
      case 'full':
        throw new MessageError(message('cluster.joinFull'));
      case 'waiting':
        if (!isShown) waiting(fingerprintOf(publicKey, { member: name, log, role }));
        isShown = true;
        await sleep(ASK_MS);
    }
  }
  throw new MessageError(message('cluster.joinExpired', { span: JOIN_MS }));
}

interface Member {
  readonly directory: DataDirectory;
  readonly name: string;
  /** The master key, or the key of this mirror. */
  readonly master: Buffer;
  /** The id of the first event of the log. */
  readonly log: string;
  readonly role: JoinRole;
}

/** Fetches and verifies a snapshot beside the current state, and then replaces it; see `switchTo`. */
async function bringUp(connection: Connection, member: Member): Promise<BroughtUp> {
  const { directory, master } = member;
  const staged = stage(directory);
  try {
    replaceFile(staged.directory.masterKey, `${master.toString('hex')}\n`);
    const { position } = await fetchSnapshot(connection, staged.directory, member);
    const before = existsSync(directory.database);
    switchTo(directory, staged, message('cluster.rejoinReason'));
    completeSwitch(directory);
    const movedTo = before ? newestReplaced(directory) : null;
    confirmSwitch(directory);
    // What is derived from the events before is made again.
    for (const name of ['snapshots', 'checkpoints.db', 'ledger.db'])
      rmSync(join(directory.run, name), { recursive: true, force: true });
    return { position, masterFingerprint: masterFingerprint(master), movedTo };
  } finally {
    staged.discard();
  }
}

const newestReplaced = ({ backups }: DataDirectory): string | null =>
  readdirSync(backups)
    .filter((name) => name.startsWith('replaced-'))
    .sort()
    .map((name) => join(backups, name))
    .at(-1) ?? null;

async function fetchSnapshot(
  connection: Connection,
  staged: DataDirectory,
  { name, master, log, role }: Member,
): Promise<ReadySnapshot> {
  const id = randomBytes(16).toString('hex');
  const question = { member: name, id, proof: proofOf(master, ['request', name, id]) };
  for (;;) {
    const answer = await ask(connection, 'snapshot', question, SnapshotAnswer);
    if (answer.state === 'refused') throw new MessageError(message('cluster.otherMasterKey'));
    if (answer.state === 'failed') throw new MessageError(message('cluster.snapshotFailed', { why: answer.why }));
    if (answer.state === 'ready') {
      const snapshots = await SnapshotStore.existing(connection);
      try {
        await snapshots.get(id, answer.parts, staged.database);
        if (!isProof(answer.proof, master, provenValues(id, answer))) throw new Error('it is not from the leader');
        if ((await sha256Of(staged.database)) !== answer.sha256) throw new Error('its checksum differs');
        await verifySnapshot(connection, staged, { ...answer, log, role });
      } catch (error) {
        throw new MessageError(message('cluster.snapshotInvalid', { why: textOf(error) }), { cause: error });
      } finally {
        // A mirror may not write to the store, where a snapshot expires after an hour.
        if (role === 'member') await snapshots.remove(id, answer.parts).catch(() => undefined);
      }
      return answer;
    }
    await sleep(ASK_MS);
  }
}

/** Throws unless the database is a sound log of this cluster up to the position, which the stream continues. */
async function verifySnapshot(
  connection: Connection,
  staged: DataDirectory,
  expected: Pick<ReadySnapshot, 'position' | 'hash'> & Pick<Member, 'log' | 'role'>,
): Promise<void> {
  const mirror = expected.role === 'subscriptions';
  const journal = openJournal(staged, { readonly: true, mirror });
  try {
    const { fault, keys } = verifyLog(journal.log);
    if (fault) throw new MessageError(message('cli.chainBroken', fault));
    // A mirror lacks the keys that links do not need.
    if (keys && !mirror) throw new MessageError(keys);
    const head = journal.log.head();
    if (head.position !== expected.position || head.hash !== expected.hash || journal.log.at(1)?.id !== expected.log)
      throw new Error('it has another log');
    const { stream } = await openMirrorStore(connection);
    const { relation, position } = await align(stream, journal.log);
    if (relation !== 'equal' && relation !== 'behind')
      throw new Error(`the stream does not continue it after position ${position}`);
    journal.anchor.begin();
    flush(dirname(staged.database));
  } finally {
    journal.log.close();
  }
}
