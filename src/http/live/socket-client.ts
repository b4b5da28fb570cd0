import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { Access } from '../../events/access/access-of.js';
import type { Reader } from '../language/reader.js';

/** Ticks without progress after which a reader counts as gone. */
const STUCK_TICKS = 15;
/** Buffered bytes for one reader; a slower one would fill the memory. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Ticks between two pings: 24 s. */
const PING_TICKS = 12;
const UNANSWERED_PINGS = 2;
/** Messages and pings that a browser may send between two ticks. They are ignored. */
const MAX_RECEIVED = 64;

const POLICY = 1008;

/** Who connected: the session of a browser, or a token. */
export interface SocketCaller {
  /** The same for all sockets of one session or token. */
  readonly key: string;
  /** See `authorOf`; empty for a token, which gets its own changes as well. */
  readonly author: string;
  /** What the caller may do now. */
  readonly access: () => Access;
  /** Whether the session or the token is still valid. Notes that it is in use. */
  readonly isValid: () => boolean;
}

/**
 * One connected browser. For a slow reader messages are conflated, not queued: of the messages with one key it gets the
 * latest when it reads again.
 */
export class SocketClient {
  readonly caller: SocketCaller;
  readonly reader: Reader;
  /** What the caller could do before the events that are announced now. */
  accessBefore: Access;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  /** Waiting frames by key. A newer frame replaces the one with the same key. */
  readonly #waiting = new Map<string, Buffer>();
  #tick: number;
  #stuck = 0;
  #unanswered = 0;
  #received = 0;

  /** `phase` spreads the pings of many connections over the ticks. */
  constructor(ws: WebSocket, socket: Duplex, caller: SocketCaller, reader: Reader, phase: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.caller = caller;
    this.accessBefore = caller.access();
    this.reader = reader;
    this.#tick = phase % PING_TICKS;
    const received = (): void => {
      this.#received += 1;
      if (this.#received > MAX_RECEIVED) this.close(POLICY, 'too many messages');
    };
    ws.on('message', received).on('ping', received);
    ws.on('pong', () => {
      this.#unanswered = 0;
    });
    ws.on('error', () => this.cut());
    socket.on('drain', () => this.#flush());
  }

  /** Sends a frame, or keeps it instead of the waiting one with the same key until the reader has caught up. */
  send(key: string, frame: Buffer): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#waiting.size === 0 && !this.#socket.writableNeedDrain) {
      this.#socket.write(frame);
      return;
    }
    this.#waiting.delete(key);
    this.#waiting.set(key, frame);
  }

  /** Counts a tick: disconnects a reader that is gone or stuck, and sends a ping from time to time. */
  tick(): void {
    this.#received = 0;
    this.#stuck = this.#waiting.size === 0 ? 0 : this.#stuck + 1;
    if (this.#stuck > STUCK_TICKS || this.#socket.writableLength > MAX_BACKLOG_BYTES) return this.cut();
    this.#tick += 1;
    if (this.#tick % PING_TICKS !== 0 || this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#unanswered >= UNANSWERED_PINGS) return this.cut();
    this.#unanswered += 1;
    this.#ws.ping();
  }

  close(code: number, why: string): void {
    this.#waiting.clear();
    this.#ws.close(code, why);
  }

  /** Ends the connection without a close frame. */
  cut(): void {
    this.#waiting.clear();
    this.#ws.terminate();
  }

  #flush(): void {
    this.#stuck = 0;
    for (const [key, frame] of this.#waiting) {
      if (this.#socket.writableNeedDrain || this.#ws.readyState !== WebSocket.OPEN) return;
      this.#waiting.delete(key);
      this.#socket.write(frame);
    }
  }
}
