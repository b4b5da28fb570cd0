import { describe, expect, it } from 'vitest';
import { CpuWatch } from '../../src/chat-bot/cpu-watch.js';
import type { AnyCommand } from '../../src/commands/catalog.js';
import { verbatim } from '../../src/messages/message.js';
import { DAY, draft, one, T0, userId } from '../kit/builders.js';
import { ADMIN, GROUP, OTHER_ADMIN, startBot, until } from './kit.js';

const GB = 1024 ** 3;
const failed = (reason: 'credentials' | 'two-factor' | 'locked', count = 1, username = '<b>root'): AnyCommand => ({
  type: 'RecordLoginFailures',
  data: { attempt: { username, ip: '203.0.113.9' }, reason, count },
});
const login: AnyCommand = {
  type: 'RecordLogin',
  data: { user: userId(1), session: { idHash: 'x', csrfToken: 'y', device: 'Firefox' }, expiresAt: T0 + DAY },
};
const used = (client: number, bytes: number): AnyCommand => ({
  type: 'RecordTraffic',
  data: { run: 'r1', clients: [[client, 0, bytes]], inbounds: [], outbounds: [] },
});

/** A bot that has logged in. */
async function start(options: Parameters<typeof startBot>[0] = {}) {
  const bot = await startBot(options);
  await bot.ask('/online');
  const texts = (chat = OTHER_ADMIN): string[] => bot.server.chat(chat).map(({ text }) => text);
  /** Waits for so many notices. */
  const told = (count: number): Promise<string[]> =>
    until(() => (texts().length >= count ? texts() : undefined), `${count} notices`);
  return { ...bot, told, texts };
}

describe('every admin is notified', () => {
  it('of logins and failed logins, in one message', async () => {
    const { place, told, server } = await start();
    place.must(login, failed('credentials', 1, 'root'), failed('credentials', 1, 'root'));
    place.must(failed('two-factor'), failed('locked', 7));
    expect((await told(1))[0]?.split('\n')).toEqual([
      'Logins',
      'root logged in from 203.0.113.7',
      'Wrong password for root from 203.0.113.9 (2 times)',
      'Correct password but wrong two-factor code for <b>root from 203.0.113.9',
      'Locked out: <b>root from 203.0.113.9 (7 times)',
    ]);
    await until(() => server.chat(ADMIN).length === 2 && server.chat(GROUP).length === 1, 'the others are told too');
  });

  it('of no login when the settings disable that', async () => {
    const { place, told } = await start({ settings: { chatBotLoginNotify: false } });
    place.must(login, failed('credentials'));
    place.panel.alarms.notify({
      title: verbatim('The panel restarts'),
      body: verbatim('because'),
      severity: 'warning',
    });
    expect(await told(1)).toEqual(['Panel events\nThe panel restarts: because']);
  });

  it('in few lines when there are many events', async () => {
    const { place, told } = await start();
    for (let n = 0; n < 40; n += 1) place.must(failed('credentials', 1, `user-${n}`));
    const [text = ''] = await told(1);
    expect(text.split('\n')).toHaveLength(32);
    expect(text).toMatch(/\nand 10 more$/);
  });

  it('of depleted clients, with the reason', async () => {
    const { place, told } = await start({
      clients: [draft('ann', 1, { spec: { capBytes: GB } }), draft('ben', 2, { spec: { expiresAt: T0 + 5 } })],
    });
    place.must(used(1, GB));
    place.clock.advance(10);
    place.must({ type: 'DepleteExpired', data: {} });
    expect(await told(1)).toEqual([
      'These clients have expired or used up their traffic\nann: its traffic cap is used up\nben: expired',
    ]);
  });

  it('of a core failure, once for the same reason, and of its recovery', async () => {
    const { place, told } = await start();
    const fails = (reason: string): AnyCommand => ({
      type: 'RecordCoreFailed',
      data: { run: null, reason: verbatim(reason) },
    });
    const runs: AnyCommand = { type: 'RecordCoreStarted', data: { run: 'r9', version: '26.7.28', reason: 'recovery' } };
    place.must(fails('no <port>'));
    expect(await told(1)).toEqual(['Panel events\nThe core failed: no <port>']);
    place.must(
      fails('no <port>'),
      { type: 'RecordCoreStopped', data: { run: 'r9', reason: 'configuration' } },
      runs,
      runs,
    );
    expect((await told(2))[1]).toBe('Panel events\nThe core is running: Version 26.7.28');
    place.clock.advance(30 * 60_000);
    place.must(fails('no <port>'));
    expect((await told(3))[2]).toBe('Panel events\nThe core failed: no <port>');
  });

  it('of an inbound that the core rejects, with the reason', async () => {
    const { place, told } = await start();
    const reason = 'open /srv/cert/a.pem: no such file or directory';
    place.must({ type: 'RecordInboundRejected', data: { inbound: one, reason: verbatim(reason) } });
    expect(await told(1)).toEqual([`Panel events\nThe core rejects an inbound: Inbound 1: ${reason}`]);
  });

  it('of high processor load that lasts', async () => {
    const { told, busy, change } = await start({ settings: { chatBotCpu: 50 } });
    busy(...Array.from({ length: 120 }, () => 51));
    expect(await told(1)).toEqual(['Panel events\nCPU usage has been above 50% for two minutes']);
    busy(...Array.from({ length: 120 }, () => 10));
    expect((await told(2))[1]).toBe('Panel events\nCPU usage is back to normal');
    change({ chatBotCpu: 0 });
    busy(...Array.from({ length: 120 }, () => 100));
  });

  it('of nothing when the bot is disabled', async () => {
    const { place, change, texts, ask } = await start();
    change({ chatBotEnable: false });
    place.must(login);
    change({ chatBotEnable: true });
    await ask('/help');
    expect(texts()).toEqual([]);
  });
});

describe('a client that is nearly depleted', () => {
  const clients = [
    draft('ann', 1, { spec: { expiresAt: T0 + DAY } }),
    draft('ben', 2, { spec: { capBytes: 3 * GB } }),
    draft('cid', 3, { spec: { expiresAt: T0 + 90 * DAY } }),
  ];
  const settings = { expireDiff: 2, trafficDiff: 1 };
  const ANN = 'These clients are close to their expiry or traffic cap\nann: ∞ left, expires 2023-11-15 22:13';
  const BEN = 'These clients are close to their expiry or traffic cap\nben: 512 MB left, expires ∞';

  it('is reported once, also after a restart, and again in the next period', async () => {
    const { place, told, mark, appended, bot, make, look, texts } = await start({ clients, settings });
    mark();
    look();
    expect(await told(1)).toEqual([ANN]);
    expect(appended().map(({ data }) => data)).toEqual([{ expiring: [1], nearCap: [] }]);
    expect(appended()[0]?.meta.actor).toMatchObject({ kind: 'system', name: 'chat-bot' });
    place.must(used(2, 2.5 * GB));
    look();
    look();
    expect(await told(2)).toEqual([ANN, BEN]);
    bot.stop();
    const { bot: next } = make();
    next.begin();
    look(next);
    // A term that is moved is another one.
    const moved = draft('ann', 1, { spec: { expiresAt: T0 + DAY + 60_000 } });
    place.must({ type: 'UpdateClient', data: { inbound: one, client: { email: 'ann' }, draft: moved } });
    look(next);
    await until(() => texts().length === 3, 'ann is told of again');
    expect(texts()[2]).toBe(ANN.replace('22:13', '22:14'));
    next.stop();
  });

  it('is not reported when the settings disable that, or when it was deleted', async () => {
    const { place, look, mark, appended, change } = await start({ clients });
    mark();
    look();
    change(settings);
    place.must({ type: 'DeleteClient', data: { inbound: one, client: { email: 'ann' } } });
    mark();
    look();
    expect(appended()).toEqual([]);
    expect([...place.panel.read.records.warnedOf().expiry]).toEqual([]);
  });
});

describe('the processor load monitor', () => {
  it('ignores peaks, and reports once', () => {
    const watch = new CpuWatch();
    const news = (cpu: number, count: number) =>
      Array.from({ length: count }, () => watch.add(cpu, 80)).filter((one) => one !== null);
    expect(news(100, 30)).toEqual([]);
    expect(news(0, 60)).toEqual([]);
    expect(news(81, 300)).toEqual(['high']);
    // Between the limit and ten under it nothing is new, however often it goes up and down.
    expect([...news(75, 300), ...news(90, 300), ...news(71, 300)]).toEqual([]);
    expect(news(69, 300)).toEqual(['normal']);
    expect(news(100, 60)).toEqual(['high']);
    expect(watch.add(100, 0)).toBeNull();
    expect(news(100, 59)).toEqual([]);
  });
});
