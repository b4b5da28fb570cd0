/** A task, unless the signal comes first: then it rejects with `reason()`, whatever becomes of the task. */
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
