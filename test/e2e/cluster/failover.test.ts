import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startNats, withoutNats } from '../../kit/real/nats/server.js';
import { cli, killPanel, must, removeFolder, startPanel } from '../../kit/real/panel-process.js';
import { freePort, freePorts } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound, leads, member, newCluster, startMember, statusOf } from './panels.js';

/** The digests of all read models at a position. */
const digestsOf = async (dataDir: string, position: number): Promise<unknown> =>
  JSON.parse((await cli(['events', 'replay', '--at', String(position), '--json'], dataDir)).stdout);

describe.skipIf(withoutNats('a cluster of panels'))('two members of a cluster', () => {
  it('keep each acknowledged change when the leader is killed, and have the same state when it is back', async () => {
    const { url, one, two } = await newCluster();
    const first = await startMember(one, 'one', url);
    await leads(one, 'one', url);
    const second = await startMember(two, 'two', url);
    const admin = await first.admin();
    const acknowledged: string[] = [];
    const [last = 0, ...ports] = await freePorts(6);
    for (const [n, port] of ports.entries()) {
      await must(admin.post('/panel/api/inbounds/add', inbound(port, `before ${n}`)));
      acknowledged.push(`before ${n}`);
    }

    killPanel(first);
    await leads(two, 'two', url);
    const other = await until('a login', () => second.admin().catch(() => undefined));
    const names = async () =>
      (await must(other.get<{ remark: string }[]>('/panel/api/inbounds/list'))).map(({ remark }) => remark);
    expect(await names()).toEqual(acknowledged);
    await must(other.post('/panel/api/inbounds/add', inbound(last, 'after')));
    expect(await names()).toEqual([...acknowledged, 'after']);

    const back = await startMember(one, 'one', url);
    const { position } = await until('the same log', async () => {
      const status = await statusOf(one, 'one', url);
      return status.relation === 'equal' ? status : undefined;
    });
    await back.stop();
    await second.stop();
    expect(await digestsOf(one, position)).toEqual(await digestsOf(two, position));
    for (const folder of [one, two]) expect((await cli(['events', 'verify'], folder)).code).toBe(0);
  });

  it('refuse changes with a sentence while the cluster does not answer, and answer reads', async () => {
    const { nats, url, one } = await newCluster();
    const first = await startMember(one, 'one', url);
    await leads(one, 'one', url);
    const admin = await first.admin();
    await must(admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'confirmed')));
    await nats.stop();
    const late = await admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'late'));
    expect(late).toMatchObject({ success: false, code: 'CHANGE_UNCONFIRMED' });
    const refused = await until('a refusal at once', async () => {
      const answer = await admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'refused'));
      return 'code' in answer && answer.code === 'CLUSTER_UNAVAILABLE' ? answer : undefined;
    });
    expect(refused.success).toBe(false);
    expect((await must(admin.get<unknown[]>('/panel/api/inbounds/list'))).length).toBeGreaterThan(0);
    await nats.start();
    const again = await until('a change after the cluster is back', async () => {
      const answer = await admin
        .post('/panel/api/inbounds/add', inbound(await freePort(), 'again'))
        .catch(() => undefined);
      return answer?.success === true ? answer : undefined;
    });
    expect(again.success).toBe(true);
  });

  it('refuse to start for another panel, without a cluster and without data', async () => {
    const { url, one } = await newCluster();
    const folder = mkdtempSync(join(tmpdir(), 'portolan-cluster-'));
    onTestFinished(() => removeFolder(folder));
    const other = join(folder, 'other');
    const failure = (dataDir: string, at: string) =>
      startPanel({ dataDir, env: member('x', at) }).then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await failure(other, url)).toContain('portolan cluster join');
    rmSync(other, { recursive: true, force: true });
    await (await startPanel({ dataDir: other })).stop();
    expect(await failure(other, url)).toContain('belongs to another panel');
    const empty = await startNats();
    onTestFinished(() => empty.remove());
    const at = empty.url.replace('://', `://${empty.user.user}:${empty.user.password}@`);
    expect(await failure(one, at)).toContain('portolan cluster init');
    expect(await failure(one, empty.url.replace('://', '://someone:wrong@'))).toContain('refused the connection');
    expect((await cli(['cluster', 'init'], one, { env: member('one', url) })).stderr).toContain(
      'have a cluster already',
    );
  });
});
