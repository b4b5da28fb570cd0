import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { createClusterStore, openKeyBucket } from '../../src/adapters/nats/cluster-store.js';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { answerMembers } from '../../src/adapters/nats/requests.js';
import { copyDatabase } from '../../src/adapters/sqlite/replication/log-copy.js';
import { rejoinCluster } from '../../src/cluster/joining.js';
import { answerNewMembers } from '../../src/cluster/new-members.js';
import { TestLog, temporaryFolder } from '../kit/log.js';
import { startNats, withoutNats } from '../kit/real/nats/server.js';
import { addClient } from './members.js';

/** A leader that sends copies of its log after `change`, and a member with its master key and no log. */
async function leaderAndMember(change: (file: string, log: TestLog) => void) {
  const server = await startNats();
  onTestFinished(() => server.remove());
  const url = server.url.replace('://', `://${server.user.user}:${server.user.password}@`);
  const log = new TestLog();
  for (const n of [1, 2, 3]) addClient(log, n);
  const connection = await connectNats({ url, name: 'one' });
  onTestFinished(() => connection.close());
  await openKeyBucket(connection, 1);
  const identity = log.log.at(1)?.id ?? '';
  await createClusterStore(connection, { log: identity, base: log.log.head().position }, 1);
  answerNewMembers(connection, {
    ...{ name: 'one', version: '1', directory: log.directory, log: identity, events: log.log, now: Date.now },
    answer: (kind, answer) => void answerMembers(connection, kind, answer, () => undefined),
    confirmed: async () => true,
    copy: async (file) => {
      const copy = copyDatabase(log.directory.database, file);
      change(file, log);
      return copy;
    },
  });
  const directory = prepareDataDirectory(temporaryFolder());
  copyFileSync(log.directory.masterKey, directory.masterKey);
  return { directory, log, rejoin: () => rejoinCluster({ url, name: 'two', dataDir: directory.root, role: 'member' }) };
}

describe.skipIf(withoutNats('snapshots of a log'))('a snapshot of the log', () => {
  it('has the same events, and not the master key', async () => {
    let copied = Buffer.alloc(0);
    const { directory, log, rejoin } = await leaderAndMember((file) => (copied = readFileSync(file)));
    const master = Buffer.from(readFileSync(log.directory.masterKey, 'utf8').trim(), 'hex');
    expect(await rejoin()).toMatchObject({ position: log.log.head().position, movedTo: null });
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.includes(master)).toBe(false);
    expect(copied.includes(master.toString('hex'))).toBe(false);
    const member = new TestLog(directory.root);
    expect(member.log.head()).toEqual(log.log.head());
    expect(member.log.stored.rows(0, 10)).toEqual(log.log.stored.rows(0, 10));
  });

  it('is refused when one byte of an event has changed, and leaves nothing behind', async () => {
    const { directory, rejoin } = await leaderAndMember((file, log) => {
      const content = readFileSync(file);
      const payload = log.log.stored.rows(1, 1)[0]?.payload ?? Buffer.alloc(0);
      const at = content.indexOf(payload);
      content[at] = (content[at] ?? 0) ^ 1;
      writeFileSync(file, content);
    });
    await expect(rejoin()).rejects.toThrow(/snapshot of the log was refused.*Nothing was changed/s);
    expect(existsSync(directory.database)).toBe(false);
    expect(readdirSync(join(directory.root, 'staged'))).toEqual([]);
  });
});
