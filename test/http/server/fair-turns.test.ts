import { describe, expect, it } from 'vitest';
import { FairTurns } from '../../../src/http/server/fair-turns.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Turns of 3 ms on a clock that only work advances, and the order of the work. */
function start() {
  let clock = 0;
  const done: string[] = [];
  const turns = new FairTurns(3, () => clock);
  const add = (who: string, ms: number, charge = 0): void =>
    turns.schedule(
      () => who,
      () => {
        clock += ms;
        done.push(who);
      },
      charge,
    );
  return { turns, add, done };
}

describe('FairTurns', () => {
  it('runs at once the work that fits into a turn, and no more', async () => {
    const { turns, add, done } = start();
    for (let i = 0; i < 10; i += 1) add('a', 1);
    expect([done.length, turns.waiting]).toStrictEqual([3, 7]);
    await nextTurn();
    expect([done.length, turns.waiting]).toStrictEqual([6, 4]);
    // New work queues behind waiting work, although this turn has time left.
    add('a', 1);
    expect(turns.waiting).toBe(5);
    for (let i = 0; i < 3; i += 1) await nextTurn();
    expect([done.length, turns.waiting]).toStrictEqual([11, 0]);
    add('a', 1);
    expect(done.length).toBe(12);
  });

  it('lets other work on the event loop run between two turns', async () => {
    const { turns, add } = start();
    const heard: number[] = [];
    for (let i = 0; i < 5; i += 1) add('a', 100);
    while (turns.waiting > 0) {
      await nextTurn();
      heard.push(turns.waiting);
    }
    expect(heard).toStrictEqual([3, 2, 1, 0]);
  });

  it('serves the queues round-robin: a thousand items of one delay another by one', async () => {
    const { add, done } = start();
    for (let i = 0; i < 1000; i += 1) add('many', 1);
    add('few', 1);
    add('few', 1);
    add('one', 1);
    await nextTurn();
    await nextTurn();
    expect(done.slice(3)).toStrictEqual(['many', 'few', 'one', 'many', 'few', 'many']);
  });

  it('counts the charge of work that took less time', async () => {
    const { turns, add } = start();
    for (let i = 0; i < 4; i += 1) add('a', 0, 1.5);
    expect(turns.waiting).toBe(2);
    await nextTurn();
    expect(turns.waiting).toBe(0);
  });

  it('continues after work that fails', async () => {
    const { turns, add, done } = start();
    const fails = () => {
      throw new Error('work');
    };
    expect(() => turns.schedule(() => 'a', fails)).toThrow('work');
    add('a', 3);
    add('a', 1);
    await nextTurn();
    expect([done.length, turns.waiting]).toStrictEqual([2, 0]);
  });
});
