import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNats, withoutNats } from '../../kit/real/nats/server.js';
import { cli, must, removeFolder, startCli, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';

const member = (name: string, url: string) => ({ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_NAME: name });

/** A NATS server, and a running panel that leads a new cluster. */
async function ledCluster() {
  const nats = await startNats();
  onTestFinished(() => nats.remove());
  const url = nats.url.replace('://', `://${nats.user.user}:${nats.user.password}@`);
  const folder = mkdtempSync(join(tmpdir(), 'portolan-join-'));
  onTestFinished(() => removeFolder(folder));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  await (await startPanel({ dataDir: one })).stop();
  expect((await cli(['cluster', 'init', '--replicas', '1'], one, { env: member('one', url) })).code).toBe(0);
  const leader = await startPanel({ dataDir: one, env: member('one', url), launcher: true });
  onTestFinished(() => leader.cleanUp());
  await until('one leads', async () => (await statusOf(one, 'one', url)).leader === 'one');
  return { nats, url, folder, one, two, leader };
}

const statusOf = async (dataDir: string, name: string, url: string) =>
  JSON.parse((await cli(['cluster', 'status', '--json'], dataDir, { env: member(name, url) })).stdout) as {
    leader: string | null;
    relation: string;
    position: number;
  };

/** Starts `cluster join`, and waits until it shows its fingerprint. */
async function beginJoin(dataDir: string, name: string, url: string) {
  const child = startCli(['--json', 'cluster', 'join'], dataDir, member(name, url));
  onTestFinished(() => child.kill('SIGKILL'));
  const line = await until('a fingerprint', () => {
    if (!child.running()) throw new Error(child.stderr());
    return child
      .stdout()
      .split('\n')
      .find((text) => text.includes('fingerprint'));
  });
  return { child, fingerprint: (JSON.parse(line) as { fingerprint: string }).fingerprint };
}

const approve = (dataDir: string, ...args: string[]) => cli(['--json', 'cluster', 'approve', ...args], dataDir);
const typesOf = async (dataDir: string): Promise<readonly string[]> =>
  (await cli(['events', 'export'], dataDir)).stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);

describe.skipIf(withoutNats('joining a cluster'))('a machine with an empty data directory', () => {
  it('joins after its approval, follows, and leads when the leader is gone', async () => {
    const { url, one, two, leader } = await ledCluster();
    const admin = await leader.admin();
    await must(
      admin.post('/panel/api/inbounds/add', {
        ...{ enable: true, remark: 'before', listen: '127.0.0.1', port: await freePort(), protocol: 'vless' },
        ...{ expiryTime: 0, total: 0, sniffing: '{}' },
        settings: JSON.stringify({ clients: [], decryption: 'none' }),
        streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
      }),
    );
    const before = await typesOf(one);
    const { child, fingerprint } = await beginJoin(two, 'two', url);
    const waiting = JSON.parse((await approve(one)).stdout) as { requests: unknown[] };
    expect(waiting.requests).toMatchObject([{ member: 'two', fingerprint }]);
    const wrong = await approve(one, 'two', 'AAAAA-AAAAA-AAAAA-AAAAA');
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.stderr).toContain('another fingerprint');
    expect((await approve(one, 'three', fingerprint)).stderr).toContain('No request of three waits');
    const approved = await approve(one, 'two', fingerprint.toLowerCase());
    expect(approved).toMatchObject({ code: 0, stderr: '' });
    expect(await child.exited).toMatchObject({ code: 0 });
    const last = JSON.parse(child.stdout().trim().split('\n').at(-1) ?? '') as { masterFingerprint: string };
    expect(JSON.parse(approved.stdout)).toEqual({ member: 'two', masterFingerprint: last.masterFingerprint });
    expect((await typesOf(one)).slice(before.length)).toEqual(['MemberApproved']);
    expect((await cli(['events', 'verify'], two)).code).toBe(0);
    expect((await approve(one, 'two', fingerprint)).stderr).toContain('No request of two waits');

    const second = await startPanel({ dataDir: two, env: member('two', url), launcher: true });
    onTestFinished(() => second.cleanUp());
    await until('the same log', async () => (await statusOf(two, 'two', url)).relation === 'equal');
    leader.kill('SIGKILL');
    await until('two leads', async () => (await statusOf(two, 'two', url)).leader === 'two');
    const other = await until('a login', () => second.admin().catch(() => undefined));
    const list = await must(other.get<{ remark: string }[]>('/panel/api/inbounds/list'));
    expect(list.map(({ remark }) => remark)).toEqual(['before']);
  });

  it('is refused for other data and for a name in use, and can be stopped halfway and begin again', async () => {
    const { url, one, two, folder } = await ledCluster();
    const full = join(folder, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'notes.txt'), 'mine');
    const joins = (dataDir: string, name: string) => cli(['cluster', 'join'], dataDir, { env: member(name, url) });
    expect((await joins(full, 'two')).stderr).toContain('it contains notes.txt');
    expect((await joins(one, 'two')).stderr).toContain('is not empty');
    expect((await joins(two, 'one')).stderr).toContain('has a running member one already');
    expect((await approve(two)).stderr).toContain('No panel that leads a cluster');
    const { child, fingerprint } = await beginJoin(two, 'two', url);
    child.kill('SIGKILL');
    await child.exited;
    expect(existsSync(join(two, 'events.db'))).toBe(false);
    const again = await beginJoin(two, 'two', url);
    expect(again.fingerprint).not.toBe(fingerprint);
    expect((await approve(one, 'two', fingerprint)).stderr).toContain('another fingerprint');
    expect((await approve(one, 'two', again.fingerprint)).code).toBe(0);
    expect(await again.child.exited).toMatchObject({ code: 0 });
  });

  it('is brought up again with its own key after its database was damaged', async () => {
    const { url, two, one } = await ledCluster();
    const { child, fingerprint } = await beginJoin(two, 'two', url);
    expect((await approve(one, 'two', fingerprint)).code).toBe(0);
    await child.exited;
    writeFileSync(join(two, 'events.db'), 'no database');
    const done = await cli(['--json', 'cluster', 'rejoin'], two, { env: member('two', url) });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    const { movedTo } = JSON.parse(done.stdout) as { movedTo: string };
    expect(readdirSync(movedTo)).toContain('events.db');
    expect((await cli(['events', 'verify'], two)).code).toBe(0);
    expect((await statusOf(two, 'two', url)).relation).toBe('equal');
  });
});
