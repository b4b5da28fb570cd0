import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectNats } from '../../src/adapters/nats/connection.js';
import { examine } from '../../src/cluster/damage/examination.js';
import { verifyCluster } from '../../src/cluster/damage/rebuild.js';
import { StreamRetention } from '../../src/cluster/leader/retention.js';
import type { ReportedMember } from '../../src/commands/ports/cluster.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { logLike, startCluster, startMember, storeOf } from './members.js';

const DAYS = 7;
const DAY_MS = 86_400_000;

const report = (name: string, position: number, more: Partial<ReportedMember> = {}): ReportedMember => ({
  ...{ name, instance: name, home: name, host: name, role: 'follower', state: 'running', version: '1', position },
  ...{ lagMs: 0, since: 0, panel: null, subscription: null, revision: 1, ageMs: 0, ...more },
});

/** A leader and a follower with six confirmed events in six messages, and the stream as the leader sees it after some days. */
async function ledCluster() {
  const { url } = await startCluster('');
  const one = await startMember(url, 'one', logLike());
  await until('one leads', () => one.led() === 1);
  /** It stops after three events. */
  let three: Awaited<ReturnType<typeof startMember>> | undefined;
  for (let n = 1; n <= 6; n += 1) {
    one.add(n);
    expect(await one.member.confirmed(n, 10_000)).toBe(true);
    if (n === 3) three = await startMember(url, 'three', logLike(one.log));
    if (n !== 3) continue;
    await until('three has the first half', () => three?.log.log.head().position === 3);
    await three?.member.stop();
  }
  const two = await startMember(url, 'two', logLike(one.log));
  await until('two has it all', () => two.log.log.head().position === 6);
  const store = await storeOf(url, 'operator');
  const trimmed = async (days: number, reports: readonly ReportedMember[]) => {
    const now = (): number => Date.now() + days * DAY_MS;
    const { stream } = store;
    await new StreamRetention({ stream, days: DAYS, reports: () => reports, now, warn: () => undefined }).trim();
    const { before, last, messages, removed } = await stream.ends();
    return { before, last, messages, removed };
  };
  if (three === undefined) throw new Error('it was not started');
  return { url, one, two, three, store, trimmed };
}

describe.skipIf(withoutNats('the retention of the stream'))('old messages of the stream', () => {
  it('go when their days are over and every running member has them, and no member takes that for damage', async () => {
    const { url, one, two, three, store, trimmed } = await ledCluster();
    const all = [report('one', 6, { role: 'leader' }), report('two', 6)];
    expect(await trimmed(DAYS - 1, all)).toEqual({ before: 0, last: 6, messages: 6, removed: 0 });
    expect(await trimmed(DAYS + 1, [])).toMatchObject({ before: 0 });
    const away = report('three', 1, { ageMs: 60_000 });
    expect(await trimmed(DAYS + 1, [report('one', 6), report('two', 3), away])).toMatchObject({
      before: 3,
      removed: 3,
    });
    expect(await trimmed(DAYS + 1, all)).toEqual({ before: 5, last: 6, messages: 1, removed: 5 });
    one.add(7);
    await until('two has the next one', () => two.log.log.head().position === 7);
    expect([one.member.state.fault, two.member.state.fault, one.restarts, two.restarts]).toEqual([null, null, [], []]);
    expect(await verifyCluster({ url, name: 'one' }, one.log)).toMatchObject({ reason: null, messages: 2, last: 7 });
    expect(await examine(store, two.log.log, 'two')).toMatchObject({ fault: null, found: { relation: 'equal' } });
    // It was away for longer, and needs a snapshot.
    expect(await examine(store, three.log.log, 'three')).toMatchObject({ found: { relation: 'gap', position: 3 } });
  });

  it('may go twice: the stream says first what goes', async () => {
    const { url, store, one } = await ledCluster();
    const connection = await connectNats({ url, name: 'operator' });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    const { config } = await manager.streams.info('PORTOLAN_LOG');
    await manager.streams.update('PORTOLAN_LOG', { metadata: { ...config.metadata, removed: '4' } });
    expect(await verifyCluster({ url, name: 'one' }, one.log)).toMatchObject({ reason: null, messages: 6 });
    await store.stream.trim(2);
    expect(await store.stream.ends()).toMatchObject({ before: 2, removed: 4 });
  });
});
