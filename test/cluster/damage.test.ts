import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repairBuckets } from '../../src/adapters/nats/cluster-store.js';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { storeKeys } from '../../src/cluster/create.js';
import { examine } from '../../src/cluster/damage/examination.js';
import { rebuildCluster, verifyCluster } from '../../src/cluster/damage/rebuild.js';
import type { TestLog } from '../kit/log.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { logLike, startCluster, startMember, storeOf } from './members.js';

const STREAM = 'PORTOLAN_LOG';

async function managerOf(url: string) {
  const connection = await connectNats({ url, name: 'operator' });
  onTestFinished(() => connection.close());
  return { connection, manager: await jetstreamManager(connection) };
}

/** A leader with six confirmed events in six messages, and a follower that has them. */
async function ledCluster() {
  const { url } = await startCluster('');
  const one = await startMember(url, 'one', logLike());
  await until('one leads', () => one.led() === 1);
  for (let n = 1; n <= 6; n += 1) {
    one.add(n);
    expect(await one.member.confirmed(n, 10_000)).toBe(true);
  }
  const two = await startMember(url, 'two', logLike(one.log));
  await until('two has it all', () => two.log.log.head().position === 6);
  return { url, one, two, ...(await managerOf(url)) };
}

const rebuild = (url: string, log: TestLog, confirmed = true, without: readonly string[] = []) =>
  rebuildCluster({ url, name: 'one', replicas: 1, now: () => 1000, confirmed, without }, log);

describe.skipIf(withoutNats('a damaged stream'))('a stream', () => {
  it.each([
    ['deleted', 'missing', (manager: Awaited<ReturnType<typeof jetstreamManager>>) => manager.streams.delete(STREAM)],
    ['purged', 'purged', (manager: Awaited<ReturnType<typeof jetstreamManager>>) => manager.streams.purge(STREAM)],
    [
      'purged up to a message',
      'purged',
      (manager: Awaited<ReturnType<typeof jetstreamManager>>) => manager.streams.purge(STREAM, { seq: 4 }),
    ],
  ] as const)('that was %s is noticed by leader and follower, and rebuilt', async (_, fault, damage) => {
    const { url, one, two, manager } = await ledCluster();
    expect(await verifyCluster({ url, name: 'one' }, one.log)).toMatchObject({ reason: null, messages: 6 });
    await expect(rebuild(url, one.log)).rejects.toThrow('nothing to rebuild');
    await damage(manager);
    await until('both notice', () => one.member.state.fault === fault && two.member.state.fault === fault);
    expect([one.member.mayAppend, one.restarts, two.restarts]).toEqual([false, [], []]);
    expect(await verifyCluster({ url, name: 'one' }, one.log)).toMatchObject({ reason: fault });
    expect(await rebuild(url, one.log, false)).toEqual({ reason: fault, fromPosition: 1, toPosition: 6 });
    expect(one.member.state.fault).toBe(fault);
    expect(await rebuild(url, one.log)).toEqual({ reason: fault, fromPosition: 1, toPosition: 6 });
    await until('both start again', () => one.restarts.length === 1 && two.restarts.length === 1);
    expect(await verifyCluster({ url, name: 'two' }, two.log)).toMatchObject({ reason: null, last: 6 });
    const store = await storeOf(url, 'two');
    expect(await examine(store, two.log.log, 'two')).toMatchObject({ fault: null, found: { relation: 'equal' } });
  });

  it('that was purged is not filled again by the next leader', async () => {
    const { one, two, manager } = await ledCluster();
    await one.member.stop();
    await manager.streams.purge(STREAM);
    await until('two notices', () => two.member.state.fault === 'purged');
    expect(two.led()).toBe(0);
    expect((await manager.streams.info(STREAM)).state.messages).toBe(0);
  });

  it('that ends earlier than what a member knows is not continued', async () => {
    const { url, two } = await ledCluster();
    const store = await storeOf(url, 'three');
    two.add(7);
    const examined = () => examine(store, two.log.log, 'two');
    // It may be what a former leader could not publish.
    expect(await examined()).toMatchObject({ fault: null, found: { relation: 'ahead', position: 6 } });
    await store.members.put(
      {
        ...{ name: 'four', instance: 'a', home: 'b', host: 'c', role: 'follower', state: 'running', version: '1' },
        ...{ position: 7, lagMs: 0, since: 0, panel: null, subscription: null },
        acknowledged: two.log.log.head(),
      },
      0,
    );
    expect(await examined()).toEqual({ fault: 'shortened' });
  });
});

describe.skipIf(withoutNats('a rebuild of the stream'))('a rebuild', () => {
  it('is refused on a machine that lacks acknowledged events, or has others', async () => {
    const { url, one, two, manager } = await ledCluster();
    const { members } = await storeOf(url, 'three');
    const report = {
      ...{ name: 'two', instance: 'a', home: 'b', host: 'c', version: '1', lagMs: 0, since: 0 },
      ...({ role: 'follower', state: 'running', position: 6, panel: null, subscription: null } as const),
    };
    await manager.streams.delete(STREAM);
    const revision = await members.put({ ...report, acknowledged: { position: 7, hash: 'ab' } }, 0);
    await expect(rebuild(url, one.log)).rejects.toThrow('Member two has acknowledged events up to 7');
    await members.put({ ...report, acknowledged: { position: 6, hash: 'ab' } }, revision);
    await expect(rebuild(url, one.log)).rejects.toThrow('another event 6');
    expect(await rebuild(url, two.log, true, ['two'])).toMatchObject({ toPosition: 6 });
    expect(await verifyCluster({ url, name: 'one' }, two.log)).toMatchObject({ reason: null });
  });

  it('has batches within which the log of a member may end, which then follows', async () => {
    const { url, one, two, manager } = await ledCluster();
    await two.member.stop();
    for (const n of [7, 8]) one.add(n);
    expect(await one.member.confirmed(8, 10_000)).toBe(true);
    await manager.streams.delete(STREAM);
    expect(await rebuild(url, one.log)).toMatchObject({ fromPosition: 1, toPosition: 8 });
    const store = await storeOf(url, 'three');
    expect((await store.stream.ends()).last).toBe(1);
    const found = { relation: 'behind', position: 6, sequence: 0 };
    expect(await examine(store, two.log.log, 'two')).toMatchObject({ fault: null, found });
    await startMember(url, 'two', two.log);
    await until('two has the rest', () => two.log.log.head().hash === one.log.log.head().hash);
  });
});

describe.skipIf(withoutNats('buckets that were deleted'))('buckets that were deleted', () => {
  it('are made anew, and no key counts as destroyed until the leader has stored all of them again', async () => {
    const { url, one, connection } = await ledCluster();
    const { keys } = await storeOf(url, 'three');
    const [id = ''] = one.log.log.stored.keyIds();
    expect(await keys.get(id, 'unknown', null)).toBeNull();
    const kvm = new Kvm(connection);
    for (const name of ['PORTOLAN_KEYS', 'PORTOLAN_LEASE', 'PORTOLAN_MEMBERS']) await (await kvm.open(name)).destroy();
    expect(await repairBuckets(connection)).toHaveLength(3);
    expect(await repairBuckets(connection)).toEqual([]);
    await expect(keys.get(id, 'unknown', null)).rejects.toThrow('not complete');
    await storeKeys(keys, one.log.log);
    expect(await keys.get(id, 'unknown', null)).toBeNull();
    expect(await keys.ids()).toContain(id);
    await until('the lease is taken again', () => one.member.mayAppend);
    one.add(7);
    expect(await one.member.confirmed(7, 10_000)).toBe(true);
  });
});
