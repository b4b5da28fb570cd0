import { describe, expect, it, onTestFinished } from 'vitest';
import { createChatService } from '../../src/adapters/chat-bot/service.js';
import { createWeb } from '../../src/adapters/web/web.js';
import { poll } from '../../src/chat-bot/polling.js';
import { type Fault, startBotServer } from '../kit/real/bot-server.js';

const TURNS = 6;

/** What the polls waited for between each other, in ms, until the server has answered a few times. */
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
    take: () => void (taken += 1),
    heard: (trouble) => void heard.push(trouble && trouble.error.kind),
    now: Date.now,
    pause: async (ms) => void pauses.push(ms),
  });
  return { pauses: pauses.slice(0, TURNS - 1), heard, taken: () => taken };
}

const message = { message_id: 1, date: 5, chat: { id: 2 }, from: { id: 3 }, text: 'x' };

describe('the polls', () => {
  it.each<[string, Fault, string | null]>([
    ['has nothing and says so at once', { result: [] }, null],
    ['gives the same again and again', { result: [{ update_id: 1 }] }, null],
    ['gives something else', { result: 'x' }, 'unreachable'],
  ])('wait longer and longer for a server that %s', async (_, fault, trouble) => {
    const { pauses, heard } = await pausesWith(() => fault);
    expect(new Set(heard)).toEqual(new Set([trouble]));
    expect(pauses.length).toBeGreaterThanOrEqual(TURNS - 2);
    for (const [index, ms] of pauses.entries()) expect(ms).toBeGreaterThan(700 * 2 ** index);
  });

  it('go on at once while there is something new', async () => {
    const { pauses, taken } = await pausesWith((times) => ({ result: [{ update_id: times, message }] }));
    expect(pauses).toEqual([]);
    expect(taken()).toBeGreaterThanOrEqual(TURNS - 1);
  });

  it('take an update once that comes again', async () => {
    const { taken } = await pausesWith(() => ({ result: [{ update_id: 1, message }] }));
    expect(taken()).toBe(1);
  });
});
