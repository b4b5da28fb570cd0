import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNats, withoutNats } from '../../kit/real/nats/server.js';
import { cli, must, removeFolder, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';

interface Status {
  readonly leader: string | null;
  readonly servers: readonly { readonly isCurrent: boolean }[];
  readonly failover: { readonly member: string; readonly former: string | null; readonly reason: string } | null;
}

async function twoMembers() {
  const nats = await startNats();
  onTestFinished(() => nats.remove());
  const url = nats.url.replace('://', `://${nats.user.user}:${nats.user.password}@`);
  const folder = mkdtempSync(join(tmpdir(), 'portolan-cluster-'));
  onTestFinished(() => removeFolder(folder));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  await (await startPanel({ dataDir: one })).stop();
  const environment = (name: string) => ({ PORTOLAN_CLUSTER_URL: url, PORTOLAN_CLUSTER_NAME: name });
  const run = (args: readonly string[]) => cli(['cluster', ...args], one, { env: environment('one') });
  expect((await run(['init', '--replicas', '1'])).code).toBe(0);
  cpSync(one, two, { recursive: true });
  rmSync(join(two, 'run'), { recursive: true });
  const start = async (dataDir: string, name: string) => {
    const panel = await startPanel({ dataDir, env: environment(name), launcher: true });
    onTestFinished(() => panel.cleanUp());
    return panel;
  };
  const json = async (...args: string[]): Promise<unknown> => JSON.parse((await run([...args, '--json'])).stdout);
  const status = () => json('status') as Promise<Status>;
  const members = () =>
    json('members') as Promise<readonly { name: string; role: string; state: string; lag: number }[]>;
  return { start, run, status, members, one, two };
}

const inbound = {
  ...{ enable: true, remark: 'kept', listen: '127.0.0.1', protocol: 'vless', expiryTime: 0, total: 0 },
  ...{ sniffing: '{}', settings: JSON.stringify({ clients: [], decryption: 'none' }) },
  streamSettings: JSON.stringify({ network: 'tcp', security: 'none' }),
};

describe.skipIf(withoutNats('steering a cluster'))('the operator of a cluster', () => {
  it('hands over, sees who led before and why, and removes a member that is gone', async () => {
    const { start, run, status, members, one, two } = await twoMembers();
    const first = await start(one, 'one');
    await until('one leads', async () => (await status()).leader === 'one');
    const alone = await until('one has reported', async () => {
      const refused = await run(['step-down']);
      return refused.stderr.includes('No other member') ? refused : undefined;
    });
    expect(alone.code).toBe(1);
    const admin = await first.admin();
    await must(admin.post('/panel/api/inbounds/add', { ...inbound, port: await freePort('tcp') }));
    const second = await start(two, 'two');
    await until('two is up to date', async () =>
      (await members()).some(({ name, state, lag }) => name === 'two' && state === 'running' && lag === 0),
    );

    expect(await run(['step-down'])).toMatchObject({ code: 0 });
    await until('two leads', async () => (await status()).leader === 'two');
    const { servers, failover } = await until('the log has it', async () => {
      const now = await status();
      return now.failover?.member === 'two' ? now : undefined;
    });
    expect(failover).toMatchObject({ member: 'two', former: 'one', reason: 'handedOver' });
    expect(servers).toMatchObject([{ isCurrent: true }]);
    const other = await until('a login', () => second.admin().catch(() => undefined));
    const kept = await must(other.get<{ remark: string }[]>('/panel/api/inbounds/list'));
    expect(kept.map(({ remark }) => remark)).toEqual(['kept']);

    expect((await run(['remove', 'nobody'])).stderr).toContain('no member');
    expect((await run(['remove', 'two', '--force'])).stderr).toContain('leads the cluster');
    await until('one runs again', async () =>
      (await members()).some(({ name, role, state }) => name === 'one' && role === 'follower' && state === 'running'),
    );
    expect((await run(['remove', 'one'])).stderr).toContain('--force');
    await first.stop();
    // It is the machine of an inbound.
    await until('the reason', async () => (await run(['remove', 'one'])).stderr.includes('inbound-'));
    expect(await run(['remove', 'one', '--force'])).toMatchObject({ code: 0 });
    expect((await members()).map(({ name }) => name)).toEqual(['two']);
    expect((await run(['members'])).stdout).toContain('leader');
  });
});
