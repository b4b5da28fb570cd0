import { describe, expect, it, onTestFinished } from 'vitest';
import { createChatService } from '../../src/adapters/chat-bot/service.js';
import { createWeb } from '../../src/adapters/web/web.js';
import { poll } from '../../src/chat-bot/polling.js';
import { type BotServer, type Fault, startBotServer } from '../kit/real/servers/bot-server.js';

const TURNS = 6;

/** The pauses between polls, in ms, until the server has responded a few times. */
async function pausesWith(answer: (times: number) => Fault) {
  const server = await startBotServer();
  onTestFinished(() => server.stop());
  const line = await createChatService(createWeb({ allowPrivate: true })).open({
    ...server,
    server: server.url,
    proxy: '',
  });
  const end = new AbortController();
  const pauses: number[] = [];
  const heard: (string | null)[] = [];
  let taken = 0;
  server.fault = (_, times) => {
    if (times === TURNS) end.abort();
    return answer(times);
  };
  await poll(line, end.signal, {
    handle: () => void (taken += 1),
    onOutage: (outage) => void heard.push(outage && outage.error.kind),
    now: Date.now,
    pause: async (ms) => void pauses.push(ms),
  });
  return { pauses: pauses.slice(0, TURNS - 1), heard, taken: () => taken };
}

const message = { message_id: 1, date: 5, chat: { id: 2 }, from: { id: 3 }, text: 'x' };

describe('the polling of updates', () => {
  it.each<[string, Fault, string | null]>([
    ['has nothing and says so at once', { result: [] }, null],
    ['gives the same again and again', { result: [{ update_id: 1 }] }, null],
    ['gives something else', { result: 'x' }, 'unreachable'],
  ])('backs off for a server that %s', async (_, fault, trouble) => {
    const { pauses, heard } = await pausesWith(() => fault);
    expect(new Set(heard)).toEqual(new Set([trouble]));
    expect(pauses.length).toBeGreaterThanOrEqual(TURNS - 2);
    for (const [index, ms] of pauses.entries()) expect(ms).toBeGreaterThan(700 * 2 ** index);
  });

  it('continues at once while there are updates', async () => {
    const { pauses, taken } = await pausesWith((times) => ({ result: [{ update_id: times, message }] }));
    expect(pauses).toEqual([]);
    expect(taken()).toBeGreaterThanOrEqual(TURNS - 1);
  });

  it('processes a repeated update once', async () => {
    const { taken } = await pausesWith(() => ({ result: [{ update_id: 1, message }] }));
    expect(taken()).toBe(1);
  });

  describe('when the server restarts the numbers of its updates', () => {
    /** The processed updates, in order, after `script` sent messages before a poll or changed the server. */
    async function takenOf(script: (server: BotServer, turn: number, pass: (ms: number) => void) => Fault | null) {
      const server = await startBotServer();
      onTestFinished(() => server.stop());
      const line = await createChatService(createWeb({ allowPrivate: true })).open({
        ...server,
        server: server.url,
        proxy: '',
      });
      const end = new AbortController();
      const taken: string[] = [];
      let passed = 0;
      server.fault = (_, turn) => script(server, turn, (ms) => void (passed += ms));
      await poll(line, end.signal, {
        handle({ content: said }) {
          if (said === 'end') end.abort();
          else taken.push(String(said));
        },
        onOutage: () => undefined,
        now: () => Date.now() + passed,
        pause: async () => undefined,
      });
      return taken;
    }

    it('receives updates after a long idle time', async () => {
      const taken = await takenOf((server, turn, pass) => {
        if (turn === 1) server.write(3, 'high');
        if (turn === 2) {
          pass(7 * 24 * 3_600_000);
          return { result: [] };
        }
        if (turn === 3) {
          server.renumber(5);
          server.write(3, 'low');
          server.write(3, 'end');
        }
        return null;
      });
      expect(taken).toEqual(['high', 'low']);
    });

    it.each<Fault>(['hang-up', 'html', { code: 500 }])('receives updates after an outage: %j', async (fault) => {
      const taken = await takenOf((server, turn) => {
        if (turn === 1) server.write(3, 'high');
        if (turn === 2) return { result: [] };
        if (turn === 3) return fault;
        if (turn === 4) {
          server.forget();
          server.renumber(5);
          server.write(3, 'low');
          server.write(3, 'end');
        }
        return null;
      });
      expect(taken).toEqual(['high', 'low']);
    });

    it('processes no update twice after an outage prevented its confirmation', async () => {
      const taken = await takenOf((server, turn) => {
        if (turn === 1) server.write(3, 'first');
        if (turn === 2) return 'hang-up';
        if (turn === 3) {
          server.write(3, 'second');
          server.write(3, 'end');
        }
        return null;
      });
      expect(taken).toEqual(['first', 'second']);
    });
  });
});
