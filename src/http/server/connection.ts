import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Outbox } from '../live/outbox.js';
import type { HeadersFor } from './headers.js';

/** What all connections of one server share. */
export interface ServerTraffic {
  readonly headers: HeadersFor;
  readonly outbox: Outbox;
}

/** Ends the head of every request, and every chunked body. A strict parser takes nothing else for it. */
const BLANK_LINE = Buffer.from('\r\n\r\n');
const LINE_END = 0x0a;
/** Pieces that one connection may have parsed in a row, before the others get their turn. */
const MOST_PIECES = 4;
/** Lines in a piece of a chunked body, each of which may be a chunk: 10,000 chunks of a byte fit into 64 KB. */
const MOST_LINES = 64;
/** Bytes of a chunked body that wait for the reader of the request: each may be a buffer of its own. */
const MOST_UNREAD = 1024;
/** How long a client may take none of the bytes that wait for it, in ms. */
const STUCK_MS = 60_000;

const known = new WeakMap<object, Connection>();

/**
 * One connection of an HTTP server. It stands between the socket and Node's parser, which by itself parses and dispatches
 * every request of a chunk at once: 2,000 of them fit into 64 KB. Here the parser gets the bytes of one request at a time,
 * and the next one when the answer has left the process. What comes before that stays in the socket, unread. So a client
 * that sends ahead, or takes no answers, costs one request and one answer.
 */
export class Connection {
  readonly traffic: ServerTraffic;
  readonly #socket: Socket;
  readonly #parse: (chunk: Buffer) => void;
  /** The latest request, and its answer until all of it is sent. */
  #req: IncomingMessage | null = null;
  #res: ServerResponse | null = null;
  /** Bytes of the body that are still to come, where its length was given. */
  #bodyLeft = 0;
  /** The last bytes of a head that is not whole yet: the blank line may be in two chunks. */
  #seam = '';
  /** What follows the piece that is being parsed. */
  #rest: Buffer = Buffer.alloc(0);
  #released = false;
  /** What was sent when it was last seen to grow, and when that was. */
  #sent = 0;
  #sentAt = 0;

  /** For a socket that an HTTP server has just taken over: the bytes go to the server's own listener, in pieces. */
  constructor(socket: Socket, traffic: ServerTraffic) {
    const [parse] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    if (!parse) throw new Error('no HTTP server reads this socket');
    this.#socket = socket;
    this.#parse = parse;
    this.traffic = traffic;
    known.set(socket, this);
    socket.off('data', parse).on('data', this.#take);
  }

  /** The connection of a socket; undefined for one of another server. */
  static of(socket: object): Connection | undefined {
    return known.get(socket);
  }

  /** Whether part of an answer is on its way, so that no other bytes may be written. */
  get answering(): boolean {
    return this.#res?.headersSent === true;
  }

  /** A request was parsed, and this will be its answer. */
  begin(req: IncomingMessage, res: ServerResponse): void {
    // Never seen: the parser would have found two requests where one ends.
    if (this.#res && !this.#released) this.#socket.destroy();
    this.#req = req;
    this.#res = res;
    this.#bodyLeft = Number(req.headers['content-length'] ?? 0);
    res.once('close', () => {
      this.#res = null;
      if (this.#socket.isPaused()) this.#resume();
    });
  }

  /** Leaves the socket to another protocol, and gives the bytes of it that came already. */
  release(head: Buffer): Buffer {
    this.#released = true;
    this.#socket.off('data', this.#take);
    return Buffer.concat([head, this.#rest]);
  }

  /** Whether the client has taken none of the bytes that wait for it in the last minute. `now` in ms, asked regularly. */
  isStuck(now: number): boolean {
    const { bytesWritten, writableLength } = this.#socket;
    if (writableLength === 0 || bytesWritten !== this.#sent) {
      this.#sent = bytesWritten;
      this.#sentAt = now;
    }
    return now - this.#sentAt > STUCK_MS;
  }

  readonly #take = (chunk: Buffer): void => {
    this.#rest = chunk;
    for (let pieces = 0; pieces < MOST_PIECES && this.#rest.length > 0; pieces += 1) {
      if (this.#mustWait || this.#isFull) break;
      const piece = this.#rest.subarray(0, this.#lengthOfPiece(this.#rest));
      this.#rest = this.#rest.subarray(piece.length);
      this.#parse(piece);
      if (this.#released || this.#socket.destroyed) return;
    }
    if (this.#rest.length === 0) return;
    this.#socket.pause();
    this.#socket.unshift(this.#rest);
    if (!this.#mustWait && !this.#isFull) this.#resume();
  };

  /** In the next turn of the loop: a sender of a thousand requests gets one answer while each of the others gets one. */
  #resume(): void {
    setImmediate(() => {
      if (!this.#released && !this.#socket.destroyed) this.#socket.resume();
    });
  }

  /** The whole request is read, and its answer is not out. */
  get #mustWait(): boolean {
    return this.#res !== null && this.#req?.complete === true;
  }

  /** The body comes faster than it is read; the request itself resumes the socket when there is room again. */
  get #isFull(): boolean {
    const req = this.#req;
    return (
      req?.complete === false && req.readableLength > (this.#bodyLeft > 0 ? req.readableHighWaterMark : MOST_UNREAD)
    );
  }

  /** Bytes that hold no more than one end of a request. */
  #lengthOfPiece(chunk: Buffer): number {
    const inBody = this.#req?.complete === false;
    if (!inBody || this.#bodyLeft === 0) return this.#lengthOfHead(inBody ? someLines(chunk) : chunk);
    const length = Math.min(this.#bodyLeft, chunk.length);
    this.#bodyLeft -= length;
    return length;
  }

  #lengthOfHead(chunk: Buffer): number {
    const before = this.#seam;
    if (before !== '') {
      const across = (before + chunk.toString('latin1', 0, 3)).indexOf('\r\n\r\n');
      this.#seam = '';
      if (across >= 0) return across + BLANK_LINE.length - before.length;
    }
    const at = chunk.indexOf(BLANK_LINE);
    if (at >= 0) return at + BLANK_LINE.length;
    this.#seam = (before + chunk.toString('latin1', Math.max(0, chunk.length - 3))).slice(-3);
    return chunk.length;
  }
}

function someLines(chunk: Buffer): Buffer {
  let at = -1;
  for (let lines = 0; lines < MOST_LINES; lines += 1) {
    at = chunk.indexOf(LINE_END, at + 1);
    if (at < 0) return chunk;
  }
  return chunk.subarray(0, at + 1);
}
