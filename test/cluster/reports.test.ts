import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { formerLeader } from '../../src/cluster/election.js';
import type { MemberState } from '../../src/cluster/member-state.js';
import { Members } from '../../src/cluster/members.js';
import { removalRefusal } from '../../src/cluster/steering.js';
import { hasWrongClock, membersOf } from '../../src/commands/ports/cluster.js';
import { message } from '../../src/messages/message.js';
import { temporaryFolder } from '../kit/log.js';
import { withoutNats } from '../kit/real/nats/server.js';
import { until } from '../kit/wait.js';
import { startCluster, storeOf } from './members.js';

const stateOf = (name: string, role: MemberState['role'], position: number): MemberState => ({
  ...{ name, role, position, leader: null, shared: 0, sequence: 0, confirmed: null, awayAt: null },
  ...{ acknowledged: null, fault: null, unknownAt: null },
});

const missing = { file: 'geoip.dat', why: message('cluster.fileAbsent') };

/** `clockMs`: how far its clock is ahead. */
async function startReporting(
  url: string,
  name: string,
  role: MemberState['role'] = 'follower',
  { position = 0, clockMs = 0 } = {},
) {
  const { members: reports, stream } = await storeOf(url, name);
  const now = (): number => Date.now() + clockMs;
  const members = new Members({ name, version: '1.0.0', root: temporaryFolder(), reports, stream, now });
  const taken = vi.fn<(host: string) => void>();
  const begin = (): void =>
    members.begin({
      state: () => stateOf(name, role, position),
      machine: () => ({ panel: '127.0.0.1:1', subscription: null, missingFiles: [missing] }),
      ...{ taken, warn: () => undefined },
    });
  onTestFinished(() => members.leave());
  return { members, reports, begin, taken };
}

const list = async (reports: { all: Members['read'] }) => membersOf(await reports.all());

describe.skipIf(withoutNats('reports of members'))('the reports of members', () => {
  it('say who is there, how far behind, and who has stopped', async () => {
    const { url } = await startCluster();
    const one = await startReporting(url, 'one', 'leader', { position: 7, clockMs: 60_000 });
    const two = await startReporting(url, 'two', 'follower', { position: 5 });
    for (const each of [one, two]) {
      await each.members.claim();
      each.begin();
    }
    const both = await until('two reports', () => (two.members.reported.length === 2 ? list(two.reports) : undefined));
    expect(both).toMatchObject([
      { name: 'one', role: 'leader', state: 'running', position: 7, lag: 0, lagMs: 0, panel: '127.0.0.1:1' },
      { name: 'two', role: 'follower', state: 'running', position: 5, lag: 2 },
    ]);
    expect(both.map(hasWrongClock)).toEqual([false, true]);
    expect(both[1]?.clockMs).toBeLessThan(-50_000);
    expect(both[1]?.missingFiles).toEqual([missing]);
    await until('the servers', () => two.members.servers !== null);
    expect(two.members.servers).toMatchObject([{ isLeader: true, isCurrent: true, lag: 0 }]);
    await one.members.leave();
    expect(await list(one.reports)).toMatchObject([{ name: 'one', state: 'stopped' }, { name: 'two' }]);
  });

  it('refuse a second process with the same name at its start, and end one that began at the same time', async () => {
    const { url } = await startCluster();
    const [one, other, late] = [
      await startReporting(url, 'one'),
      await startReporting(url, 'one'),
      await startReporting(url, 'one'),
    ];
    await one.members.claim();
    await other.members.claim();
    one.begin();
    await until('a report', () => one.members.reported.length === 1);
    other.begin();
    await until('the second one ends', () => other.taken.mock.calls.length > 0);
    expect(one.taken).not.toHaveBeenCalled();
    await expect(late.members.claim()).rejects.toThrow('Give each machine its own name');
  });

  it('let a name be used again after its process has stopped', async () => {
    const { url } = await startCluster();
    const [one, next] = [await startReporting(url, 'one'), await startReporting(url, 'one')];
    await one.members.claim();
    one.begin();
    await until('a report', () => one.members.reported.length === 1);
    await one.members.leave();
    await next.members.claim();
    next.begin();
    await until('a report', () => next.members.reported[0]?.state === 'running');
  });

  it('return after a removal while the member runs', async () => {
    const { url } = await startCluster();
    const one = await startReporting(url, 'one');
    await one.members.claim();
    one.begin();
    const before = await until('a report', () => one.members.reported[0]);
    await one.reports.remove('one');
    await until('a new report', async () => ((await one.reports.get('one'))?.revision ?? 0) > before.revision);
  });
});

describe('the removal of a member', () => {
  const report = {
    instance: 'i',
    home: 'h',
    host: 'x',
    version: '1',
    lagMs: 0,
    since: 0,
    panel: null,
    subscription: null,
  };
  const members = membersOf([
    { ...report, name: 'one', role: 'leader', state: 'running', position: 9, revision: 1, ageMs: 0 },
    { ...report, name: 'two', role: 'follower', state: 'running', position: 8, revision: 2, ageMs: 4000 },
    { ...report, name: 'three', role: 'leader', state: 'running', position: 3, revision: 3, ageMs: 9000 },
  ]);

  it('is refused for the leader, an unknown member, and one that runs', () => {
    expect(members.map(({ state, lag }) => [state, lag])).toEqual([
      ['running', 0],
      ['running', 1],
      ['away', 6],
    ]);
    expect(removalRefusal(members, { member: 'one', force: true }, null)?.code).toBe('CLUSTER_MEMBER_LEADS');
    expect(removalRefusal(members, { member: 'none', force: true }, null)?.code).toBe('CLUSTER_MEMBER_UNKNOWN');
    expect(removalRefusal(members, { member: 'two', force: false }, null)?.code).toBe('CLUSTER_MEMBER_RUNS');
    expect(removalRefusal(members, { member: 'two', force: true }, null)).toBeNull();
    expect(removalRefusal(members, { member: 'three', force: false }, null)).toBeNull();
  });

  it('of a leader has a reason for the next one', () => {
    const before = { lastOf: () => null };
    expect(formerLeader(before, [])).toEqual({ former: null, reason: 'first' });
  });
});
