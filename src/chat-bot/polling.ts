import { type ChatConnection, ChatError, type ChatUpdate } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import { jittered, type Pause } from './pause.js';

/** Why the bot API does not answer, for how many attempts and ms. */
export interface Outage {
  readonly error: ChatError;
  readonly times: number;
  readonly ms: number;
}

interface Parts {
  /** Handles one update. Never throws. */
  readonly handle: (update: ChatUpdate) => void;
  /** Null = the bot API answers. */
  readonly onOutage: (outage: Outage | null) => void;
  readonly now: () => number;
  readonly pause: Pause;
}

/** The bot API holds a poll without updates for half a minute. A server that answers at once does not support that. */
const HELD_MS = 1000;
/** The process that holds the token may be about to exit, so the next poll waits this long, in ms. */
const TAKEN_MS = 3000;
/**
 * After a week without updates the bot API may restart the numbers, even with a lower one. Long before that, a poll sends no
 * number. In ms.
 */
const QUIET_MS = 3_600_000;
/** Recognised duplicates: twice the updates of one answer. */
const REMEMBERED = 200;

/**
 * Polls for updates until the signal aborts. Waits with exponential backoff between failed polls, or as long as the bot
 * API says; also after empty answers that come at once. After an outage or a long silence it asks without a number, because
 * the numbers of updates may have restarted. An update is handled only once.
 * Rejects with `ChatError` 'token' when the bot API refuses the token.
 */
export async function poll(
  connection: ChatConnection,
  signal: AbortSignal,
  { handle, onOutage, now, pause }: Parts,
): Promise<void> {
  const backoff = new Backoff(now);
  const isNew = memory();
  let next: number | null = null;
  let newest = now();
  let outage = { times: 0, since: 0 };
  while (!signal.aborted) {
    try {
      const sentAt = now();
      const batch = await connection.updates(next, signal);
      onOutage(null);
      outage = { times: 0, since: 0 };
      const tooFast = batch.next === next && now() - sentAt < HELD_MS;
      if (batch.next !== next) newest = now();
      next = now() - newest < QUIET_MS ? batch.next : null;
      for (const update of batch.updates) if (!signal.aborted && isNew(update)) handle(update);
      if (!tooFast) backoff.reset();
      else {
        backoff.failed(false);
        await pause(jittered(backoff.remaining()), signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChatError) || error.kind === 'token') throw error;
      next = null;
      outage = { times: outage.times + 1, since: outage.times === 0 ? now() : outage.since };
      onOutage({ error, times: outage.times, ms: now() - outage.since });
      backoff.failed(false);
      const least = error.kind === 'taken' ? TAKEN_MS : error.retryAfterMs;
      await pause(Math.max(least, jittered(backoff.remaining())), signal);
    }
  }
}

/**
 * Returns a function that checks whether an update is new. Its number alone is not sufficient, because numbers may restart.
 */
function memory(): (update: ChatUpdate) => boolean {
  const known = new Set<string>();
  return (update) => {
    const key = JSON.stringify(update);
    if (known.has(key)) return false;
    known.add(key);
    const [oldest] = known;
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return true;
  };
}
