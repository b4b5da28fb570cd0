/** Resolves after `ms`, or as soon as the signal aborts. Never rejects. */
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

/** Changes a time by up to a quarter, so that many panels do not retry at the same moment. */
export function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
