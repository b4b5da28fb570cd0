/** The result of a task. When the signal aborts first, rejects with `reason()`, and the task's result is ignored. */
export async function unlessAborted<T>(task: Promise<T>, signal: AbortSignal, reason: () => Error): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(reason());
  });
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([task, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
