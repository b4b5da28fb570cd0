import { jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutNats } from '../../kit/real/nats/server.js';
import { type Admin, cli, must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound, leads, member, startMember, startTwo, statusOf } from './panels.js';

const LIST = '/panel/api/inbounds/list';
const ADD = '/panel/api/inbounds/add';

const remarks = async (admin: Admin) =>
  (await must(admin.get<{ remark: string }[]>(LIST))).map(({ remark }) => remark).toSorted();

const exported = async (dataDir: string) =>
  (await cli(['events', 'export'], dataDir)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown>; hash: string });

describe.skipIf(withoutNats('a stream deleted by hand'))('panels whose stream was deleted by hand', () => {
  it('refuse changes and answer reads, also after a start, until it is rebuilt, and then continue', async () => {
    const { nats, url, one, two, leader, follower } = await startTwo();
    const [ofLeader, ofFollower] = [await leader.admin(), await follower.admin()];
    await must(ofLeader.post(ADD, inbound(await freePort(), 'before')));
    await until('two has it', async () => (await remarks(ofFollower)).length === 1);
    const client = await nats.client();
    onTestFinished(() => client.close());
    await (await jetstreamManager(client)).streams.delete('PORTOLAN_LOG');

    const refused = await until('a refusal with the reason', async () => {
      const { success, msg } = await ofLeader.post(ADD, inbound(await freePort(), 'refused'));
      return !success && msg.includes('stream of the cluster was deleted') ? msg : undefined;
    });
    expect(refused).toContain('portolan cluster rebuild');
    expect(await remarks(ofFollower)).toContain('before');
    const verified = await cli(['cluster', 'verify'], one, { env: member('one', url) });
    expect(verified.code).toBe(1);
    expect(verified.stderr).toContain('the stream of the cluster was deleted');
    const status = await cli(['cluster', 'status'], two, { env: member('two', url) });
    expect(status.code).toBe(1);
    expect(status.stderr).toMatch(/The stream of the cluster was deleted .*portolan cluster rebuild/);
    const doctor = await cli(['doctor'], two, { env: member('two', url) });
    expect(doctor.stdout).toMatch(/The stream of the cluster was deleted .*portolan cluster rebuild/);
    await follower.stop();
    const again = await startMember(two, 'two', url);
    const second = await again.admin().catch(() => null);
    expect((await fetch(`${again.opsUrl}/readyz`)).status).toBe(200);
    expect(second).toBeNull();

    const asked = await cli(['cluster', 'rebuild'], one, { env: member('one', url) });
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--yes');
    const done = await cli(['cluster', 'rebuild', '--yes', '--replicas', '1'], one, { env: member('one', url) });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    await until('a leader', async () => (await statusOf(one, 'one', url)).leader !== null);
    await until('a change', async () => {
      const admin = await leader.admin().catch(() => undefined);
      return (await admin?.post(ADD, inbound(await freePort(), 'after')))?.success;
    });
    await until('the same log', async () => {
      const [first, other] = await Promise.all([exported(one), exported(two)]);
      return first.at(-1)?.hash === other.at(-1)?.hash;
    });
    const types = (await exported(two)).map(({ type }) => type);
    expect(types.filter((type) => type === 'StreamRebuilt')).toHaveLength(1);
    expect(types.slice(types.indexOf('StreamRebuilt') - 1)).toContain('InboundAdded');
    const sound = await cli(['cluster', 'verify'], two, { env: member('two', url) });
    expect(sound).toMatchObject({ code: 0, stderr: '' });
    await leads(one, (await statusOf(one, 'one', url)).leader ?? '', url);
  });
});
