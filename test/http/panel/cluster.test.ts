import { describe, expect, it } from 'vitest';
import { clusterHistory } from '../../../src/cluster/history.js';
import { JoinApprovals } from '../../../src/cluster/join-approvals.js';
import { createMemberKeys, masterFingerprint } from '../../../src/cluster/key-handover.js';
import { removalRefusal } from '../../../src/cluster/steering.js';
import type { ClusterMember, ClusterView } from '../../../src/commands/ports/cluster.js';
import { Rejection, reject } from '../../../src/commands/rejection.js';
import type { ClusterAdmin, ClusterServices } from '../../../src/http/panel/relay/cluster-services.js';
import { message } from '../../../src/messages/message.js';
import { inboundDraft, userId } from '../../kit/builders.js';
import { startPanel } from '../kit/panel.js';
import { API, TOKEN_HEADERS as headers } from '../kit/samples.js';

type Panel = Awaited<ReturnType<typeof startPanel>>;

const member = (name: string, more: Partial<ClusterMember> = {}): ClusterMember => ({
  ...{ name, host: `${name}.lan`, role: 'follower', state: 'running', version: '1.2.3', position: 9 },
  ...{ lag: 0, lagMs: 0, since: 1000, panel: `${name}.lan:2053`, subscription: null, ageMs: 0 },
  ...{ unknownAt: null, clockMs: 0, missingFiles: [], ...more },
});
const lacks = { file: 'core 1.2.3', why: message('cluster.fileAbsent') };
const server = { name: 'n1', isLeader: true, isCurrent: true, lag: 0 };
const view: ClusterView = {
  ...{ name: 'one', role: 'leader', leader: 'one', sequence: 5, confirmed: 9, awayAt: null, fault: null, electedAt: 0 },
  ...{ members: [member('one', { role: 'leader' }), member('two')], servers: [server] },
};

/** A panel that is a member of a cluster, whose facts the test gives. */
async function start(given: Partial<ClusterView> = {}, more: Partial<ClusterAdmin & ClusterServices> = {}) {
  const master = Buffer.alloc(32, 7);
  const desk = new JoinApprovals({ name: 'one', log: 'first', release: '1', master: () => master, now: () => 5000 });
  const seen = { ...view, ...given };
  const panel: Panel = await startPanel({
    parts: ({ log }) => {
      const admin: ClusterAdmin = {
        view: () => seen,
        history: async () => clusterHistory(log),
        joins: () => desk,
        async steer(asked, record) {
          const done =
            asked === null
              ? record({ type: 'HandOverLeadership', data: { member: 'one' } })
              : (removalRefusal(seen.members, asked, null) ?? record({ type: 'RemoveMember', data: asked }));
          return done instanceof Rejection ? done : null;
        },
        verify: async () => ({ fault: null, difference: null, messages: 5, position: 9, problems: [] }),
        ...more,
      };
      const cluster: ClusterServices = {
        ...{ isLeader: true, refusal: () => null, position: () => 0, reached: async () => true, admin },
        callLeader: () => Promise.reject(new Error('it leads')),
        recordAtLeader: () => undefined,
        begins: () => () => undefined,
        ...more,
      };
      return { cluster };
    },
  });
  panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
  return { ...requests(panel), panel, desk, master };
}

function requests(panel: Panel) {
  const get = async (path: string) => (await panel.call('GET', `${API}/cluster${path}`, { headers })).json;
  const post = async (path: string, body: object = {}) => {
    const { json } = await panel.call('POST', `${API}/cluster${path}`, { headers, body: JSON.stringify(body) });
    return { ...json, events: panel.appended().map(({ type, data, meta }) => ({ type, data, by: meta.actor.kind })) };
  };
  return { get, post };
}

describe('the routes of a cluster', () => {
  it('say clearly that a panel is alone', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const { get, post } = requests(panel);
    expect((await get('/state'))?.obj).toMatchObject({ enabled: false, leader: '', servers: [], failover: null });
    expect((await get('/members'))?.obj).toStrictEqual([]);
    for (const answer of [await get('/requests'), await get('/verify')])
      expect(answer).toMatchObject({ success: false, code: 'CLUSTER_NONE' });
    for (const [path, body] of [
      ['/stepDown', {}],
      ['/remove', { member: 'two' }],
      ['/approve', { member: 'two', fingerprint: 'x' }],
    ] as const)
      expect(await post(path, body)).toMatchObject({ success: false, code: 'CLUSTER_NONE', events: [] });
  });

  it('show the state, why the leader changed, and what was set aside', async () => {
    const { panel, get } = await start({
      servers: [server, { ...server, name: 'n2', isLeader: false, isCurrent: false }],
    });
    panel.given({ type: 'RecordLeaderElected', data: { member: 'one', former: 'two', reason: 'expired' } });
    for (const [fromPosition, file] of [
      [3, 'set-aside-1.jsonl'],
      [8, 'set-aside-2.jsonl'],
    ] as const)
      panel.given({ type: 'RecordTailSetAside', data: { member: 'two', fromPosition, toPosition: 9, file } });
    const { position } = panel.log.head();
    expect((await get('/state'))?.obj).toStrictEqual({
      ...{ enabled: true, name: 'one', role: 'leader', leader: 'one', position, confirmed: 9, awayAt: 0 },
      ...{ quorum: false, needed: 2, fault: '', problem: '', problemCode: null, rebuilt: null },
      servers: [server, { name: 'n2', isLeader: false, isCurrent: false, lag: 0 }],
      failover: {
        ...{ at: expect.any(Number), member: 'one', former: 'two', reason: 'expired' },
        why: expect.stringContaining('two'),
      },
      setAside: [
        { at: expect.any(Number), member: 'two', fromPosition: 8, toPosition: 9, file: 'set-aside-2.jsonl' },
        { at: expect.any(Number), member: 'two', fromPosition: 3, toPosition: 9, file: 'set-aside-1.jsonl' },
      ],
    });
  });

  it('name a fault of the stream and why nothing can be changed', async () => {
    const refusal = () => reject('CLUSTER_DAMAGED', { what: message('cluster.faultMissing') });
    const { get } = await start({ fault: 'missing', servers: null, awayAt: 7 }, { refusal });
    expect((await get('/state'))?.obj).toMatchObject({
      ...{ fault: 'missing', problemCode: 'CLUSTER_DAMAGED', quorum: false, needed: 0, servers: [], awayAt: 7 },
      problem: expect.stringContaining('the stream of the cluster was deleted'),
    });
    const follower = await start({}, { refusal: () => reject('CLUSTER_FOLLOWER', { leader: 'two' }) });
    expect((await follower.get('/state'))?.obj).toMatchObject({ problem: '', problemCode: null });
  });

  it('list the members with their inbounds, and those that only the log names', async () => {
    const { panel, get } = await start({
      members: [
        member('one', { role: 'leader', unknownAt: 8, clockMs: -2001, missingFiles: [lacks] }),
        member('two', { state: 'away', ageMs: 9000, lag: 4, lagMs: 70 }),
      ],
    });
    panel.given({ type: 'RecordMemberAddress', data: { member: 'two', address: 'two.example.com' } });
    panel.given({ type: 'RecordMemberAddress', data: { member: 'three', address: '' } });
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ spec: { machine: 'two' } }), owner: userId(1) } });
    const [inbound] = panel.read.inbounds.all();
    const all = (await get('/members'))?.obj as { name: string }[];
    expect(all.map(({ name }) => name)).toStrictEqual(['one', 'three', 'two']);
    expect(all[0]).toMatchObject({
      role: 'leader',
      state: 'running',
      isSelf: true,
      panel: 'one.lan:2053',
      inbounds: [],
    });
    expect(all[0]).toMatchObject({
      ...{ unknownAt: 8, clockMs: -2001, clockWrong: true },
      missingFiles: [{ file: 'core 1.2.3', why: expect.stringContaining('leader'), whyCode: 'cluster.fileAbsent' }],
    });
    expect(all[2]).toMatchObject({ unknownAt: 0, clockMs: 0, clockWrong: false, missingFiles: [] });
    expect(all[1]).toMatchObject({ role: '', state: 'unknown', isSelf: false, seenAt: 0 });
    expect(all[2]).toMatchObject({
      ...{ role: 'follower', state: 'away', lag: 4, lagMs: 70, address: 'two.example.com', subscription: '' },
      inbounds: [{ id: inbound?.id, remark: inbound?.remark, tag: inbound?.tag }],
    });
  });

  it('hand over and remove as the admin who asks', async () => {
    const { panel, post } = await start({
      members: [member('one', { role: 'leader' }), member('two'), member('three', { state: 'stopped' })],
    });
    panel.given({ type: 'RecordMemberAddress', data: { member: 'three', address: '' } });
    panel.given({ type: 'AddInbound', data: { ...inboundDraft({ spec: { machine: 'three' } }), owner: userId(1) } });
    expect(await post('/stepDown')).toMatchObject({
      success: true,
      code: 'cluster.steppedDown',
      events: [{ type: 'LeadershipHandedOver', data: { member: 'one' }, by: 'token' }],
    });
    for (const [body, code] of [
      [{ member: 'four' }, 'CLUSTER_MEMBER_UNKNOWN'],
      [{ member: 'one', force: true }, 'CLUSTER_MEMBER_LEADS'],
      [{ member: 'two' }, 'CLUSTER_MEMBER_RUNS'],
      [{ member: 'three' }, 'CLUSTER_MEMBER_HAS_INBOUNDS'],
      [{}, 'INPUT_INVALID'],
    ] as const)
      expect(await post('/remove', body)).toMatchObject({ success: false, code, events: [] });
    expect(await post('/remove', { member: 'three', force: true })).toMatchObject({
      success: true,
      code: 'cluster.removed',
      events: [{ type: 'MemberRemoved', data: { member: 'three' }, by: 'token' }],
    });
  });

  it('let a machine join by the fingerprint on its own screen, which they do not show', async () => {
    const { desk, master, get, post } = await start();
    desk.answer({ member: 'new', publicKey: createMemberKeys().publicKey, release: '1' });
    const [request] = desk.requests();
    const fingerprint = request?.fingerprint ?? '';
    expect((await get('/requests'))?.obj).toStrictEqual([
      { member: 'new', role: 'member', expiresAt: request?.expiresAt },
    ]);
    for (const body of [
      { member: 'new', fingerprint: 'AAAAA-AAAAA-AAAAA-AAAAA' },
      { member: 'other', fingerprint },
    ])
      expect(await post('/approve', body)).toMatchObject({ success: false, code: 'CLUSTER_JOIN_REFUSED', events: [] });
    const dry = await post('/approve?dryRun=true', { member: 'new', fingerprint });
    expect(dry).toMatchObject({
      obj: { dryRun: true, total: 1, events: [{ type: 'MemberApproved', data: { member: 'new', fingerprint } }] },
      events: [],
    });
    expect(desk.requests()).toStrictEqual([request]);
    expect(await post('/approve', { member: 'new', fingerprint: fingerprint.toLowerCase() })).toMatchObject({
      obj: { masterFingerprint: masterFingerprint(master) },
      events: [{ type: 'MemberApproved', data: { member: 'new', fingerprint }, by: 'token' }],
    });
    expect((await get('/requests'))?.obj).toStrictEqual([]);
  });

  it('compare the stream with the log, and say what differs', async () => {
    const sound = await start();
    expect((await sound.get('/verify'))?.obj).toStrictEqual({
      ...{ sound: true, fault: '', difference: null, messages: 5, position: 9, problem: '', problemCode: null },
    });
    const difference = { what: 'changed', position: 4, sequence: 2 } as const;
    const problems = [message('cluster.differenceChanged', { position: 4, sequence: 2 })];
    const other = await start(
      {},
      { verify: async () => ({ fault: null, difference, messages: 5, position: 9, problems }) },
    );
    expect((await other.get('/verify'))?.obj).toMatchObject({
      ...{ sound: false, difference, problemCode: 'cluster.verifyFailed' },
      problem: expect.stringContaining('4'),
    });
  });
});
