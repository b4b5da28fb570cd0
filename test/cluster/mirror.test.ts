import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DataDirectory, prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../../src/adapters/sqlite/event-log.js';
import { masterKey } from '../../src/adapters/sqlite/keyring.js';
import { copyForMirror } from '../../src/adapters/sqlite/mirror/mirror-copy.js';
import { mirrorKey } from '../../src/adapters/sqlite/mirror/mirror-keys.js';
import { LogReplication } from '../../src/adapters/sqlite/replication/log-replication.js';
import { JoinApprovals } from '../../src/cluster/join-approvals.js';
import { createMemberKeys, fingerprintOf, openMaster } from '../../src/cluster/key-handover.js';
import { MirrorKeyRequests } from '../../src/cluster/mirror/mirror-key-requests.js';
import { MirrorLog, MirrorRemoved } from '../../src/cluster/mirror/mirror-log.js';
import type { Approval } from '../../src/commands/cluster.js';
import { ClusterAway } from '../../src/commands/ports/cluster.js';
import { ClientCredentialRotated, type ClientIdentity } from '../../src/events/client/client.js';
import { ClientIpsSeen } from '../../src/events/client/client-ips.js';
import { MemberApproved, MemberRemoved } from '../../src/events/cluster.js';
import { DataKeyDestroyed } from '../../src/events/panel.js';
import { SettingsChanged } from '../../src/events/settings/settings.js';
import { createSubscriptionServer } from '../../src/http/subscription/subscription-server.js';
import { FollowedModels } from '../../src/projections/subscription/followed-models.js';
import { reducedForLinks } from '../../src/projections/subscription/link-config.js';
import { AppendedTail } from '../../src/store/appended-tail.js';
import { openJournal } from '../../src/store/journal.js';
import { verifyLog } from '../../src/store/verify.js';
import { clientAdded, clientNumber, credential, draft, inboundAdded, inboundId, T0, traffic } from '../kit/builders.js';
import { readAll, TestLog, temporaryFolder } from '../kit/log.js';

const NAME = 'mirror';
const FINGERPRINT = 'AAAAA-BBBBB-CCCCC-DDDDD';
const secret = { realitySettings: { privateKey: 'PRIVATE', settings: { publicKey: 'public' } }, network: 'tcp' };
const secretInbound = (id: number) =>
  inboundAdded({
    id: inboundId(id),
    spec: { tag: `in-${id}`, port: 1000 + id },
    config: { settings: { decryption: 'PRIVATE' }, stream: secret },
  });

/** A leader with an inbound and a client, and a mirror with a copy of its log. */
function leaderAndMirror() {
  const leader = new TestLog();
  leader.append(MemberApproved({ member: NAME, fingerprint: FINGERPRINT, role: 'subscriptions' }));
  leader.append(secretInbound(1), clientAdded(draft('alice', 1), clientNumber(1)));
  leader.append(ClientIpsSeen({ client: clientNumber(1), ips: [{ ip: '198.51.100.9', seenAt: 1 }] }));
  const directory = prepareDataDirectory(temporaryFolder());
  const target = { masterKey: leader.directory.masterKey, fingerprint: FINGERPRINT };
  copyForMirror(leader.directory.database, directory.database, target, reducedForLinks);
  const master = masterKey(leader.directory.masterKey, { mayCreate: false });
  const key = mirrorKey(master, FINGERPRINT);
  writeFileSync(directory.masterKey, `${key.toString('hex')}\n`, { mode: 0o600 });
  const { log } = openJournal(directory, { mirror: true });
  onTestFinished(() => log.close());
  const desk = new MirrorKeyRequests({ log: leader.log, master: () => master });
  return { leader, directory, log, key, master, desk };
}

/** Appends what the leader has and the mirror does not. */
async function follow(leader: TestLog, mirror: MirrorLog): Promise<void> {
  const replication = new LogReplication(leader.log);
  for (;;) {
    const batch = replication.batchAfter(mirror.head().position);
    if (batch === null) return;
    const decoded = mirror.decode(batch);
    mirror.ingest([decoded], await mirror.keysOf([decoded]));
  }
}

const mirrorOf = ({ log, key, desk }: ReturnType<typeof leaderAndMirror>) =>
  new MirrorLog({ name: NAME, log, key, ask: async (question) => desk.answer(question) });

/** The port of a subscription server over these models. */
async function serve(read: FollowedModels, catchUp?: () => void): Promise<number> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const now = (): number => T0;
  const server = createSubscriptionServer({ read, now, log, subDomain: () => '', ...(catchUp ? { catchUp } : {}) });
  onTestFinished(() => server.close());
  return (await server.listen(0, '127.0.0.1')).port;
}

const contentOf = (log: SqliteEventLog): string => JSON.stringify(readAll(log));
const filesOf = ({ database }: DataDirectory): string =>
  ['', '-wal'].map((end) => readFileSync(`${database}${end}`).toString('latin1')).join('');

describe('a subscription mirror', () => {
  it('has the whole chain, and can decrypt only what links need', () => {
    const { leader, log } = leaderAndMirror();
    expect(log.head()).toEqual(leader.log.head());
    expect(log.stored.rows(0, 10)).toEqual(leader.log.stored.rows(0, 10));
    expect(verifyLog(log).fault).toBeNull();
    expect(contentOf(leader.log)).toMatch(/PRIVATE.*alice.*198\.51\.100\.9/s);
    const text = contentOf(log);
    for (const unknown of ['PRIVATE', '198.51.100.9', '203.0.113.7', '"root"']) expect(text).not.toContain(unknown);
    for (const known of ['alice', draft('alice', 1).credential.id, '"public"']) expect(text).toContain(known);
  });

  it('follows, and has the same clients and the part of inbounds that links need', async () => {
    const parts = leaderAndMirror();
    const { leader, log } = parts;
    const models = new FollowedModels(new AppendedTail(log));
    const many = Array.from({ length: 450 }, (_, i) => clientAdded(draft(`c${i}`, i + 10), clientNumber(i + 2)));
    leader.append(secretInbound(2), ...many);
    await follow(leader, mirrorOf(parts));
    models.catchUp();
    expect(log.head()).toEqual(leader.log.head());
    expect(models.position).toBe(leader.log.head().position);
    expect(models.clients.count).toBe(451);
    expect(models.clients.bySubId(draft('c449', 459).identity.subId)).toHaveLength(1);
    expect(models.inbounds.get(inboundId(2))?.config.stream?.['realitySettings']).toEqual({
      settings: { publicKey: 'public' },
    });
    expect(contentOf(log)).not.toContain('PRIVATE');
  });

  it('answers like the leader, with the counters of the last event and with all addresses', async () => {
    const parts = leaderAndMirror();
    const { leader, log } = parts;
    const mirrored = new FollowedModels(new AppendedTail(log));
    const { subId } = draft('alice', 1).identity;
    leader.append(SettingsChanged({ changes: { subURI: 'https://a.test/s/, https://b.test/s/' } }));
    leader.append(traffic({ clients: [[1, 700, 300]] }));
    await follow(leader, mirrorOf(parts));
    const servers = [
      await serve(new FollowedModels(new AppendedTail(leader.log))),
      await serve(mirrored, () => mirrored.catchUp()),
    ];
    const asked = servers.map(async (port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/sub/${subId}`);
      const page = await fetch(`http://127.0.0.1:${port}/sub/${subId}`, { headers: { accept: 'text/html' } });
      const { date: _, ...headers } = Object.fromEntries(answer.headers);
      const shown = (await page.text()).replaceAll(String(port), 'PORT');
      return { headers, body: await answer.text(), page: shown };
    });
    const [expected, found] = await Promise.all(asked);
    expect(found).toEqual(expected);
    expect(found?.headers['subscription-userinfo']).toMatch(/upload=700; download=300/);
    expect(JSON.stringify(found?.headers)).toContain('https://b.test/s/');
    expect(found?.page).toContain('https://b.test/s/');
  });

  it('loses a key that is destroyed', async () => {
    const parts = leaderAndMirror();
    const { leader, log, directory } = parts;
    const mirror = mirrorOf(parts);
    const before = log.stored.keyring.wrapped('client:1/1') as Buffer;
    expect(before).not.toBeNull();
    const identity: ClientIdentity = draft('alice', 1).identity;
    leader.append(
      ClientCredentialRotated({
        ...{ client: clientNumber(1), keyVersion: 2, identity },
        credential: credential({ id: 'another-id' }),
      }),
      DataKeyDestroyed({ key: 'client:1/1', reason: 'rotated' }),
    );
    await follow(leader, mirror);
    expect(log.stored.keyring.wrapped('client:1/1')).toBeNull();
    log.checkpoint();
    expect(filesOf(directory)).not.toContain(before.toString('latin1'));
    expect(contentOf(log)).toContain('another-id');
    expect(contentOf(log)).not.toContain(draft('alice', 1).credential.id);
  });

  it('gets no key after its removal, with another key or for another name', async () => {
    const parts = leaderAndMirror();
    const { leader, log, key, desk, master } = parts;
    const ask = async (question: unknown): Promise<unknown> => desk.answer(question);
    leader.append(clientAdded(draft('bob', 2), clientNumber(2)));
    const other = new MirrorLog({ name: NAME, log, key: mirrorKey(master, 'other'), ask });
    await expect(follow(leader, other)).rejects.toThrow('has another key');
    await expect(follow(leader, new MirrorLog({ name: 'one', log, key, ask }))).rejects.toThrow(
      'not a subscription mirror',
    );
    leader.append(MemberRemoved({ member: NAME }));
    await expect(follow(leader, mirrorOf(parts))).rejects.toThrow(MirrorRemoved);
    expect(log.head().position).toBeLessThan(leader.log.head().position);
  });

  it('does not believe an answer that was changed on the way', async () => {
    const { leader, log, key, desk } = leaderAndMirror();
    leader.append(clientAdded(draft('bob', 2), clientNumber(2)));
    const ask = async (question: unknown): Promise<unknown> => {
      const answer = desk.answer(question);
      return answer.state === 'keys' ? { ...answer, keys: answer.keys.map(([id]) => [id, null]) } : answer;
    };
    await expect(follow(leader, new MirrorLog({ name: NAME, log, key, ask }))).rejects.toThrow(ClusterAway);
  });

  it('has a data directory that is not that of a panel', () => {
    const { directory, leader, log } = leaderAndMirror();
    log.close();
    expect(() => openJournal(directory)).toThrow(/subscription mirror, which has no master key/);
    expect(() => openJournal(leader.directory, { readonly: true, mirror: true })).toThrow(/that of a panel/);
  });
});

describe('the approval of a mirror', () => {
  it('hands over a key of its own, and records the role', () => {
    const master = Buffer.alloc(32, 7);
    const desk = new JoinApprovals({ name: 'one', log: 'first', release: '1', master: () => master, now: Date.now });
    const keys = createMemberKeys();
    const question = { member: NAME, publicKey: keys.publicKey, release: '1', role: 'subscriptions' };
    desk.answer(question);
    const [request] = desk.requests();
    const fingerprint = fingerprintOf(keys.publicKey, { member: NAME, log: 'first', role: 'subscriptions' });
    expect(request).toMatchObject({ role: 'subscriptions', fingerprint });
    // Another role has another fingerprint, so nobody can change it on the way.
    expect(fingerprintOf(keys.publicKey, { member: NAME, log: 'first' })).not.toBe(fingerprint);
    const recorded: Approval[] = [];
    desk.approve(NAME, fingerprint, (data) => recorded.push(data));
    expect(recorded).toEqual([{ member: NAME, fingerprint, role: 'subscriptions' }]);
    const answer = desk.answer(question);
    if (answer.state !== 'approved') throw new Error(answer.state);
    const key = openMaster(keys, answer, { member: NAME, leader: 'one', log: 'first' });
    expect(key).toEqual(mirrorKey(master, fingerprint));
    expect(key).not.toEqual(master);
  });
});
