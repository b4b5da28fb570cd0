import { describe, expect, it } from 'vitest';
import { startTimeout } from '../../src/lib/timeout.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function stall(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** When it was given up, ms after it began; rejects never. */
const given = (ms: number): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now();
    startTimeout(ms, () => resolve(performance.now() - began));
  });

describe('a timeout', () => {
  it('ends after its duration', async () => {
    expect(await given(200)).toBeGreaterThan(190);
  });

  it('does not end because the event loop was stalled: an answer that arrived meanwhile is read first', async () => {
    const order: string[] = [];
    const answer = pause(300).then(() => order.push('answer'));
    const end = given(250).then(() => order.push('end'));
    stall(2_000);
    await Promise.all([answer, end]);
    expect(order).toStrictEqual(['answer', 'end']);
  });

  it('ends eventually if the event loop is late at every check', async () => {
    const end = given(40);
    let over = false;
    void end.then(() => (over = true));
    while (!over) {
      stall(30);
      await pause(0);
    }
    expect(await end).toBeGreaterThan(390);
  });

  it('can be cancelled', async () => {
    let given = false;
    const end = startTimeout(20, () => (given = true));
    end();
    await pause(60);
    expect(given).toBe(false);
  });
});
