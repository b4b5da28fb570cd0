import { describe, expect, it } from 'vitest';
import { withoutNats } from '../../kit/real/nats/server.js';
import { type Admin, cli, must } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound, leads, member, newCluster, startMember, startTwo } from './panels.js';

/** Adds inbounds one after the other until it is stopped. The result has the refused ones. */
function writer(admin: Admin, name: string) {
  const remarks: string[] = [];
  const failed: unknown[] = [];
  let isStopped = false;
  const run = async (): Promise<void> => {
    for (let n = 0; !isStopped; n += 1) {
      const remark = `${name} ${n}`;
      const answer = await admin
        .post('/panel/api/inbounds/add', inbound(await freePort(), remark))
        .catch((error: unknown) => ({ success: false, error: String(error) }));
      if (answer.success) remarks.push(remark);
      else failed.push(answer);
    }
  };
  const running = run();
  return {
    count: () => remarks.length,
    stop: async () => {
      isStopped = true;
      await running;
      return { remarks, failed };
    },
  };
}

const remarksAt = async (admin: Admin): Promise<readonly string[]> =>
  (await must(admin.get<{ remark: string }[]>('/panel/api/inbounds/list'))).map(({ remark }) => remark);

describe.skipIf(withoutNats('a planned hand-over'))('a planned hand-over', () => {
  it('loses no request at any member, and the former leader follows without a restart', async () => {
    const { one, two, url, leader, follower } = await startTwo();
    const steer = (...args: string[]) => cli(['cluster', ...args], one, { env: member('one', url) });
    await until('two is up to date', async () => {
      const { stdout } = await steer('members', '--json');
      return (JSON.parse(stdout) as { name: string; state: string; lag: number }[]).some(
        ({ name, state, lag }) => name === 'two' && state === 'running' && lag === 0,
      );
    });
    const admins = [await leader.admin(), await follower.admin()];
    const writers = [leader, leader, follower, follower].map((_, n) => writer(admins[n % 2] as Admin, `writer ${n}`));
    await until('changes of all writers', () => writers.every(({ count }) => count() > 0));
    const began = performance.now();
    expect(await steer('step-down')).toMatchObject({ code: 0 });
    await leads(two, 'two', url);
    process.stdout.write(`another member leads after ${Math.round(performance.now() - began)} ms\n`);
    const before = writers.map(({ count }) => count());
    await until('changes after it', () => writers.every(({ count }, n) => count() > (before[n] ?? 0) + 1));
    const results = await Promise.all(writers.map(({ stop }) => stop()));
    expect(results.flatMap(({ failed }) => failed)).toEqual([]);
    const remarks = results.flatMap((result) => result.remarks).toSorted();
    for (const admin of admins)
      await until('every change at each member', async () => {
        const found = (await remarksAt(admin)).toSorted();
        return found.length === remarks.length && found.every((remark, n) => remark === remarks[n]);
      });
    const { stdout } = await steer('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ leader: 'two', failover: { former: 'one', reason: 'handedOver' } });
    expect(leader.stdout()).not.toContain('starts again');
  });
});

describe.skipIf(withoutNats('an acknowledgement with a copy'))('an acknowledgement at quorum+1', () => {
  it('waits for the database of a follower, and says so while there is none', async () => {
    const { one, two, url } = await newCluster();
    const env = { PORTOLAN_CLUSTER_ACK: 'quorum+1' };
    const leader = await startMember(one, 'one', url, env);
    await leads(one, 'one', url);
    const admin = await leader.admin().catch(() => null);
    expect(admin).toBeNull();
    const follower = await startMember(two, 'two', url, env);
    const back = await until('a login with a follower', () => leader.admin().catch(() => undefined));
    await must(back.post('/panel/api/inbounds/add', inbound(await freePort(), 'copied')));
    await follower.stop();
    const add = async () => back.post('/panel/api/inbounds/add', inbound(await freePort(), 'alone'));
    const first = await add();
    expect(first).toMatchObject({ success: false, code: 'CHANGE_UNCONFIRMED' });
    const later = await until('a refusal', async () => {
      const answer = await add();
      return 'code' in answer && answer.code === 'CLUSTER_NO_COPY' ? answer : undefined;
    });
    expect(later.msg).toContain('PORTOLAN_CLUSTER_ACK');
    await startMember(two, 'two', url, env);
    await until('a change with a follower', async () => (await add()).success);
  });
});
