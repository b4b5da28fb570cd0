import { describe, expect, it } from 'vitest';
import { withoutNats } from '../../kit/real/nats/server.js';
import { Admin, must, type PanelProcess } from '../../kit/real/panel-process.js';
import { freePort } from '../../kit/real/ports.js';
import { until } from '../../kit/wait.js';
import { inbound, leads, startMember, startTwo } from './panels.js';

const remarks = async (admin: Admin): Promise<readonly string[]> =>
  (await must(admin.get<{ remark: string }[]>('/panel/api/inbounds/list'))).map(({ remark }) => remark);

interface LoggedEvent {
  readonly type: string;
  readonly actor: { readonly kind: string; readonly name: string; readonly ip: string | null };
}

/** The events of some types that admins and the login caused, oldest first. */
const eventsOf = async (admin: Admin, types: string): Promise<readonly LoggedEvent[]> => {
  const { events } = await must(
    admin.get<{ events: readonly LoggedEvent[] }>(`/panel/api/audit/page?types=${types}&limit=100`),
  );
  return events.toReversed();
};

const loginAt = (panel: PanelProcess, password: string) =>
  new Admin(panel.url, { username: panel.username, password }).login();

describe.skipIf(withoutNats('requests to a follower'))('a follower', () => {
  it('has the leader carry out logins and changes, and shows them at once', async () => {
    const { leader, follower } = await startTwo();
    const admin = await follower.admin();
    const port = await freePort();
    expect(await admin.post('/panel/api/inbounds/add', inbound(port, 'through a follower'))).toMatchObject({
      success: true,
    });
    expect(await remarks(admin)).toEqual(['through a follower']);
    const other = await leader.admin();
    expect(await remarks(other)).toEqual(['through a follower']);

    const bad = await admin.raw('POST', '/panel/api/inbounds/add', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(inbound(port, 'again')),
    });
    expect(bad.headers.get('content-type')).toContain('application/json');
    expect(bad.headers.get('x-correlation-id')).toMatch(/^[\w-]{8,}$/);
    expect(await bad.json()).toMatchObject({ success: false });

    await admin.logout();
    expect((await admin.raw('GET', '/panel/api/inbounds/list')).status).toBe(401);
    const { username: name } = follower;
    const events = await eventsOf(other, 'LoggedIn,InboundAdded,LoggedOut');
    expect(events.map(({ type, actor }) => [type, actor.kind, actor.name, actor.ip])).toEqual([
      ['LoggedIn', 'user', name, '127.0.0.1'],
      ['InboundAdded', 'user', name, '127.0.0.1'],
      ['LoggedIn', 'user', name, '127.0.0.1'],
      ['LoggedOut', 'user', name, '127.0.0.1'],
    ]);
  });

  it('adds up failed logins with those at other members', async () => {
    const { leader, follower } = await startTwo();
    const answers: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const answer = await loginAt(n % 2 === 0 ? leader : follower, 'wrong password');
      answers.push('code' in answer ? String(answer.code) : '');
    }
    expect(new Set(answers.slice(0, 5))).toEqual(new Set(['LOGIN_WRONG']));
    for (const panel of [leader, follower])
      expect(await loginAt(panel, panel.password)).toMatchObject({ success: false });
  });

  it('refuses changes with a sentence while there is no leader, and passes them on to the next one', async () => {
    const { one, two, url, nats, leader, follower } = await startTwo();
    const admin = await follower.admin();
    await nats.stop();
    const refused = await admin.post('/panel/api/inbounds/add', inbound(await freePort(), 'refused'));
    expect(refused.success).toBe(false);
    expect(['CLUSTER_NO_LEADER', 'CLUSTER_UNAVAILABLE']).toContain('code' in refused && refused.code);
    expect(await remarks(admin)).toEqual([]);
    await nats.start();
    await until('a change after the cluster is back', async () => {
      const answer = await admin
        .post('/panel/api/inbounds/add', inbound(await freePort(), 'again'))
        .catch(() => undefined);
      return answer?.success;
    });
    expect(await remarks(admin)).toEqual(['again']);
    leader.kill('SIGKILL');
    await leads(two, 'two', url);
    await until('a change at the new leader', async () => {
      const answer = await admin
        .post('/panel/api/inbounds/add', inbound(await freePort(), 'after'))
        .catch(() => undefined);
      return answer?.success;
    });
    const back = await startMember(one, 'one', url);
    const other = await until('a login', () => back.admin().catch(() => undefined));
    await must(other.post('/panel/api/inbounds/add', inbound(await freePort(), 'back')));
    expect(await remarks(other)).toEqual(['again', 'after', 'back']);
  });
});
