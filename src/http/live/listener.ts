import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { type Language } from '../../messages/language.js';

/** Ticks in which nothing of what waits went out: such a reader is gone or broken. */
const STUCK_TICKS = 15;
/** Bytes that wait in the process for one reader, whatever they are: more is a reader that fills the memory. */
const LARGEST_BACKLOG = 1024 * 1024;
/** A ping each so many ticks: 24 s. */
const PING_TICKS = 12;
const UNANSWERED_PINGS = 2;
/** Messages and pings between two ticks. Nobody has anything to say here. */
const CHATTER = 64;

const POLICY = 1008;

/**
 * One browser that listens. What it is too slow for is not queued but conflated: of messages with the same key it gets
 * the latest one, once it reads again.
 */
export class Listener {
  readonly idHash: string;
  readonly language: Language;
  readonly #ws: WebSocket;
  readonly #socket: Duplex;
  /** Frames that wait, by what a newer one would take the place of. */
  readonly #owed = new Map<string, Buffer>();
  #tick: number;
  #stuck = 0;
  #unanswered = 0;
  #heard = 0;

  /** `phase` spreads the pings of many over the ticks. */
  constructor(ws: WebSocket, socket: Duplex, idHash: string, language: Language, phase: number) {
    this.#ws = ws;
    this.#socket = socket;
    this.idHash = idHash;
    this.language = language;
    this.#tick = phase % PING_TICKS;
    const heard = (): void => {
      this.#heard += 1;
      if (this.#heard > CHATTER) this.close(POLICY, 'nobody listens here');
    };
    ws.on('message', heard).on('ping', heard);
    ws.on('pong', () => {
      this.#unanswered = 0;
    });
    ws.on('error', () => this.cut());
    socket.on('drain', () => this.#flush());
  }

  /** Sends a frame, or keeps it in the place of the one with the same key until the reader has caught up. */
  send(key: string, frame: Buffer): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#owed.size === 0 && !this.#socket.writableNeedDrain) {
      this.#socket.write(frame);
      return;
    }
    this.#owed.delete(key);
    this.#owed.set(key, frame);
  }

  /** Counts a tick: cuts who is dead or stuck, and now and then asks whether somebody is there. */
  tick(): void {
    this.#heard = 0;
    this.#stuck = this.#owed.size === 0 ? 0 : this.#stuck + 1;
    if (this.#stuck > STUCK_TICKS || this.#socket.writableLength > LARGEST_BACKLOG) return this.cut();
    this.#tick += 1;
    if (this.#tick % PING_TICKS !== 0 || this.#ws.readyState !== WebSocket.OPEN) return;
    if (this.#unanswered >= UNANSWERED_PINGS) return this.cut();
    this.#unanswered += 1;
    this.#ws.ping();
  }

  close(code: number, why: string): void {
    this.#owed.clear();
    this.#ws.close(code, why);
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.#owed.clear();
    this.#ws.terminate();
  }

  #flush(): void {
    this.#stuck = 0;
    for (const [key, frame] of this.#owed) {
      if (this.#socket.writableNeedDrain || this.#ws.readyState !== WebSocket.OPEN) return;
      this.#owed.delete(key);
      this.#socket.write(frame);
    }
  }
}
