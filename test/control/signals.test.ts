import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createShutdown } from '../../src/control/signals.js';

describe('a shutdown for a restart by the launcher', () => {
  it('ends the process with its reason after a grace period of 3 seconds', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const end = vi.fn<(why: string) => void>();
    const shutdown = createShutdown(end, true);
    const update = shutdown.for('update');
    expect(shutdown.begun()).toBe(false);
    update?.();
    expect(shutdown.begun()).toBe(true);
    vi.advanceTimersByTime(2999);
    expect(end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(end.mock.calls).toStrictEqual([['update']]);
  });

  it('is not possible without a launcher', () => {
    expect(createShutdown(() => undefined, false).for('update')).toBeNull();
  });
});
