import { describe, expect, it } from 'vitest';
import { Voice } from '../../src/chat-bot/voice.js';
import { ChatError, type ChatLine } from '../../src/commands/ports/chat-bot.js';
import { Clock } from '../kit/clock.js';
import { until } from './kit.js';

const line = {} as ChatLine;
const away = new ChatError('unreachable', 'away');

function start() {
  const clock = new Clock();
  const said: string[] = [];
  const waited: number[] = [];
  const dropped: number[] = [];
  let failing: ((name: string) => unknown) | null = null;
  const voice = new Voice({
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
    ...{ voice, clock, said, waited, dropped },
    notice: (name: string) => voice.notice(job(name)),
    answer: (name: string) => voice.answer(job(name)),
    fail: (by: typeof failing) => void (failing = by),
  };
}

describe('what the bot wants to say', () => {
  it('goes out in its order, answers first', async () => {
    const { voice, notice, answer, said } = start();
    for (const name of ['n1', 'n2']) notice(name);
    for (const name of ['a1', 'a2']) answer(name);
    expect(said).toEqual([]);
    voice.use(line);
    await until(() => said.length === 4, 'all is said');
    expect(said).toEqual(['a1', 'a2', 'n1', 'n2']);
    notice('n3');
    await until(() => said.length === 5, 'the next is said');
  });

  it('is at most two hundred notices; the oldest are dropped, and that is told', async () => {
    const { voice, notice, said, dropped } = start();
    for (let n = 0; n < 250; n += 1) notice(`n${n}`);
    voice.use(line);
    await until(() => said.length === 200, 'the rest is said');
    expect([said[0], said.at(-1), dropped]).toEqual(['n50', 'n249', [50]]);
  });

  it('waits longer and longer while nobody is there, and as long as it is asked to', async () => {
    const { voice, notice, said, waited, fail } = start();
    let tries = 0;
    fail(() => {
      tries += 1;
      if (tries <= 8) return away;
      return tries === 9 ? new ChatError('slow', 'slow', { retryAfterMs: 3210 }) : null;
    });
    notice('n1');
    notice('n2');
    voice.use(line);
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

  it('is forgotten when nobody wants it any more', async () => {
    const { voice, notice, answer, said, clock, dropped } = start();
    answer('a1');
    notice('n1');
    clock.advance(120_001);
    answer('a2');
    voice.use(line);
    await until(() => said.length === 2, 'the rest is said');
    expect(said).toEqual(['a2', 'n1']);
    voice.stop();
    notice('n2');
    clock.advance(24 * 3_600_000 + 1);
    notice('n3');
    voice.use(line);
    await until(() => said.length === 3, 'the rest is said');
    expect([said.at(-1), dropped]).toEqual(['n3', [1]]);
  });

  it('is left out when the chat does not take it, or when it is a mistake', async () => {
    const { voice, notice, said, fail } = start();
    fail((name) => (name === 'n1' ? new ChatError('gone', 'no') : name === 'n2' ? new Error('x') : null));
    for (const name of ['n1', 'n2', 'n3']) notice(name);
    voice.use(line);
    await until(() => said.includes('n3'), 'the third is said');
    expect(said).toEqual([
      'warned: a chat did not take a message of the bot',
      'warned: the bot could not say something',
      'n3',
    ]);
  });

  it('is kept for the next bot when the token is none, and forgotten when there is none', async () => {
    const { voice, notice, said, fail } = start();
    let tries = 0;
    fail(() => (tries++ === 0 ? new ChatError('token', 'no') : null));
    notice('n1');
    voice.use(line);
    await until(() => tries === 1, 'it was tried');
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual([]);
    voice.use(line);
    await until(() => said.length === 1, 'the next bot says it');
    voice.stop();
    notice('n2');
    voice.clear();
    notice('n3');
    voice.use(line);
    await until(() => said.length === 2, 'the rest is said');
    expect(said).toEqual(['n1', 'n3']);
  });
});
