/** Resolves after so many ms, or when the signal says that nobody waits any more. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end, { once: true });
  });
}

export type Pause = typeof pause;

/** Up to a quarter more or less, so that many panels do not come back at the same moment. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
