import { ChatError, type ChatLine } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import { jittered, type Pause } from './pause.js';

/** One call of the bot API that says something. */
interface Job {
  readonly run: (line: ChatLine) => Promise<void>;
  /** After this moment (ms) nobody wants it any more. */
  readonly until: number;
}

interface Parts {
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** So many notices were dropped, and the server can be reached again. */
  readonly dropped: (count: number) => void;
  readonly pause: Pause;
}

/** Waiting ones of each kind. */
const MOST = 200;
const ANSWER_MS = 120_000;
const NOTICE_MS = 24 * 3_600_000;

/**
 * What the bot wants to say, one after the other: answers before notices. It waits as long as the server asks for, and
 * longer and longer while there is none; what there is no room for is dropped, the oldest notices first. Adding never
 * waits and never throws.
 */
export class Voice {
  readonly #parts: Parts;
  readonly #answers: Job[] = [];
  readonly #notices: Job[] = [];
  readonly #backoff: Backoff;
  #dropped = 0;
  #line: ChatLine | null = null;
  #sending: AbortController | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
  }

  /** To somebody who waits for it. */
  answer(run: Job['run']): void {
    if (this.#answers.length >= MOST) this.#answers.shift();
    this.#answers.push({ run, until: this.#parts.now() + ANSWER_MS });
    this.#wake();
  }

  /** Something that nobody asked for. */
  notice(run: Job['run']): void {
    if (this.#notices.length >= MOST) {
      this.#notices.shift();
      this.#dropped += 1;
    }
    this.#notices.push({ run, until: this.#parts.now() + NOTICE_MS });
    this.#wake();
  }

  /** From here on it is said by this bot. */
  use(line: ChatLine): void {
    this.stop();
    this.#line = line;
    this.#backoff.forgive();
    this.#wake();
  }

  /** Says nothing more, and keeps what waits for the next bot. */
  stop(): void {
    this.#sending?.abort();
    this.#sending = null;
    this.#line = null;
  }

  /** Forgets what waits: there is no bot any more. */
  clear(): void {
    this.stop();
    this.#answers.length = 0;
    this.#notices.length = 0;
    this.#dropped = 0;
  }

  #wake(): void {
    if (this.#sending || !this.#line) return;
    const controller = new AbortController();
    this.#sending = controller;
    void this.#send(this.#line, controller.signal).finally(() => {
      if (this.#sending === controller) this.#sending = null;
      // Something may have come between the last look and this moment.
      if (!controller.signal.aborted && this.#answers.length + this.#notices.length > 0) this.#wake();
    });
  }

  async #send(line: ChatLine, signal: AbortSignal): Promise<void> {
    for (;;) {
      const queue = this.#answers.length > 0 ? this.#answers : this.#notices;
      const job = signal.aborted ? undefined : queue.shift();
      if (!job) return;
      if (job.until < this.#parts.now()) {
        if (queue === this.#notices) this.#dropped += 1;
        continue;
      }
      try {
        await job.run(line);
        this.#delivered();
      } catch (error) {
        if (!(await this.#again(error, signal))) continue;
        // Before everything that came meanwhile, unless it had to make room.
        if (queue.length < MOST) queue.unshift(job);
        else if (queue === this.#notices) this.#dropped += 1;
      }
    }
  }

  #delivered(): void {
    this.#backoff.forgive();
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.#parts.dropped(count);
  }

  /** Waits as long as it must, where the same may work later. */
  async #again(error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof ChatError)) {
      this.#parts.warn('the bot could not say something', { err: error });
      return false;
    }
    switch (error.kind) {
      case 'slow':
        await this.#parts.pause(error.retryAfterMs, signal);
        return true;
      case 'unreachable':
        this.#backoff.failed(false);
        await this.#parts.pause(jittered(this.#backoff.remaining()), signal);
        return true;
      case 'token':
        // Whoever polls hears it too, and ends the bot.
        this.stop();
        return true;
      default:
        this.#parts.warn('a chat did not take a message of the bot', {
          why: error.message,
          cause: String(error.cause),
        });
        return false;
    }
  }
}
