import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Dispatch } from '../../../../src/commands/bus.js';
import { asSystem } from '../../../../src/commands/bus.js';
import { Rejection, reject } from '../../../../src/commands/rejection.js';
import { UserId } from '../../../../src/events/ids.js';
import { UnsavedSessions } from '../../../../src/http/panel/auth/unsaved.js';
import { verbatim } from '../../../../src/messages/message.js';
import { codeAt, TOKEN } from '../../../kit/totp.js';
import { ADMIN, startPanel } from '../../kit/panel.js';

const LIST = '/panel/api/inbounds/list';
const UPDATE = '/panel/setting/update';
const FULL = { success: false, msg: 'The disk is full: nothing was changed' };
const WRONG = { success: false, msg: 'Invalid username or password or two-factor code.' };
const types = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

describe('a login while nothing can be saved', () => {
  it('succeeds without its event, which is recorded with its original time when there is space', async () => {
    const panel = await startPanel();
    panel.storage('full');
    const before = panel.now();
    const browser = await panel.browser().login();
    const after = panel.now();
    const head = panel.log.head().position;
    expect(await browser.get(LIST)).toMatchObject({ status: 200, json: { success: true, obj: [] } });
    expect((await browser.post(UPDATE, { subAnnounce: 'x' })).json).toMatchObject(FULL);
    panel.later(60_000);
    panel.tick();
    expect(panel.log.head().position).toBe(head);

    panel.storage(null);
    panel.tick();
    const [event, ...more] = panel.log.read(head, 10);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'LoggedIn',
      data: { user: 1, epoch: 0 },
      meta: { actor: { kind: 'user', id: '1' } },
    });
    expect(event?.meta.at).toBeGreaterThanOrEqual(before);
    expect(event?.meta.at).toBeLessThanOrEqual(after);
    // The same session continues, and nothing is recorded twice.
    expect((await browser.post(UPDATE, { subAnnounce: 'x' })).json).toMatchObject({ success: true });
    panel.tick();
    expect(types(panel.log.read(head, 10))).toEqual(['LoggedIn', 'SettingsChanged']);
  });

  it.each(['busy', 'read-only', 'failed'] as const)('succeeds when the disk is %s', async (kind) => {
    const panel = await startPanel();
    panel.storage(kind);
    const browser = await panel.browser().login();
    expect((await browser.get(LIST)).json).toMatchObject({ success: true });
    expect((await browser.post(UPDATE, { subAnnounce: 'x' })).json?.success).toBe(false);
  });

  it('succeeds when the log was closed because it is damaged', async () => {
    const why = 'the log lost events';
    const panel = await startPanel({ closed: () => reject('STORAGE_READ_ONLY', { why: verbatim(why) }) });
    const browser = await panel.browser().login();
    expect((await browser.get(LIST)).json).toMatchObject({ success: true });
    const refused = { success: false, msg: `Nothing can be written: ${why}` };
    expect((await browser.post(UPDATE, { subAnnounce: 'x' })).json).toMatchObject(refused);
    expect((await panel.browser().post('/login', { ...ADMIN, password: 'wrong' })).json).toMatchObject(WRONG);
  });

  it('is still rejected with a wrong password, and locked after five of them', async () => {
    const panel = await startPanel();
    panel.storage('full');
    for (let time = 0; time < 5; time += 1)
      expect((await panel.browser().post('/login', { ...ADMIN, password: 'wrong' })).json).toMatchObject(WRONG);
    expect((await panel.browser().post('/login', ADMIN)).json).toMatchObject(WRONG);
  });

  it('accepts a two-factor code once, also when there is space again before the login is recorded', async () => {
    const panel = await startPanel();
    const code = () => codeAt(TOKEN, panel.now());
    const first = await panel.browser().login();
    const on = { twoFactorEnable: true, twoFactorToken: TOKEN, twoFactorCode: code() };
    expect((await first.post(UPDATE, on)).json?.success).toBe(true);
    panel.later(60_000);
    panel.storage('full');
    const login = async (twoFactorCode: string) =>
      (await panel.browser().post('/login', { ...ADMIN, twoFactorCode })).json;
    expect(await login('000000')).toMatchObject(WRONG);
    const used = code();
    expect(await login(used)).toMatchObject({ success: true });
    expect(await login(used)).toMatchObject(WRONG);
    panel.storage(null);
    expect(await login(used)).toMatchObject(WRONG);
    // The code has expired when it is recorded, but was valid when it was used.
    panel.later(600_000);
    const head = panel.log.head().position;
    panel.tick();
    expect(types(panel.log.read(head, 10))).toEqual(['TwoFactorCodeUsed', 'LoggedIn']);
  });

  it('ends with its logout, which is recorded after it', async () => {
    const panel = await startPanel();
    panel.storage('full');
    const browser = await panel.browser().login();
    const socket = new WebSocket(`ws://127.0.0.1:${panel.port}/ws`, { headers: { cookie: browser.cookie } });
    await once(socket, 'open');
    const { cookie } = browser;
    expect((await browser.post('/logout')).json).toMatchObject({ success: true });
    const closed = once(socket, 'close');
    panel.tick();
    await closed;
    expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
    const head = panel.log.head().position;
    panel.storage(null);
    panel.tick();
    expect(types(panel.log.read(head, 10))).toEqual(['LoggedIn', 'LoggedOut']);
    expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
  });

  it('does not revive a session whose end was recorded before', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const { cookie } = browser;
    panel.storage('full');
    expect((await browser.post('/logout')).json).toMatchObject({ success: true });
    expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
    const head = panel.log.head().position;
    panel.storage(null);
    panel.tick();
    expect(types(panel.log.read(head, 10))).toEqual(['LoggedOut']);
    expect((await panel.call('GET', LIST, { headers: { cookie } })).status).toBe(404);
  });

  it('does not outlive new credentials that were saved before it was recorded', async () => {
    const panel = await startPanel();
    panel.storage('full');
    const browser = await panel.browser().login();
    panel.storage(null);
    const data = { user: UserId.parse(1), username: ADMIN.username, passwordHash: 'plain another one' };
    panel.given({ type: 'ChangeCredentials', data });
    expect((await browser.get(LIST)).status).toBe(404);
    panel.tick();
    expect((await browser.get(LIST)).status).toBe(404);
  });

  it('is rejected with the reason when too many others wait', () => {
    let done: ReturnType<Dispatch> = reject('STORAGE_FULL');
    const dispatched: string[] = [];
    const unsaved = new UnsavedSessions({
      dispatch: (command) => {
        if (!(done instanceof Rejection) && command.type === 'RecordLogin')
          dispatched.push(command.data.session.idHash);
        return done;
      },
      now: () => 1,
      epochOf: () => 0,
      most: 2,
    });
    const begin = (idHash: string) => {
      const data = { user: UserId.parse(1), session: { idHash, csrfToken: '', device: 'Firefox' }, expiresAt: 5 };
      return unsaved.begin({ type: 'RecordLogin', data }, asSystem('test'));
    };
    expect([begin('a'), begin('b')]).toEqual([null, null]);
    expect(begin('c')).toMatchObject({ code: 'STORAGE_FULL' });
    expect([unsaved.find('b'), unsaved.find('c')]).toEqual([expect.objectContaining({ user: 1 }), undefined]);
    done = { events: [] };
    unsaved.flush();
    expect([dispatched, unsaved.find('a')]).toEqual([['a', 'b'], undefined]);
  });
});
