import { describe, expect, it } from 'vitest';
import { atOnce, inSlices, type Steps } from '../../../src/lib/time/slices.js';

function* busy(ms: number): Steps<number> {
  const end = performance.now() + ms;
  let steps = 0;
  for (; performance.now() < end; steps += 1) yield;
  return steps;
}

describe('a computation in slices', () => {
  it('has the result of all its steps', async () => {
    function* three(): Steps<string> {
      yield;
      yield;
      return 'done';
    }
    expect(atOnce(three())).toBe('done');
    expect(await inSlices(three())).toBe('done');
  });

  it('lets other work run in between', async () => {
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    expect(await inSlices(busy(60))).toBeGreaterThan(0);
    over = true;
    expect(turns).toBeGreaterThan(1);
  });

  it('ends when it is aborted', async () => {
    const stopping = new AbortController();
    const result = inSlices(busy(60_000), stopping.signal);
    stopping.abort(new RangeError('stopped'));
    await expect(result).rejects.toThrow('stopped');
  });

  it('rejects with the error of a step', async () => {
    function* failing(): Steps<never> {
      yield;
      throw new RangeError('no');
    }
    await expect(inSlices(failing())).rejects.toThrow('no');
  });
});
