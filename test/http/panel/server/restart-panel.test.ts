import { describe, expect, it } from 'vitest';
import { reject } from '../../../../src/commands/rejection.js';
import { PanelRestartRequested } from '../../../../src/events/panel.js';
import { message } from '../../../../src/messages/message.js';
import { startPanel } from '../../kit/panel.js';

describe('restartPanel', () => {
  it('answers at once, and records the request of the caller for the servers', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const answer = await browser.post('/panel/setting/restartPanel');
    expect(answer.json).toEqual({
      ...{ success: true, msg: 'The panel restarts in 3 seconds.', obj: null },
      code: 'settings.panelRestarting',
    });
    const events = panel.appended();
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual([PanelRestartRequested({})]);
    expect(events[0]?.meta.actor).toMatchObject({ kind: 'user', name: 'admin' });
  });

  it('reports a restart in progress, and records nothing', async () => {
    const panel = await startPanel({ restarting: () => true });
    const browser = await panel.browser().login();
    const answer = await browser.post('/panel/setting/restartPanel');
    expect(answer.json).toEqual({
      success: false,
      msg: 'The panel is already restarting',
      obj: null,
      code: 'RESTART_UNDER_WAY',
    });
    expect(panel.appended()).toEqual([]);
  });

  it('rejects at once, with a reason, a restart that would fail', async () => {
    const restartProblem = async () => reject('PORT_TAKEN', { port: 9, by: message('inbound.otherProgram') }).text;
    const panel = await startPanel({ parts: { restartProblem } });
    const browser = await panel.browser().login();
    const answer = await browser.post('/panel/setting/restartPanel');
    expect(answer.json).toEqual({
      success: false,
      msg: 'The panel was not restarted and keeps running: Port already exists: 9 is used by another program',
      obj: null,
      code: 'RESTART_REFUSED',
    });
    expect(panel.appended()).toEqual([]);
  });

  it('warns when the panel will no longer be reachable under this name', async () => {
    const panel = await startPanel();
    const browser = await panel.browser().login();
    const restarted = async (webDomain: string): Promise<string | undefined> => {
      // It takes effect with the restart: until then the caller can revert it.
      expect((await browser.post('/panel/setting/update', { webDomain })).json).toMatchObject({
        success: true,
        obj: { restart: ['webDomain'] },
      });
      return (await browser.post('/panel/setting/restartPanel')).json?.msg;
    };
    expect(await restarted('panel.example')).toBe(
      'The panel restarts in 3 seconds. After that it is reachable only at its domain, not at the host name that you are using now.',
    );
    expect(await restarted('127.0.0.1:80')).toBe('The panel restarts in 3 seconds.');
    expect(await restarted('')).toBe('The panel restarts in 3 seconds.');
  });

  it('has one effect and the same answer for the same Idempotency-Key, even while the restart is under way', async () => {
    let underWay = false;
    const panel = await startPanel({ restarting: () => underWay });
    const browser = await panel.browser().login();
    const headers = { 'idempotency-key': 'once' };
    const first = await browser.post('/panel/setting/restartPanel', {}, headers);
    underWay = true;
    const second = await browser.post('/panel/setting/restartPanel', {}, headers);
    expect(second.json).toEqual(first.json);
    expect(panel.appended()).toEqual([]);
  });

  it('accepts the token only under /panel/api, and rejects callers without one', async () => {
    const panel = await startPanel();
    panel.given({ type: 'IssueApiToken', data: { token: 'secret-token', replace: true } });
    const headers = { authorization: 'Bearer secret-token' };
    expect((await panel.call('POST', '/panel/setting/restartPanel', { headers })).status).toBe(404);
    expect((await panel.call('POST', '/panel/api/setting/restartPanel')).status).toBe(404);
    expect((await panel.call('GET', '/panel/api/setting/restartPanel', { headers })).status).toBe(404);
    expect(panel.appended()).toEqual([]);
    const answer = await panel.call('POST', '/panel/api/setting/restartPanel', { headers });
    expect(answer.json?.success).toBe(true);
    expect(panel.appended().map(({ type }) => type)).toEqual(['PanelRestartRequested']);
  });
});
