import { type ChildProcess, fork } from 'node:child_process';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { programFile, programOptions } from '../installation/installation.js';
import { PROGRAM } from './orphans.js';
import type { FromFollower, ToFollower } from './protocol.js';

/** Delay before a follower that ended is started again, in ms: doubled each time up to the limit. */
const MIN_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;
/** A follower that ran this long starts with the shortest delay again, in ms. */
const STABLE_MS = 60_000;
/** Beats without an answer after which a follower counts as silent, and after which it is replaced. */
const SILENT_BEATS = 2;
const DEAD_BEATS = 60;
/** How long a follower may take to handle messages, in ms. */
const SETTLE_MS = 2000;
/** How long a follower may take to complete its requests, in ms. */
const CLOSE_MS = 12_000;

interface Events {
  /** It has read the log, for the first time after its start. */
  ready(): void;
  received(message: FromFollower, handle: Server | undefined): void;
  /** Its state has changed. */
  changed(): void;
  warn(fields: object, message: string): void;
}

/** `starting`: it reads the log. `silent`: it has not answered for a second. `stopped`: it waits for its next start. */
export type FollowerState = 'starting' | 'ready' | 'silent' | 'stopped';

/** One follower: starts its process, again when it ends, and knows whether it answers. */
export class FollowerProcess {
  state: FollowerState = 'stopped';
  /** The position up to which it had read the log when it last answered. */
  position = 0;
  restarts = 0;
  readonly #database: string;
  readonly #events: Events;
  #child: ChildProcess | null = null;
  #startedAt = 0;
  #delayMs = MIN_DELAY_MS;
  /** Beats that were sent and answered. */
  #sent = 0;
  #answered = 0;
  #settling: { readonly beat: number; readonly done: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(database: string, events: Events) {
    this.#database = database;
    this.#events = events;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    const child = fork(fileURLToPath(programFile(PROGRAM)), [this.#database], {
      execArgv: [...programOptions],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#startedAt = performance.now();
    this.#sent = 0;
    this.#answered = 0;
    child.on('message', (message, handle) => this.#receive(message as FromFollower, handle as Server | undefined));
    child.on('error', (error) => {
      this.#events.warn({ err: error }, 'a follower of the subscription server failed');
      // A process that could not be started emits no exit.
      if (child.pid === undefined) this.#ended(null, null);
    });
    child.once('exit', (code, signal) => this.#ended(code, signal));
    this.#change('starting');
  }

  send(message: ToFollower, handle?: Server): void {
    // A process that has just ended gets no message; its end is reported separately.
    if (this.#child?.connected) this.#child.send(message, handle, {}, () => undefined);
  }

  /** Sends a heartbeat. To be called twice a second. */
  beat(): void {
    if (!this.#runs) return;
    const unanswered = this.#sent - this.#answered;
    if (unanswered >= DEAD_BEATS) return this.kill();
    if (unanswered >= SILENT_BEATS && this.state === 'ready') this.#change('silent');
    this.#sendBeat();
  }

  /** Resolves when it has handled all messages that were sent before. Kills it when it does not within two seconds. */
  async settled(): Promise<void> {
    if (!this.#runs) return;
    this.#sendBeat();
    const cut = setTimeout(() => this.kill(), SETTLE_MS);
    await new Promise<void>((done) => this.#settling.push({ beat: this.#sent, done }));
    clearTimeout(cut);
  }

  get #runs(): boolean {
    return this.state === 'ready' || this.state === 'silent';
  }

  #sendBeat(): void {
    this.#sent += 1;
    this.send({ kind: 'beat' });
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Completes its requests and ends. */
  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (this.state === 'ready') this.send({ kind: 'close' });
    else this.kill();
    const cut = setTimeout(() => this.kill(), CLOSE_MS);
    await gone;
    clearTimeout(cut);
  }

  #receive(message: FromFollower, handle: Server | undefined): void {
    if (message.kind === 'ready' || message.kind === 'beat') {
      this.position = message.position;
      if (message.kind === 'beat') this.#answered += 1;
      this.#settle((beat) => beat <= this.#answered);
      // A process that was stopped answers all beats at once.
      if (this.state !== 'ready' && this.#sent - this.#answered < SILENT_BEATS) this.#change('ready');
      if (message.kind === 'ready') this.#events.ready();
      return;
    }
    this.#events.received(message, handle);
  }

  #settle(isDone: (beat: number) => boolean): void {
    const settling = this.#settling;
    this.#settling = settling.filter(({ beat }) => !isDone(beat));
    for (const { beat, done } of settling) if (isDone(beat)) done();
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = null;
    this.#settle(() => true);
    if (!this.#closing) {
      if (performance.now() - this.#startedAt > STABLE_MS) this.#delayMs = MIN_DELAY_MS;
      const fields = { code, signal, againInMs: this.#delayMs };
      this.#events.warn(fields, 'a follower of the subscription server ended and is started again');
      this.restarts += 1;
      this.#timer = setTimeout(() => this.start(), this.#delayMs);
      this.#delayMs = Math.min(MAX_DELAY_MS, this.#delayMs * 2);
    }
    this.#change('stopped');
  }

  #change(state: FollowerState): void {
    this.state = state;
    this.#events.changed();
  }
}
