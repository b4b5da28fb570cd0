import { ChatError, type ChatLine, type ChatUpdate } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import { jittered, type Pause } from './pause.js';

/** Why the server does not answer, and since how many tries and ms. */
export interface Trouble {
  readonly error: ChatError;
  readonly times: number;
  readonly ms: number;
}

interface Parts {
  /** Takes one update, and never throws. */
  readonly take: (update: ChatUpdate) => void;
  /** Null = the server answers. */
  readonly heard: (trouble: Trouble | null) => void;
  readonly now: () => number;
  readonly pause: Pause;
}

/** A server without news holds the question for half a minute; one that says so at once does not know how to. */
const HELD_MS = 1000;
/** Somebody else may just be ending. */
const TAKEN_MS = 3000;
/** After a week without news the server numbers anew, by chance lower: long before that no number is asked for, in ms. */
const QUIET_MS = 3_600_000;
/** Updates that are known again: what one answer may hold, twice. */
const REMEMBERED = 200;

/**
 * Asks for updates until the signal aborts. Waits between tries, longer and longer, and as long as the server says; so it
 * does after answers that bring nothing and come at once. After an outage, and when nothing came for long, it asks for
 * whatever there is: the numbers of updates may have begun anew. What was taken before is not taken again.
 * Rejects with `ChatError` 'token' when the token is none: trying again would not help.
 */
export async function poll(line: ChatLine, signal: AbortSignal, { take, heard, now, pause }: Parts): Promise<void> {
  const backoff = new Backoff(now);
  const isNew = memory();
  let next: number | null = null;
  let newest = now();
  let trouble = { times: 0, since: 0 };
  while (!signal.aborted) {
    try {
      const asked = now();
      const batch = await line.updates(next, signal);
      heard(null);
      trouble = { times: 0, since: 0 };
      const hasty = batch.next === next && now() - asked < HELD_MS;
      if (batch.next !== next) newest = now();
      next = now() - newest < QUIET_MS ? batch.next : null;
      for (const update of batch.updates) if (!signal.aborted && isNew(update)) take(update);
      if (!hasty) backoff.forgive();
      else {
        backoff.failed(false);
        await pause(jittered(backoff.remaining()), signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChatError) || error.kind === 'token') throw error;
      next = null;
      trouble = { times: trouble.times + 1, since: trouble.times === 0 ? now() : trouble.since };
      heard({ error, times: trouble.times, ms: now() - trouble.since });
      backoff.failed(false);
      const least = error.kind === 'taken' ? TAKEN_MS : error.retryAfterMs;
      await pause(Math.max(least, jittered(backoff.remaining())), signal);
    }
  }
}

/** Whether an update did not come before. Its number alone does not say that. */
function memory(): (update: ChatUpdate) => boolean {
  const known = new Set<string>();
  return (update) => {
    const name = JSON.stringify(update);
    if (known.has(name)) return false;
    known.add(name);
    const [oldest] = known;
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return true;
  };
}
