import { type ChatConnection, ChatError } from '../commands/ports/chat-bot.js';
import { Backoff } from '../commands/reactors/backoff.js';
import { jittered, type Pause } from './pause.js';

/** One call of the bot API. */
interface Job {
  readonly run: (connection: ChatConnection) => Promise<void>;
  /** Dropped after this moment, in ms since 1970. */
  readonly until: number;
}

interface Parts {
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
  /** Called with the number of dropped notices as soon as the bot API answers again. */
  readonly dropped: (count: number) => void;
  readonly pause: Pause;
}

/** The most queued jobs of each kind. */
const MAX_QUEUED = 200;
const ANSWER_MS = 120_000;
const NOTICE_MS = 24 * 3_600_000;

/**
 * Sends messages one after the other, answers before notices. Waits as long as the bot API requires, and with exponential
 * backoff while it cannot be reached. A full queue drops its oldest message. Adding never waits and never throws.
 */
export class SendQueue {
  readonly #parts: Parts;
  readonly #answers: Job[] = [];
  readonly #notices: Job[] = [];
  readonly #backoff: Backoff;
  #dropped = 0;
  #connection: ChatConnection | null = null;
  #sending: AbortController | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#backoff = new Backoff(parts.now);
  }

  /** Queues an answer to a person who waits for it. */
  answer(run: Job['run']): void {
    if (this.#answers.length >= MAX_QUEUED) this.#answers.shift();
    this.#answers.push({ run, until: this.#parts.now() + ANSWER_MS });
    this.#wake();
  }

  /** Queues a notification. */
  notice(run: Job['run']): void {
    if (this.#notices.length >= MAX_QUEUED) {
      this.#notices.shift();
      this.#dropped += 1;
    }
    this.#notices.push({ run, until: this.#parts.now() + NOTICE_MS });
    this.#wake();
  }

  /** Sends through this connection from now on. */
  use(connection: ChatConnection): void {
    this.stop();
    this.#connection = connection;
    this.#backoff.reset();
    this.#wake();
  }

  /** Stops sending and keeps the queue for the next connection. */
  stop(): void {
    this.#sending?.abort();
    this.#sending = null;
    this.#connection = null;
  }

  /** Stops sending and empties the queue. */
  clear(): void {
    this.stop();
    this.#answers.length = 0;
    this.#notices.length = 0;
    this.#dropped = 0;
  }

  #wake(): void {
    if (this.#sending || !this.#connection) return;
    const controller = new AbortController();
    this.#sending = controller;
    void this.#send(this.#connection, controller.signal).finally(() => {
      if (this.#sending === controller) this.#sending = null;
      // A job may have been added after the loop has ended.
      if (!controller.signal.aborted && this.#answers.length + this.#notices.length > 0) this.#wake();
    });
  }

  async #send(connection: ChatConnection, signal: AbortSignal): Promise<void> {
    for (;;) {
      const queue = this.#answers.length > 0 ? this.#answers : this.#notices;
      const job = signal.aborted ? undefined : queue.shift();
      if (!job) return;
      if (job.until < this.#parts.now()) {
        if (queue === this.#notices) this.#dropped += 1;
        continue;
      }
      try {
        await job.run(connection);
        this.#delivered();
      } catch (error) {
        if (!(await this.#shouldRetry(error, signal))) continue;
        // In front of the jobs that were added meanwhile, unless the queue is full.
        if (queue.length < MAX_QUEUED) queue.unshift(job);
        else if (queue === this.#notices) this.#dropped += 1;
      }
    }
  }

  #delivered(): void {
    this.#backoff.reset();
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.#parts.dropped(count);
  }

  /** Waits before a retry. False when a retry cannot help. */
  async #shouldRetry(error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof ChatError)) {
      this.#parts.warn('the bot could not send a message', { err: error });
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
        // The poll gets the same refusal and ends the bot.
        this.stop();
        return true;
      default:
        this.#parts.warn('a chat refused a message of the bot', {
          why: error.message,
          cause: String(error.cause),
        });
        return false;
    }
  }
}
