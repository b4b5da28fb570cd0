import { describe, expect, it } from 'vitest';
import { SendQueue } from '../../src/chat-bot/send-queue.js';
import { type ChatConnection, ChatError } from '../../src/commands/ports/chat-bot.js';
import { verbatim } from '../../src/messages/message.js';
import { Clock } from '../kit/clock.js';
import { until } from './kit.js';

const line = {} as ChatConnection;
const away = new ChatError('unreachable', verbatim('away'));

function start() {
  const clock = new Clock();
  const said: string[] = [];
  const waited: number[] = [];
  const dropped: number[] = [];
  let failing: ((name: string) => unknown) | null = null;
  const queue = new SendQueue({
    now: clock.now,
    warn: (message) => void said.push(`warned: ${message}`),
    dropped: (count) => void dropped.push(count),
    pause: async (ms) => {
      waited.push(ms);
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const job = (name: string) => async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const error = failing?.(name);
    if (error) throw error;
    said.push(name);
  };
  return {
    ...{ queue, clock, said, waited, dropped },
    notice: (name: string) => queue.notice(job(name)),
    answer: (name: string) => queue.answer(job(name)),
    fail: (by: typeof failing) => void (failing = by),
  };
}

describe('the queue of messages', () => {
  it('sends in order, answers first', async () => {
    const { queue, notice, answer, said } = start();
    for (const name of ['n1', 'n2']) notice(name);
    for (const name of ['a1', 'a2']) answer(name);
    expect(said).toEqual([]);
    queue.use(line);
    await until(() => said.length === 4, 'all is said');
    expect(said).toEqual(['a1', 'a2', 'n1', 'n2']);
    notice('n3');
    await until(() => said.length === 5, 'the next is said');
  });

  it('holds at most two hundred notifications, drops the oldest and reports that', async () => {
    const { queue, notice, said, dropped } = start();
    for (let n = 0; n < 250; n += 1) notice(`n${n}`);
    queue.use(line);
    await until(() => said.length === 200, 'the rest is said');
    expect([said[0], said.at(-1), dropped]).toEqual(['n50', 'n249', [50]]);
  });

  it('backs off while the server is unreachable, and waits as long as the server asks', async () => {
    const { queue, notice, said, waited, fail } = start();
    let tries = 0;
    fail(() => {
      tries += 1;
      if (tries <= 8) return away;
      return tries === 9 ? new ChatError('slow', verbatim('slow'), { retryAfterMs: 3210 }) : null;
    });
    notice('n1');
    notice('n2');
    queue.use(line);
    await until(() => said.length === 2, 'all is said');
    expect(said).toEqual(['n1', 'n2']);
    const usual = [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000);
    expect(waited).toHaveLength(9);
    usual.forEach((ms, index) => {
      expect(waited[index]).toBeGreaterThanOrEqual(ms * 0.75);
      expect(waited[index]).toBeLessThanOrEqual(ms * 1.25);
    });
    expect(waited[8]).toBe(3210);
  });

  it('drops messages that are cancelled', async () => {
    const { queue, notice, answer, said, clock, dropped } = start();
    answer('a1');
    notice('n1');
    clock.advance(120_001);
    answer('a2');
    queue.use(line);
    await until(() => said.length === 2, 'the rest is said');
    expect(said).toEqual(['a2', 'n1']);
    queue.stop();
    notice('n2');
    clock.advance(24 * 3_600_000 + 1);
    notice('n3');
    queue.use(line);
    await until(() => said.length === 3, 'the rest is said');
    expect([said.at(-1), dropped]).toEqual(['n3', [1]]);
  });

  it('drops a message that the chat rejects, or that fails by a bug', async () => {
    const { queue, notice, said, fail } = start();
    fail((name) => (name === 'n1' ? new ChatError('gone', verbatim('no')) : name === 'n2' ? new Error('x') : null));
    for (const name of ['n1', 'n2', 'n3']) notice(name);
    queue.use(line);
    await until(() => said.includes('n3'), 'the third is said');
    expect(said).toEqual([
      'warned: a chat refused a message of the bot',
      'warned: the bot could not send a message',
      'n3',
    ]);
  });

  it('is kept for the next bot when the token is invalid, and dropped without a token', async () => {
    const { queue, notice, said, fail } = start();
    let tries = 0;
    fail(() => (tries++ === 0 ? new ChatError('token', verbatim('no')) : null));
    notice('n1');
    queue.use(line);
    await until(() => tries === 1, 'it was tried');
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual([]);
    queue.use(line);
    await until(() => said.length === 1, 'the next bot says it');
    queue.stop();
    notice('n2');
    queue.clear();
    notice('n3');
    queue.use(line);
    await until(() => said.length === 2, 'the rest is said');
    expect(said).toEqual(['n1', 'n3']);
  });
});
