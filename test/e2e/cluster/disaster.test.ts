import { rmSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNats, withoutNats } from '../../kit/real/nats/server.js';
import { cli, must, startPanel } from '../../kit/real/panel-process.js';
import { until } from '../../kit/wait.js';
import { bearer, clientBody, type FaultyMember, STREAM, startThree, type Three } from './faults/three.js';
import { member } from './panels.js';

const ADD = '/panel/api/inbounds/addClient';
const ANSWER_MS = 20_000;

/** Adds a client at a member, as soon as changes are possible. The answer to an attempt is lost if the panel restarts meanwhile. */
const adds = (at: FaultyMember, token: string, email: string) =>
  until(`a change at ${at.name}`, async () => {
    const { success } = await bearer(at, token, ANSWER_MS).post(ADD, clientBody(email));
    return success || (await emailsAt(at, token)).includes(email);
  });

async function emailsAt(at: FaultyMember, token: string): Promise<readonly string[]> {
  const path = '/panel/api/inbounds/list';
  const list = await must(bearer(at, token, ANSWER_MS).get<{ clientStats: { email: string }[] }[]>(path));
  return list.flatMap(({ clientStats }) => clientStats.map(({ email }) => email));
}

const allHave = ({ members, token }: Three, emails: readonly string[]) =>
  until(`all members have ${emails.join()}`, async () => {
    const found = await Promise.all(members.map((each) => emailsAt(each, token)));
    return found.every((each) => each.join() === emails.join());
  });

/** Rebuilds the stream on the machine of a member, which notices the damage first. */
async function rebuilds(at: FaultyMember, ...options: string[]) {
  await until('the damage is noticed', async () => (await at.run('verify')).code === 1);
  const done = await until('a rebuild', async () => {
    const tried = await at.run('rebuild', '--yes', ...options);
    return tried.code === 0 ? tried : undefined;
  });
  expect(done.stderr).toBe('');
}

describe.skipIf(withoutNats('disasters of a cluster'))('three members', () => {
  it('come back from a deleted stream, the loss of all NATS servers, a lost machine, and a lost majority', async () => {
    const three = await startThree();
    const { nats, members, token } = three;
    const [one, two, last] = members as [FaultyMember, FaultyMember, FaultyMember];
    await adds(two, token, 'first');
    await allHave(three, ['first']);

    const client = await (nats.servers[0] as (typeof nats.servers)[number]).client();
    await (await jetstreamManager(client)).streams.delete(STREAM);
    await client.close();
    await rebuilds(await three.leader(), '--replicas', '3');
    await adds(two, token, 'second');
    await allHave(three, ['first', 'second']);
    expect(await nats.copies(STREAM)).toHaveLength(3);

    await Promise.all(nats.servers.map((server) => server.kill()));
    for (const { storeDir } of nats.servers) rmSync(storeDir, { recursive: true, force: true });
    await Promise.all(nats.servers.map((server) => server.start()));
    await nats.ready();
    await rebuilds(one, '--replicas', '3');
    await adds(last, token, 'third');
    await allHave(three, ['first', 'second', 'third']);

    // The machine of the leader is lost for good, and replaced.
    const lost = await three.leader();
    lost.kill();
    const [other, third] = members.filter((each) => each !== lost) as [FaultyMember, FaultyMember];
    await adds(other, token, 'fourth');
    rmSync(lost.dataDir, { recursive: true, force: true });
    // Refused while the last report of the lost machine is recent: another process could still use its name.
    const joined = until('the machine joins', async () => (await lost.run('join')).code === 0);
    const leader = (await other.leads()) ? other : third;
    const request = await until('a request to join', async () => {
      const { stdout } = await cli(['--json', 'cluster', 'approve'], leader.dataDir);
      return (JSON.parse(stdout) as { requests: { member: string; fingerprint: string }[] }).requests[0];
    });
    expect((await leader.run('approve', request.member, request.fingerprint)).code).toBe(0);
    await joined;
    await lost.start();
    const emails = ['first', 'second', 'third', 'fourth'];
    await allHave(three, emails);

    // Two machines are lost with their servers: the last one continues with a new server.
    for (const each of members) each.kill();
    await Promise.all(nats.servers.map((server) => server.kill()));
    const alone = await startNats();
    onTestFinished(() => alone.remove());
    const env = member(last.name, alone.url.replace('://', `://${alone.user.user}:${alone.user.password}@`));
    const panel = await startPanel({ dataDir: last.dataDir, env, launcher: true });
    onTestFinished(() => panel.cleanUp());
    const rebuilt = await cli(['cluster', 'rebuild', '--yes', '--replicas', '1'], last.dataDir, { env });
    expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
    await until('a change', async () => {
      const admin = await panel.admin().catch(() => undefined);
      return (await admin?.post(ADD, clientBody('fifth')))?.success;
    });
  });
});
