import type { ServerResponse } from 'node:http';

/** Bytes that are handed to a socket at a time. */
const SLICE = 64 * 1024;
/** Bytes of large answers that wait in the process for slow readers, all of them together. */
const MOST_WAITING = 128 * 1024 * 1024;

/** Larger answers go through the outbox, in bytes or characters. */
export const LARGE_ANSWER = SLICE;

/**
 * The large answers of a server that are on their way. Each is sent slice by slice, as its reader takes it, and is held
 * once. When more waits than there is room for, the connection ends whose reader has gone longest without taking a slice.
 */
export class Outbox {
  readonly #most: number;
  /** Bytes that wait for each; the one that moved last is the last one. */
  readonly #waiting = new Map<ServerResponse, number>();
  #total = 0;

  constructor(most = MOST_WAITING) {
    this.#most = most;
  }

  /** Bytes that wait. */
  get size(): number {
    return this.#total;
  }

  /** Sends the body of an answer. `end` is called after the last slice; not at all when the connection ends before. */
  send(res: ServerResponse, bytes: Buffer, end: () => void): void {
    if (res.destroyed || res.closed) return;
    let at = 0;
    const next = (): void => {
      while (at < bytes.length) {
        const taken = res.write(bytes.subarray(at, at + SLICE));
        at += SLICE;
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

  /** The newest stays, whatever its size: somebody may have that many clients. */
  #makeRoom(newest: ServerResponse): void {
    for (const [res] of this.#waiting) {
      if (this.#total <= this.#most || res === newest) return;
      this.#set(res, 0);
      res.destroy();
    }
  }
}
