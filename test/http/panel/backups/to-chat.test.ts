import { describe, expect, it, vi } from 'vitest';
import { reject } from '../../../../src/commands/rejection.js';
import type { Alarm } from '../../../../src/lib/alarms.js';
import { message, type Text, verbatim } from '../../../../src/messages/message.js';
import { startPanel } from '../../kit/panel.js';
import type { FlatServices } from '../../kit/services.js';

type Delivering = FlatServices['backupDelivery']['deliver'];
const PATH = '/panel/api/backuptochatbot';

async function start(deliver: Delivering) {
  const panel = await startPanel({ parts: { backupDelivery: { deliver } } });
  const browser = await panel.browser().login();
  const alarms: Alarm[] = [];
  panel.alarms.raised$.subscribe((alarm) => void alarms.push(alarm));
  return { panel, browser, alarms };
}
const chats = (...errors: (Text | null)[]) => ({
  ...{ position: 7, bytes: 9, encrypted: false },
  chats: errors.map((error, n) => ({ chatId: n + 1, error })),
});

describe('a backup by the chat bot', () => {
  it.each([PATH, '/panel/api/backuptotgbot'])('is recorded with the caller as its actor: %s', async (path) => {
    const { panel, browser } = await start(async (dispatch) => {
      dispatch({ type: 'RecordBackupDelivered', data: chats(null, null) });
      return chats(null, null);
    });
    const { json } = await browser.post(path);
    expect(json).toEqual({
      success: true,
      msg: 'The backup was sent to every admin.',
      code: 'bot.backupSent',
      obj: [
        { chatId: 1, success: true, msg: '', msgCode: null },
        { chatId: 2, success: true, msg: '', msgCode: null },
      ],
    });
    expect(panel.appended()).toMatchObject([
      { type: 'BackupDelivered', data: chats(null, null), meta: { actor: { kind: 'user', name: 'admin' } } },
    ]);
  });

  it('reports a result for each chat, in the language of the caller', async () => {
    const { browser } = await start(async () => chats(null, message('bot.chatMissing')));
    const { json } = await browser.post(PATH);
    expect(json).toMatchObject({ success: true, msg: 'Some chats did not receive the backup.' });
    expect(json?.obj).toEqual([
      { chatId: 1, success: true, msg: '', msgCode: null },
      {
        ...{ chatId: 2, success: false, msg: 'The chat does not exist: send /start to the bot first' },
        msgCode: 'bot.chatMissing',
      },
    ]);
    const { json: russian } = await browser.post(PATH, {}, { 'accept-language': 'ru' });
    expect(JSON.stringify(russian)).not.toMatch(/Some|There/);
  });

  it.each([
    [reject('CHAT_BOT_OFF'), 'The chat bot is off: enable it in the settings first'],
    [reject('CHAT_BOT_NO_CHATS'), 'No admin chat is set: enter its ID in the settings of the chat bot'],
    [reject('BACKUP_NOT_SENT', { why: verbatim('no') }), 'The backup was not sent: no'],
  ])('fails with the reason', async (rejection, msg) => {
    const { panel, browser } = await start(async () => rejection);
    expect((await browser.post(PATH)).json).toEqual({ success: false, msg, obj: null, code: rejection.code });
    expect(panel.appended()).toEqual([]);
  });

  it('accepts only POST', async () => {
    const deliver = vi.fn<Delivering>();
    const { browser } = await start(deliver);
    expect((await browser.get(PATH)).status).toBeGreaterThanOrEqual(404);
    expect(deliver).not.toHaveBeenCalled();
  });

  it('accepts GET at the path of older clients, but not from a page of another site', async () => {
    const old = '/panel/api/inbounds/createbackup';
    const deliver = vi.fn<Delivering>(async () => chats(null));
    const { panel, browser } = await start(deliver);
    const forged = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }, { 'x-csrf-token': 'wrong' }];
    for (const headers of forged) expect((await browser.get(old, headers)).status).toBe(403);
    expect((await panel.call('GET', old)).status).toBe(404);
    expect(deliver).not.toHaveBeenCalled();
    expect((await browser.get(old)).json).toMatchObject({ success: true, obj: [{ chatId: 1, success: true }] });
    browser.token = '';
    expect((await browser.get(old)).json).toMatchObject({ success: true });
  });

  it('is answered after at most 30 s, and reports a later failure', async () => {
    let end: (value: Awaited<ReturnType<Delivering>>) => void = () => undefined;
    let asked = false;
    const { browser, alarms } = await start(() => {
      asked = true;
      return new Promise((resolve) => (end = resolve));
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = browser.post(PATH);
      while (!asked) await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(30_000);
      const { json } = await answer;
      expect(json).toEqual({
        success: true,
        msg: 'Still running in the background; a notification will report the result.',
        code: 'common.stillRunning',
        obj: [],
      });
    } finally {
      vi.useRealTimers();
    }
    end(reject('BACKUP_NOT_SENT', { why: verbatim('no') }));
    await expect
      .poll(() => alarms)
      .toEqual([
        {
          title: message('bot.backupNotSent'),
          body: reject('BACKUP_NOT_SENT', { why: verbatim('no') }).text,
          severity: 'error',
        },
      ]);
  });
});
