import { describe, expect, it } from 'vitest';
import { newTokenSecret } from '../../../../src/lib/secrets/token-secret.js';
import { one } from '../../../kit/builders.js';
import { SELLER, startSelling } from '../../kit/reseller.js';

const PAGE = '/panel/api/clients/page';
const CHANGE = '/panel/api/clients/change';

/** A reseller, and the emails that the list of clients shows to a caller at a moment. */
async function start(foreign: readonly string[], own: readonly string[]) {
  const all = await startSelling(foreign, own);
  const { panel, seller } = all;
  /** The time now, after which everything happens later. */
  const time = (): string => {
    const at = new Date(panel.now()).toISOString();
    panel.later(1000);
    return at;
  };
  const emailsAt = async (at: string, by: Pick<typeof seller, 'get'> = seller): Promise<readonly string[]> => {
    const { json, text } = await by.get(`${PAGE}?at=${at}`);
    expect(json?.success, text).toBe(true);
    return ((json ?? expect.fail()).obj as { clients: { email: string }[] }).clients.map(({ email }) => email);
  };
  return { ...all, time, emailsAt };
}

describe('a limited role at a moment of the past', () => {
  it('sees own clients as they were, at a time and at a position that it was given', async () => {
    const { panel, seller, time, emailsAt } = await start(['foreign-a', 'foreign-b'], ['mine', 'more']);
    const before = time();
    const { headers } = await seller.post(CHANGE, { action: 'disable', clients: [3] });
    const receipt = headers.get('x-portolan-position') ?? '';
    const between = time();
    await seller.post(CHANGE, { action: 'delete', clients: [3] });
    panel.appended();
    expect(await emailsAt(before)).toStrictEqual(['mine', 'more']);
    for (const at of [between, receipt]) {
      expect(await emailsAt(at)).toStrictEqual(['mine', 'more']);
      const details = await seller.get(`/panel/api/clients/mine/details?at=${at}`);
      expect(details.json?.obj).toMatchObject([{ client: { enable: false } }]);
    }
    expect(await emailsAt(time())).toStrictEqual(['more']);
    expect(panel.appended()).toStrictEqual([]);
  });

  it('gets the time that it asked for, and no position', async () => {
    const { panel, owner, seller, time } = await start(['foreign-a'], ['mine']);
    panel.later(60_000);
    await owner.post(CHANGE, { action: 'disable', clients: [1] });
    panel.later(60_000);
    const at = time();
    const { headers } = await seller.get(`${PAGE}?at=${at}`);
    expect(headers.get('x-portolan-time')).toBe(at);
    expect(headers.get('x-portolan-position')).toBeNull();
    expect(headers.get('etag')).toBeNull();
  });

  it('sees a client only while it had it, and only if it has it now', async () => {
    const { owner, seller, time, emailsAt } = await start(['foreign-a'], ['mine']);
    const hand = (client: number, to: number) =>
      owner.post('/panel/api/admins/handOver', { clients: [client], owner: to });
    const foreign = time();
    await hand(1, 2);
    const given = time();
    expect(await emailsAt(given)).toStrictEqual(['foreign-a', 'mine']);
    expect(await emailsAt(foreign)).toStrictEqual(['mine']);
    await hand(1, 1);
    await hand(2, 0);
    expect(await emailsAt(given)).toStrictEqual([]);
    expect(await emailsAt(foreign)).toStrictEqual([]);
    await hand(2, 2);
    expect(await emailsAt(foreign)).toStrictEqual(['mine']);
    // It is deleted while it is another admin's.
    await hand(2, 1);
    await owner.post(CHANGE, { action: 'delete', clients: [2] });
    expect(await emailsAt(foreign)).toStrictEqual([]);
    expect((await seller.get(`/panel/api/clients/mine/details?at=${foreign}`)).json).toMatchObject({ success: false });
  });

  it('sees an inbound only while it was given', async () => {
    const { owner, seller, time } = await start([], ['mine']);
    const inboundsAt = async (at: string) =>
      (((await seller.get(`/panel/api/clients/inbounds?at=${at}`)).json ?? expect.fail()).obj as { id: number }[]).map(
        ({ id }) => id,
      );
    const give = (inbounds: readonly number[]) =>
      owner.post('/panel/api/admins/access/2', { role: 'reseller', inbounds, quotas: {} });
    const before = time();
    await give([1, 2]);
    const both = time();
    expect([await inboundsAt(before), await inboundsAt(both)]).toStrictEqual([[1], [1, 2]]);
    await give([2]);
    expect([await inboundsAt(before), await inboundsAt(both)]).toStrictEqual([[], [2]]);
  });

  it('sees nothing before its account was added, also with an inbound of its own', async () => {
    const { owner, panel, time, emailsAt } = await start(['foreign-a'], []);
    const before = time();
    const grants = [
      { permission: 'clients:read', scope: 'inbounds' },
      { permission: 'account:read', scope: 'all' },
    ];
    await owner.post('/panel/api/roles/save', { name: 'desk', grants });
    const login = { username: 'desk', password: 'a long pass phrase' };
    await owner.post('/panel/api/admins/add', { ...login, role: 'desk', inbounds: [1] });
    const { secret, ...stored } = newTokenSecret();
    const token = { name: 'shop', role: 'desk', inbounds: [one], admin: null, expiresAt: 0, addresses: [] };
    panel.given({ type: 'CreateToken', data: { ...token, ...stored } });
    const after = time();
    const desk = await panel.browser().login(login);
    const shop = {
      get: (path: string) => panel.call('GET', path, { headers: { authorization: `Bearer ${secret}` } }),
    };
    for (const caller of [desk, shop]) {
      expect(await emailsAt(before, caller)).toStrictEqual([]);
      expect(await emailsAt(after, caller)).toStrictEqual(['foreign-a']);
    }
    expect(await emailsAt('1970-01-02T00:00:00Z', desk)).toStrictEqual([]);
  });

  it('is refused positions that it was not given, all in the same way', async () => {
    const { panel, seller, owner } = await start(['foreign-a'], ['mine']);
    const { position: head } = panel.log.head();
    const hidden = (position: number): string => String(panel.services.positions.hide(position));
    const answers = [];
    for (const at of ['0', '1', String(head), String(head + 1), hidden(0), hidden(head + 1), hidden(head * 1000)]) {
      const { status, text } = await seller.get(`${PAGE}?at=${at}`);
      answers.push(`${status} ${text.replace(`\\"${at}\\"`, 'POSITION')}`);
    }
    expect(new Set(answers).size, answers.join('\n')).toBe(1);
    expect(answers[0]).toMatch(/^400 .*MOMENT_POSITION_INVALID/);
    const future = await seller.get(`${PAGE}?at=2999-01-01T00:00:00Z`);
    expect(future.json).toMatchObject({ code: 'MOMENT_FUTURE' });
    expect((await seller.get(`${PAGE}?at=yesterday`)).json).toMatchObject({ code: 'MOMENT_INVALID' });
    const list = await seller.get(`/panel/api/inbounds/list?at=${hidden(head)}`);
    expect([list.status, list.json?.msg.includes('foreign')]).toStrictEqual([403, false]);
    expect((await owner.get(`${PAGE}?at=${head}`)).status).toBe(200);
  });

  it('gets the end of a command for each of its events, without learning of the others', async () => {
    const { owner, seller, emailsAt } = await start(['foreign-a'], ['mine', 'more']);
    await owner.post(CHANGE, { action: 'disable', clients: [2, 1, 3] });
    const story = (await seller.get('/panel/api/clients/mine/why')).json?.obj as { story: { position: number }[] };
    const at = String(story.story.at(-1)?.position);
    const { json, headers } = await seller.get(`${PAGE}?at=${at}`);
    expect(json?.obj).toMatchObject({ counts: { all: 2 } });
    expect(headers.get('x-portolan-position')).toBeNull();
    expect(await emailsAt(at)).toStrictEqual(['mine', 'more']);
  });

  it('is told of own documents that were erased since, and of no others', async () => {
    const { panel, owner, time } = await start(['foreign-a', 'foreign-b'], ['mine']);
    const at = time();
    await owner.post(CHANGE, { action: 'delete', clients: [1, 2, 3] });
    await owner.post('/panel/api/inbounds/del/2');
    panel.later(31 * 86_400_000);
    panel.given({ type: 'EraseDeleted', data: {} });
    const { headers, text } = await (await panel.browser().login(SELLER)).get(`${PAGE}?at=${at}`);
    expect(text).toContain('erased-3');
    expect(text).not.toContain('erased-1');
    expect(headers.get('x-portolan-erased')).toBe('client-3');
    expect(headers.get('x-portolan-erased-count')).toBe('1');
    expect(headers.get('x-portolan-erased-fields')).toMatch(/^client=[\w ]+$/);
  });

  it('reads the statement of then', async () => {
    const { panel, seller, time } = await start(['foreign-a'], ['mine']);
    const grow = (up: number) =>
      panel.given({
        type: 'RecordTraffic',
        data: { run: 'r', clients: [[2, up, 0]], inbounds: [[one, up, 0]], outbounds: [] },
      });
    grow(10);
    const before = time();
    const known = await seller.get('/panel/api/clients/mine/statement');
    grow(70);
    const then = await seller.get(`/panel/api/clients/mine/statement?at=${before}`);
    expect(then.json?.obj).toStrictEqual(known.json?.obj);
    expect((await seller.get('/panel/api/clients/mine/statement')).json?.obj).toMatchObject({ counter: { up: 80 } });
    expect((await seller.get(`/panel/api/clients/foreign-a/statement?at=${before}`)).json).toMatchObject({
      code: 'CLIENT_NOT_FOUND',
    });
  });
});
