import type { ServerResponse } from 'node:http';

/** Aborts when the caller disconnects before it has its answer. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const closed = (): void => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return controller.signal;
}
