import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataDirectory } from '../../../src/adapters/data-directory/data-directory.js';
import { openJournal } from '../../../src/store/journal.js';
import { readAll } from '../../kit/log.js';
import { startNats, withoutNats } from '../../kit/real/nats/server.js';
import {
  type Admin,
  cli,
  killPanel,
  must,
  type PanelProcess,
  startCli,
  startPanel,
} from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { leads, member, startMember } from './panels.js';

/** The rights that docs/cluster.md gives a mirror. */
const RIGHTS = {
  publish: {
    allow: [
      '$JS.API.INFO',
      ...['join', 'snapshot', 'mirror-keys'].map((kind) => `portolan.leader.${kind}`),
      ...['PORTOLAN_LOG', 'KV_PORTOLAN_MEMBERS', 'OBJ_PORTOLAN_SNAPSHOTS'].flatMap((stream) => [
        `$JS.API.STREAM.INFO.${stream}`,
        `$JS.API.STREAM.MSG.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}.>`,
        `$JS.API.CONSUMER.*.${stream}.>`,
        `$JS.API.CONSUMER.CREATE.${stream}`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.>`,
      ]),
      '$KV.PORTOLAN_MEMBERS.mirror',
    ],
  },
  subscribe: { allow: ['_INBOX.>'] },
};
const PRIVATE = 'cFWzqRmBUzN4QQRSoDvqLsKsmTF6hcvXeZJCI0QfWVo';
const SUB = 'subscription-of-alice';

/** A REALITY inbound with one client. */
const inbound = (port: number, id: string, email: string, subId: string) => ({
  ...{ enable: true, remark: `in-${port}`, listen: '127.0.0.1', port, protocol: 'vless', expiryTime: 0, total: 0 },
  sniffing: '{}',
  settings: JSON.stringify({ clients: [{ id, email, subId, enable: true, totalGB: 1000 }], decryption: 'none' }),
  streamSettings: JSON.stringify({
    network: 'tcp',
    security: 'reality',
    realitySettings: {
      ...{ target: 'www.example.com:443', serverNames: ['www.example.com'], shortIds: ['ab12'], privateKey: PRIVATE },
      settings: { publicKey: 'jNXHt1yRo0vDuchQlIP6Z0ZvjT3KtzVI-T4E7RoLJS0', fingerprint: 'chrome' },
    },
  }),
});

async function answerOf({ subUrl }: Pick<PanelProcess, 'subUrl'>, subId: string) {
  const answer = await fetch(`${subUrl}/sub/${subId}`, { headers: { 'user-agent': 'v2rayNG/1.9' } });
  const usage = answer.headers.get('subscription-userinfo');
  return { status: answer.status, usage, body: await answer.text() };
}

/** Joins a mirror, and approves it on the leader. */
async function joinMirror(dataDir: string, leader: string, env: Record<string, string>): Promise<void> {
  const child = startCli(['--json', 'cluster', 'join'], dataDir, env);
  onTestFinished(() => child.kill('SIGKILL'));
  const line = await until('a fingerprint', () => {
    if (!child.running()) throw new Error(child.stderr());
    return child
      .stdout()
      .split('\n')
      .find((text) => text.includes('fingerprint'));
  });
  const { fingerprint, role } = JSON.parse(line) as { fingerprint: string; role: string };
  expect(role).toBe('subscriptions');
  expect(await cli(['cluster', 'approve', 'mirror', fingerprint], leader)).toMatchObject({ code: 0, stderr: '' });
  expect(await child.exited, child.stderr()).toMatchObject({ code: 0 });
}

/** A cluster with a leader and a mirror, whose NATS user has only the rights of a mirror. */
async function leaderAndMirror() {
  const full = { user: 'one', password: 'password-of-one' };
  const nats = await startNats({ users: [full, { user: 'mirror', password: 'password-2', permissions: RIGHTS }] });
  onTestFinished(() => nats.remove());
  const urlOf = (login: string): string => nats.url.replace('://', `://${login}@`);
  const url = urlOf('one:password-of-one');
  const folder = mkdtempSync(join(tmpdir(), 'portolan-mirror-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [one, two] = [join(folder, 'one'), join(folder, 'mirror')];
  await (await startPanel({ dataDir: one })).stop();
  expect((await cli(['cluster', 'init', '--replicas', '1'], one, { env: member('one', url) })).code).toBe(0);
  const leader = await startMember(one, 'one', url);
  await leads(one, 'one', url);
  const env = { ...member('mirror', urlOf('mirror:password-2')), PORTOLAN_CLUSTER_ROLE: 'subscriptions' };
  const admin = await leader.admin();
  await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), CLIENT, 'alice', SUB)));
  await joinMirror(two, one, env);
  const mirror = await startPanel({ dataDir: two, env });
  onTestFinished(() => mirror.cleanUp());
  return { one, two, url, env, leader, admin, mirror };
}

const CLIENT = '3f0c7f3a-7a4e-4a5e-9a41-1d1f6e7c0a11';
const idOf = async (admin: Admin) => (await must(admin.get<{ id: number }[]>('/panel/api/inbounds/list')))[0]?.id ?? 0;

describe.skipIf(withoutNats('subscription mirrors'))('a subscription mirror', () => {
  it('answers like the leader and without it, and can decrypt no secret of admins', async () => {
    const { one, two, url, env, leader, admin, mirror } = await leaderAndMirror();
    expect(await answerOf(mirror, SUB)).toEqual(await answerOf(leader, SUB));
    expect((await answerOf(mirror, SUB)).body).not.toBe('');
    expect((await answerOf(mirror, SUB)).usage).toContain('total=1000');
    await expect(fetch(mirror.url)).rejects.toThrow();
    const listed = await cli(['cluster', 'members', '--json'], one, { env: member('one', url) });
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({ name: 'mirror', role: 'subscriptions', state: 'running', panel: null }),
    );

    const other = 'b3a1a4a8-0d3c-4c2c-a1a5-d0e7a6a0c001';
    await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), other, 'bob', 'subscription-of-bob')));
    await until('bob on the mirror', async () => (await answerOf(mirror, 'subscription-of-bob')).status === 200);
    expect(await answerOf(mirror, 'subscription-of-bob')).toEqual(await answerOf(leader, 'subscription-of-bob'));
    const renewed = 'b3a1a4a8-0d3c-4c2c-a1a5-d0e7a6a0c002';
    const settings = JSON.stringify({ clients: [{ id: renewed, email: 'alice', subId: SUB, enable: true }] });
    await must(admin.post(`/panel/api/inbounds/updateClient/${CLIENT}`, { id: await idOf(admin), settings }));
    await until('the new id', async () => (await answerOf(mirror, SUB)).body === (await answerOf(leader, SUB)).body);
    await must(admin.post(`/panel/api/inbounds/${(await idOf(admin)) + 1}/delClient/${other}`));
    await until('the deletion', async () => (await answerOf(mirror, 'subscription-of-bob')).status === 404);

    expect((await cli(['events', 'export'], two)).stderr).toContain('subscription mirror, which has no master key');
    const { log } = openJournal(dataDirectory(two), { readonly: true, mirror: true });
    const text = JSON.stringify(readAll(log));
    expect(log.stored.keyring.wrapped('client:1/1')).toBeNull();
    log.close();
    expect(text).toContain(renewed);
    for (const secret of [PRIVATE, '"operator"', 'scrypt', 'argon', CLIENT]) expect(text).not.toContain(secret);

    const before = await answerOf(mirror, SUB);
    killPanel(leader);
    await leader.exited;
    expect(await answerOf(mirror, SUB)).toEqual(before);

    const again = await startMember(one, 'one', url);
    await leads(one, 'one', url);
    const removed = await cli(['cluster', 'remove', 'mirror', '--force'], one, { env: member('one', url) });
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(await mirror.exited).toMatchObject({ code: 1 });
    expect(mirror.stderr()).toContain('was removed from the cluster');
    await again.stop();
    const asMember = await cli(['serve'], two, { env: { ...env, PORTOLAN_CLUSTER_ROLE: 'member' } });
    expect(asMember).toMatchObject({ code: 1 });
    expect(asMember.stderr).toContain('subscription mirror, which has no master key');
  });
});
