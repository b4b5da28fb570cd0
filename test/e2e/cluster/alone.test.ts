import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withoutNats } from '../../kit/real/nats/server.js';
import { type Admin, cli, must, startCli, startPanel } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { logOf, recorded } from '../support.js';
import { inbound, leads, member, startMember, startTwo } from './panels.js';

const ADD = '/panel/api/inbounds/add';
const remarks = async (admin: Admin) =>
  (await must(admin.get<{ remark: string }[]>('/panel/api/inbounds/list'))).map(({ remark }) => remark).toSorted();

async function startAlone(dataDir: string) {
  const panel = await startPanel({ dataDir });
  onTestFinished(() => panel.cleanUp());
  return panel;
}

describe.skipIf(withoutNats('moving back to one machine'))('a member that moves back to one machine', () => {
  it('has all events, and never gives up silently what it has recorded alone', async () => {
    const { url, one, two, leader, follower } = await startTwo();
    const before = await leader.admin();
    await must(before.post(ADD, inbound(await freePort(), 'in the cluster')));
    await until('two has it', async () => (await remarks(await follower.admin())).length === 1);
    await follower.stop();
    await leader.stop();
    const log = logOf(one);

    const alone = await startAlone(one);
    const admin = await alone.admin();
    await must(admin.post(ADD, inbound(await freePort(), 'alone')));
    expect(await remarks(admin)).toEqual(['alone', 'in the cluster']);
    await alone.stop();
    expect(logOf(one).slice(0, log.length)).toEqual(log);
    const [left, ...others] = recorded(one, 'ClusterLeft', log.length);
    expect(others).toEqual([]);
    const doctor = await cli(['doctor'], one);
    expect(`${doctor.stdout}${doctor.stderr}`).not.toMatch(/^BAD/m);

    // A second start alone changes nothing.
    await (await startAlone(one)).stop();
    expect(recorded(one, 'ClusterLeft')).toHaveLength(1);

    const other = await startMember(two, 'two', url);
    await leads(two, 'two', url);
    const events = logOf(one);
    const refused = await cli(['serve'], one, { env: member('one', url) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`This panel has run alone since event ${left?.position}`);
    expect(logOf(one)).toEqual(events);
    expect(readdirSync(join(one, 'backups')).filter((name) => name.startsWith('set-aside'))).toEqual([]);

    // The operator gives these events up; the database with them stays.
    const again = await cli(['--json', 'cluster', 'rejoin'], one, { env: member('one', url) });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync((JSON.parse(again.stdout) as { movedTo: string }).movedTo)).toContain('events.db');
    const back = await startMember(one, 'one', url);
    await until('the same inbounds', async () => (await remarks(await back.admin())).join() === 'in the cluster');
    expect(await remarks(await other.admin())).toEqual(['in the cluster']);
  });

  it('restores a backup and begins a new cluster with it', async () => {
    const { nats, url, one, two, leader, follower } = await startTwo();
    await must((await leader.admin()).post(ADD, inbound(await freePort(), 'in the backup')));
    const backup = join(one, '..', 'before.db');
    expect(await cli(['backup', '--out', backup], one)).toMatchObject({ code: 0 });
    await must((await leader.admin()).post(ADD, inbound(await freePort(), 'a mistake')));
    await follower.stop();
    await leader.stop();
    expect(await cli(['restore', backup, '--yes'], one)).toMatchObject({ code: 0 });
    await (await startAlone(one)).stop();

    await nats.stop();
    rmSync(nats.storeDir, { recursive: true });
    await nats.start();
    const created = await cli(['cluster', 'init', '--replicas', '1'], one, { env: member('one', url) });
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const restored = await startMember(one, 'one', url);
    await leads(one, 'one', url);
    expect(await remarks(await restored.admin())).toEqual(['in the backup']);
    rmSync(two, { recursive: true });
    const joining = startCli(['--json', 'cluster', 'join'], two, member('two', url));
    onTestFinished(() => joining.kill('SIGKILL'));
    const fingerprint = await until('a fingerprint', () => /"fingerprint": ?"([^"]+)"/.exec(joining.stdout())?.[1]);
    await until('the approval', async () => (await cli(['cluster', 'approve', 'two', fingerprint], one)).code === 0);
    expect(await joining.exited).toMatchObject({ code: 0 });
    const again = await startMember(two, 'two', url);
    await until('two has it', async () => (await remarks(await again.admin())).join() === 'in the backup');
  });

  it('continues in its cluster with what it has recorded alone, if nobody else led meanwhile', async () => {
    const { url, one, two, leader, follower } = await startTwo();
    await follower.stop();
    await leader.stop();
    const alone = await startAlone(one);
    await must((await alone.admin()).post(ADD, inbound(await freePort(), 'alone')));
    await alone.stop();
    await startMember(one, 'one', url);
    await leads(one, 'one', url);
    const again = await startMember(two, 'two', url);
    await until('two has it', async () => (await remarks(await again.admin())).join() === 'alone');
  });
});
