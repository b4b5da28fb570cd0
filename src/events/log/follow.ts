import type { RecordedEvent } from '../catalog.js';
import type { EventLog } from './log.js';

/** The follower was too slow. It can continue later from `position`. */
export class FollowerTooSlow extends Error {
  override readonly name = 'FollowerTooSlow';
  readonly position: number;

  constructor(position: number) {
    super(`the follower was too slow and was disconnected at position ${position}`);
    this.position = position;
  }
}

interface Options {
  /** Events in one page of past events. */
  readonly page?: number;
  /** Maximum number of events that are queued for a follower. */
  readonly waiting?: number;
  /** Ends the iteration, also while it waits. */
  readonly signal?: AbortSignal;
}

/**
 * Yields all events after `position`: first pages of past events, read on demand, then live events, without gaps or
 * duplicates. Throws `FollowerTooSlow` when too many events are queued.
 */
export async function* follow(
  log: Pick<EventLog, 'read' | 'appended$'>,
  position: number,
  { page = 500, waiting = 10_000, signal }: Options = {},
) {
  let seen = position;
  for (let events = log.read(seen, page); events.length > 0; events = log.read(seen, page)) {
    yield events;
    seen = events.at(-1)?.position ?? seen;
  }
  // No `await` between the empty page and the subscription: nothing can be appended in between.
  const live = new LiveQueue(log, waiting, signal);
  try {
    for (;;) {
      const events = await live.next();
      if (events === null) return;
      if (events.length > 0) yield events;
      seen = events.at(-1)?.position ?? seen;
      if (live.overflowed) throw new FollowerTooSlow(seen);
    }
  } finally {
    live.close();
  }
}

class LiveQueue {
  overflowed = false;
  #events: RecordedEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #subscription;
  readonly #signal: AbortSignal | undefined;
  readonly #abort = (): void => this.#end();

  constructor(log: Pick<EventLog, 'appended$'>, limit: number, signal?: AbortSignal) {
    const wake = (): void => this.#wake?.();
    this.#signal = signal;
    signal?.addEventListener('abort', this.#abort);
    this.#ended = signal?.aborted ?? false;
    this.#subscription = log.appended$.subscribe({
      next: (events) => {
        if (this.overflowed) return; // later events would follow a gap
        if (this.#events.length + events.length > limit) this.overflowed = true;
        else this.#events.push(...events);
        wake();
      },
      complete: () => this.#end(),
    });
  }

  async next(): Promise<readonly RecordedEvent[] | null> {
    while (this.#events.length === 0 && !this.#ended && !this.overflowed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#events.length === 0) return this.overflowed ? [] : null;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  close(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#subscription.unsubscribe();
    this.#wake?.();
  }
}
