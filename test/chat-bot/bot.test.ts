import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Alarm } from '../../src/lib/alarms.js';
import { message } from '../../src/messages/message.js';
import { startBotServer } from '../kit/real/servers/bot-server.js';
import { startSocksServer } from '../kit/real/servers/socks-server.js';
import { ADMIN, startBot, until } from './kit.js';

async function withAlarms(options: Parameters<typeof startBot>[0] = {}) {
  const bot = await startBot(options);
  const alarms: Alarm[] = [];
  bot.place.panel.alarms.raised$.subscribe((alarm) => void alarms.push(alarm));
  return { ...bot, alarms };
}

describe('the bot', () => {
  it('runs while the settings enable it', async () => {
    const { ask, change, server, delivery } = await startBot({ settings: { chatBotEnable: false } });
    server.write(ADMIN, '/online');
    const dispatch = (): never => expect.unreachable();
    expect(await delivery.deliver(dispatch)).toMatchObject({ code: 'CHAT_BOT_OFF' });
    expect(server.polls).toBe(0);
    change({ chatBotEnable: true });
    await until(() => server.chat(ADMIN)[0], 'what was asked meanwhile is answered');
    change({ chatBotEnable: false });
    const { polls } = server;
    server.write(ADMIN, '/online');
    change({ chatBotEnable: true });
    await until(() => server.polls > polls, 'it polls again');
    await ask('/help');
  });

  it('switches to another server when the settings change', async () => {
    const { ask, change, server } = await startBot();
    await ask('/online');
    const other = await startBotServer({ token: '9:other' });
    onTestFinished(() => other.stop());
    other.open(ADMIN);
    change({ chatBotAPIServer: `${other.url}/`, chatBotToken: '9:other' });
    other.write(ADMIN, '/online');
    await until(() => other.chat(ADMIN)[0], 'the other server has its answer');
    expect(server.chat(ADMIN)).toHaveLength(1);
  });

  it('requests the next updates, and confirms the previous ones', async () => {
    const { ask, server } = await startBot();
    await ask('/online');
    await until(() => server.offsets.includes(1002), 'the first update is confirmed');
    await ask('/online');
    await until(() => server.offsets.includes(1003), 'the second is');
    expect(server.offsets[0]).toBeNull();
  });

  it('stops when its token is rejected, reports it once, and starts with another token', async () => {
    const { alarms, change, server, place, delivery } = await withAlarms({ settings: { chatBotToken: '5:wrong' } });
    await until(() => alarms.length > 0, 'there is an alarm');
    expect(alarms).toEqual([
      {
        title: message('bot.stopped'),
        body: message('bot.tokenUnknown'),
        severity: 'error',
      },
    ]);
    const why = message('bot.tokenUnknown');
    expect(await delivery.deliver(() => expect.unreachable())).toMatchObject({
      code: 'BACKUP_NOT_SENT',
      details: { why },
    });
    expect(server.polls).toBe(0);
    change({ chatBotToken: server.token });
    server.write(ADMIN, '/online');
    await until(() => server.chat(ADMIN)[0], 'it answers');
    expect(alarms.at(-1)).toMatchObject({ title: message('bot.resumed') });
    expect(JSON.stringify([place.warnings, alarms])).not.toContain('5:wrong');
  });

  it('restarts after a bug, and reports it', async () => {
    const { ask, alarms, place } = await withAlarms();
    await ask('/online');
    vi.spyOn(place.panel.alarms, 'clear').mockImplementationOnce(() => {
      throw new TypeError('a mistake of ours');
    });
    await ask('/top');
    expect(alarms).toMatchObject([{ title: message('bot.stopped') }, { title: message('bot.resumed') }]);
    expect(place.warnings.filter((line) => line.startsWith('the chat bot failed'))).toHaveLength(1);
  });

  it('stops when its token is revoked while it runs', async () => {
    const { ask, alarms, server } = await withAlarms();
    await ask('/online');
    server.fault = () => ({ code: 401, description: 'Unauthorized' });
    server.write(ADMIN, '/online');
    await until(() => alarms.length > 0, 'there is an alarm');
    expect(alarms).toMatchObject([{ title: message('bot.stopped') }]);
    expect(server.chat(ADMIN)).toHaveLength(1);
  });

  it.each(['no token', '../../etc', '1:a/../../getMe?x=', '1:a b'])(
    'sends no request with the token %j',
    async (chatBotToken) => {
      const { server, alarms } = await withAlarms({ settings: { chatBotToken } });
      await until(() => alarms.length > 0, 'there is an alarm');
      expect([server.polls, server.calls]).toEqual([0, []]);
    },
  );

  it('reports that another program polls with the same token, and continues when that stops', async () => {
    const { ask, alarms, server } = await withAlarms();
    await ask('/online');
    server.fault = (method) => (method === 'getUpdates' ? { code: 409, description: 'Conflict' } : null);
    server.write(ADMIN, '/top');
    await until(() => alarms.length > 0, 'there is an alarm');
    expect(alarms).toMatchObject([
      {
        title: message('bot.noCommands'),
        body: message('bot.tokenInUse'),
        severity: 'error',
      },
    ]);
    server.fault = null;
    await ask('/soon');
    expect(alarms.at(-1)).toMatchObject({ title: message('bot.resumed'), severity: 'success' });
  });

  it.each([['html'], ['hang-up'], [{ code: 500 }], [{ code: 429, retryAfter: 0.05 }]] as const)(
    'continues after %j',
    async (fault) => {
      const { server, place } = await startBot();
      let faults = 0;
      server.fault = (_, times) => {
        if (times > 1) return null;
        faults += 1;
        return fault;
      };
      server.write(ADMIN, '/online');
      await until(() => server.chat(ADMIN)[0], 'it answers');
      expect(faults).toBeGreaterThan(2);
      expect(JSON.stringify(place.warnings)).not.toContain(server.token);
    },
  );

  it('reports a long outage of the server', async () => {
    const { alarms, place, server } = await withAlarms();
    server.fault = () => {
      place.clock.advance(200_000);
      return 'hang-up';
    };
    await until(() => alarms.length > 0, 'there is an alarm');
    expect(alarms).toEqual([
      {
        title: message('bot.unreachableTitle'),
        body: message('bot.unreachable'),
        severity: 'warning',
      },
    ]);
  });

  it('keeps messages until the server is reachable, and drops those that it rejects', async () => {
    const { ask, server } = await startBot();
    await ask('/online');
    server.fault = (method, times) => {
      if (method !== 'sendMessage') return null;
      if (times === 2) return { code: 400, description: 'Bad Request: something' };
      return times === 3 ? { code: 429, retryAfter: 0.05 } : null;
    };
    server.write(ADMIN, '/online');
    server.write(ADMIN, '/top');
    await until(() => server.chat(ADMIN).length === 2, 'the second answer is there');
    expect(server.chat(ADMIN).at(-1)?.text).toBe('No client has used any traffic yet');
  });

  it('reaches its server through a proxy with a password', async () => {
    const proxy = await startSocksServer({ user: 'me', password: 'p@ss' });
    onTestFinished(() => proxy.stop());
    const { ask, server } = await startBot({
      settings: { chatBotProxy: `socks5://me:p%40ss@127.0.0.1:${proxy.port}` },
    });
    await ask('/online');
    expect(proxy.asked.length).toBeGreaterThan(2);
    expect(new Set(proxy.asked)).toEqual(new Set([`127.0.0.1:${server.port}`]));
  });
});
