import { vi } from 'vitest';

/** After this time, in ms, a wait counts as hanging, even on a busy machine. */
export const HANG_MS = 120_000;

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats `check` until it does not throw, and returns what it returned. Fake timers advance between the attempts. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: HANG_MS, interval: 20 });
}

/** The first result that is not `undefined`, `null` or `false`. Throws with the last error at the timeout. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  everyMs = 50,
): Promise<T> {
  const deadline = Date.now() + HANG_MS;
  let last = '';
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error instanceof Error ? `: ${error.message}` : `: ${String(error)}`;
    }
    if (Date.now() > deadline) throw new Error(`not in ${HANG_MS / 1000} s: ${what}${last}`);
    await pause(everyMs);
  }
}
