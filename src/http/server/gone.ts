import type { ServerResponse } from 'node:http';

/** Aborts when the caller disconnects before it has its answer. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const closed = (): void => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) closed();
  else res.once('close', closed);
  return gone.signal;
}
