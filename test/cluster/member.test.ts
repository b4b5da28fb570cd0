import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../src/adapters/nats/cluster-store.js';
import { LogReplication } from '../../src/adapters/sqlite/replication/log-replication.js';
import { align } from '../../src/cluster/alignment.js';
import { Publisher } from '../../src/cluster/publisher.js';
import { setAsideTail } from '../../src/cluster/set-aside.js';
import { WrongSequence } from '../../src/commands/ports/cluster.js';
import { verifyLog } from '../../src/store/verify.js';
import { readAll, TestLog } from '../kit/log.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { addClient, logLike, startCluster, startMember, storeOf } from './members.js';

const leads = (member: { led: () => number }) => until('the member leads', () => member.led() === 1);
const reaches = (log: TestLog, position: number) =>
  until(`position ${position}`, () => log.log.head().position === position);

describe.skipIf(withoutNats('members of a cluster'))('a member of a cluster', () => {
  it('leads when no one else does, and a follower gets every event, key and hash', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    for (let n = 1; n <= 30; n += 1) one.add(n);
    const two = await startMember(url, 'two', logLike(one.log));
    expect(await one.member.confirmed(30, 10_000)).toBe(true);
    await reaches(two.log, 30);
    expect(two.log.log.head()).toEqual(one.log.log.head());
    expect(readAll(two.log.log)).toEqual(readAll(one.log.log));
    expect(verifyLog(two.log.log)).toMatchObject({ events: 30, fault: null, keys: null });
    expect([one.led(), two.led()]).toEqual([1, 0]);
    expect(two.member.state).toMatchObject({ role: 'follower', leader: 'one', position: 30 });
  });

  it('takes over after the leader has stopped, and continues its positions', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    const two = await startMember(url, 'two', logLike(one.log));
    one.add(1);
    await one.member.stop();
    await leads(two);
    two.add(2);
    expect(await two.member.confirmed(2, 10_000)).toBe(true);
    const { stream } = await storeOf(url, 'observer');
    expect(await align(stream, one.log.log)).toMatchObject({ relation: 'behind', position: 1 });
  });

  it('confirms nothing that the stream does not have, also while it stops; a follower has nothing else', async () => {
    const { url, server } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    expect(await one.member.confirmed(1, 0)).toBe(true);
    await leads(one);
    one.add(1);
    expect(await one.member.confirmed(1, 10_000)).toBe(true);
    await server.pause();
    one.add(2);
    const stopped = one.member.stop();
    expect(one.member.state.role).toBe('follower');
    expect(await one.member.confirmed(2, 10)).toBe(false);
    server.resume();
    await stopped;
  });

  it('reads its log no more after it has stopped', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    let release = (): void => undefined;
    let reports = 0;
    const two = await startMember(url, 'two', logLike(one.log), {
      repair: () => new Promise((resolve) => (release = resolve)),
      moved: () => (reports += 1),
    });
    const held = release;
    one.add(1);
    await until('it checks the buckets', () => release !== held);
    await reaches(two.log, 1);
    await two.member.stop();
    const before = reports;
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reports).toBe(before);
  });

  it('does not append after its lease has run out', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike(), { leaseMs: 0 });
    await leads(one);
    expect(one.member.mayAppend).toBe(false);
  });

  it('renews its lease while its work begins slowly', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike(), { begins: new Promise(() => undefined) });
    await leads(one);
    const { lease } = await storeOf(url, 'observer');
    const began = performance.now();
    await until('a lease that would have expired', () => performance.now() - began > LEASE_MS + 1000);
    expect([one.member.mayAppend, await lease.holder()]).toEqual([true, 'one']);
  });

  it('hands over after a step-down with everything confirmed', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    const two = await startMember(url, 'two', logLike(one.log));
    one.add(1);
    const none = async (): Promise<void> => undefined;
    expect(await one.member.stepDown({ ms: 10_000, finished: none, leave: none })).toBe(true);
    expect([one.member.leads, one.member.mayAppend]).toEqual([false, false]);
    await leads(two);
    expect(two.log.log.head()).toEqual(one.log.log.head());
    two.add(2);
    await reaches(one.log, 2);
    expect([one.restarts, one.led()]).toEqual([[], 1]);
    await two.member.stop();
    await until('a new process that can lead', () => one.restarts.length === 1);
    expect(one.restarts).toEqual(['no other member leads']);
  });

  it('starts again when its log continues differently from the stream', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    const other = logLike(one.log);
    addClient(other, 1);
    one.add(1);
    await one.member.confirmed(1, 10_000);
    const two = await startMember(url, 'two', other);
    await until('a restart', () => two.restarts.length === 1);
    expect(two.restarts[0]).toContain('position 1');
    expect(two.log.log.head().position).toBe(1);
  });
});

describe.skipIf(withoutNats('the publisher of a cluster'))('the publisher', () => {
  const publisherOf = async (url: string, log: TestLog, from = { position: 0, sequence: 0 }) => {
    const lost: string[] = [];
    const { stream, keys } = await storeOf(url, 'publisher');
    const parts = { stream, keys, now: Date.now, warn: () => undefined, lost: (why: string) => void lost.push(why) };
    return { publisher: new Publisher({ ...parts, replica: new LogReplication(log.log) }, from), lost, stream };
  };

  it('finds its own batch when the acknowledgement was lost', async () => {
    const { url } = await startCluster();
    const log = logLike();
    addClient(log, 1);
    const first = await publisherOf(url, log);
    expect(await first.publisher.confirmed(1, 10_000)).toBe(true);
    const again = await publisherOf(url, log);
    expect(await again.publisher.confirmed(1, 10_000)).toBe(true);
    expect(again.lost).toEqual([]);
    expect(await again.stream.ends()).toMatchObject({ last: 1 });
  });

  it('does not take a shorter batch of its former process for its own', async () => {
    const { url } = await startCluster();
    const log = logLike();
    addClient(log, 1);
    const replica = new LogReplication(log.log);
    const { stream } = await storeOf(url, 'former process');
    const first = replica.batchAfter(0);
    if (first === null) throw new Error('the log is empty');
    addClient(log, 2);
    const { publisher, lost } = await publisherOf(url, log);
    await stream.publish(first, 0);
    expect(replica.batchAfter(0)).toMatchObject({ id: first.id, last: 2 });
    expect(await publisher.confirmed(2, 10_000)).toBe(true);
    expect(lost).toEqual([]);
    expect(await stream.labelFrom(2)).toMatchObject({ first: 2, last: 2, sequence: 2 });
  });

  it('is fenced when another member has appended, and confirms nothing', async () => {
    const { url } = await startCluster();
    const [log, other] = [logLike(), logLike()];
    addClient(log, 1);
    addClient(other, 1);
    const first = await publisherOf(url, log);
    await first.publisher.confirmed(1, 10_000);
    const second = await publisherOf(url, other);
    expect(await second.publisher.confirmed(1, 500)).toBe(false);
    await until('a refusal', () => second.lost.length === 1);
    expect(second.lost).toEqual(['fenced']);
    expect(second.publisher.position).toBe(0);
  });

  it('publishes a batch that is larger than a message in parts', async () => {
    const { url } = await startCluster();
    const { stream } = await storeOf(url, 'large');
    const body = Buffer.alloc(3_000_000, 7);
    const label = { first: 1, last: 9, hash: 'ab', id: 'large' };
    const sequence = await stream.publish({ ...label, body }, 0);
    expect(sequence).toBe(3);
    expect(await stream.labelFrom(1)).toMatchObject({ ...label, sequence: 1, complete: false });
    expect(await stream.labelFrom(3)).toMatchObject({ ...label, sequence: 3, complete: true });
    const ending = new AbortController();
    const seen: unknown[] = [];
    await stream.follow(
      0,
      async (batches) => {
        seen.push(...batches.map((batch) => ({ ...batch, body: Buffer.from(batch.body).equals(body) })));
        ending.abort();
      },
      ending.signal,
    );
    expect(seen).toEqual([{ ...label, sequence: 3, body: true }]);
    await expect(stream.publish({ ...label, id: 'other', body }, 1)).rejects.toThrow(WrongSequence);
  });
});

describe.skipIf(withoutNats('a log compared with its cluster'))('a log and the stream', () => {
  it('relate as equal, behind, ahead and diverged', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    const two = logLike(one.log);
    const replica = new LogReplication(two.log);
    const { stream } = await storeOf(url, 'observer');
    expect(await align(stream, one.log.log)).toEqual({ relation: 'equal', position: 0, sequence: 0 });
    for (let n = 1; n <= 5; n += 1) {
      one.add(n);
      await one.member.confirmed(n, 10_000);
    }
    expect(await align(stream, one.log.log)).toEqual({ relation: 'equal', position: 5, sequence: 5 });
    expect(await align(stream, two.log)).toEqual({ relation: 'behind', position: 0, sequence: 0 });
    const batch = new LogReplication(one.log.log).batchAfter(0);
    replica.ingest([replica.decode(batch ?? { body: Buffer.alloc(0), first: 1 })], keysFor(one.log, batch?.keys ?? []));
    expect(await align(stream, two.log)).toEqual({ relation: 'equal', position: 5, sequence: 5 });
    addClient(two, 6);
    expect(await align(stream, two.log)).toEqual({ relation: 'ahead', position: 5, sequence: 5 });
    one.add(7);
    await one.member.confirmed(6, 10_000);
    expect(await align(stream, two.log)).toEqual({ relation: 'diverged', position: 5, sequence: 5 });
  });

  it('lose what was never confirmed: it is moved into a file, and the log stays sound', async () => {
    const { url } = await startCluster();
    const one = await startMember(url, 'one', logLike());
    await leads(one);
    for (let n = 1; n <= 3; n += 1) one.add(n);
    await one.member.confirmed(3, 10_000);
    await one.member.stop();
    const head = one.log.log.head();
    for (let n = 4; n <= 6; n += 1) addClient(one.log, n);
    const { keys } = await storeOf(url, 'observer');
    const { directory } = one.log;
    await one.log.journal.anchor.flush();
    one.log.log.close();
    const moved = await setAsideTail({ directory, position: 3, keys, now: Date.now });
    expect(moved).toMatchObject({ fromPosition: 4, toPosition: 6 });
    const lines = readFileSync(join(directory.backups, moved?.file ?? ''), 'utf8')
      .trim()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).toEqual([4, 5, 6]);
    const again = new TestLog(directory.root);
    expect(again.journal.complaint).toBeNull();
    expect(again.log.head()).toEqual(head);
    expect(verifyLog(again.log)).toMatchObject({ events: 3, fault: null, keys: null });
    expect(await setAsideTail({ directory, position: 3, keys, now: Date.now })).toBeNull();
  });
});

/** The wrapped keys of a log, as the bucket has them. */
function keysFor(log: TestLog, ids: readonly string[]): Map<string, Buffer | null> {
  const replica = new LogReplication(log.log);
  return new Map(ids.map((id) => [id, replica.wrappedKey(id)]));
}
