import type { ServerResponse } from 'node:http';

/** Bytes written to a socket at a time. */
const SLICE_BYTES = 64 * 1024;
/** Buffered bytes of all large answers together. */
const MAX_BUFFERED_BYTES = 128 * 1024 * 1024;

/** Larger answers go through the outbox, in bytes or characters. */
export const LARGE_ANSWER = SLICE_BYTES;

/**
 * The large answers that a server is sending. Each is sent in slices, at the speed of its reader, and is in memory once.
 * When the buffered bytes exceed the limit, the connection that has made no progress for the longest time is closed.
 */
export class Outbox {
  readonly #most: number;
  /** Buffered bytes of each answer; the answer with the latest progress is last. */
  readonly #waiting = new Map<ServerResponse, number>();
  #total = 0;

  constructor(most = MAX_BUFFERED_BYTES) {
    this.#most = most;
  }

  /** All buffered bytes. */
  get size(): number {
    return this.#total;
  }

  /** Sends the body of an answer. `end` is called after the last slice; not at all when the connection ends before. */
  send(res: ServerResponse, bytes: Buffer, end: () => void): void {
    if (res.destroyed || res.closed) return;
    let at = 0;
    const next = (): void => {
      while (at < bytes.length) {
        const taken = res.write(bytes.subarray(at, at + SLICE_BYTES));
        at += SLICE_BYTES;
        this.#set(res, Math.max(0, bytes.length - at));
        if (!taken) return;
      }
      res.off('drain', next);
      end();
    };
    res.on('drain', next).once('close', () => this.#set(res, 0));
    this.#set(res, bytes.length);
    this.#makeRoom(res);
    next();
  }

  #set(res: ServerResponse, bytes: number): void {
    this.#total += bytes - (this.#waiting.get(res) ?? 0);
    this.#waiting.delete(res);
    if (bytes > 0) this.#waiting.set(res, bytes);
  }

  /** The newest answer is never dropped, whatever its size: a panel may have that many clients. */
  #makeRoom(newest: ServerResponse): void {
    for (const [res] of this.#waiting) {
      if (this.#total <= this.#most || res === newest) return;
      this.#set(res, 0);
      res.destroy();
    }
  }
}
