import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Outbox } from '../live/outbox.js';
import type { HeadersFor } from './headers.js';

/** What all connections of one server share. */
export interface ServerTraffic {
  readonly headers: HeadersFor;
  readonly outbox: Outbox;
}

/** The end of every request head, and of every chunked body. A strict parser accepts nothing else. */
const BLANK_LINE = Buffer.from('\r\n\r\n');
const LINE_END = 0x0a;
/** Pieces that one connection may have parsed in a row, before others get a turn. */
const MAX_PIECES = 4;
/** Lines in a piece of a chunked body, each of which may be a chunk: 10,000 chunks of a byte fit into 64 KB. */
const MAX_LINES = 64;
/** Maximum unread bytes of a chunked body, because each byte may have its own buffer. */
const MAX_UNREAD_BYTES = 1024;
/** How long a client may read none of the pending bytes, in ms. */
const STUCK_MS = 60_000;

const known = new WeakMap<object, Connection>();

/**
 * One connection of an HTTP server, between the socket and Node's parser, which would dispatch every request of a chunk at
 * once: 2,000 of them fit into 64 KB. Here the parser gets the bytes of one request at a time, and the next one after the
 * answer has left the process. Until then the rest stays unread in the socket. So a client that pipelines, or does not read
 * its answers, costs one request and one answer.
 */
export class Connection {
  readonly traffic: ServerTraffic;
  readonly #socket: Socket;
  readonly #parse: (chunk: Buffer) => void;
  /** The latest request, and its answer until all of it is sent. */
  #req: IncomingMessage | null = null;
  #res: ServerResponse | null = null;
  /** Remaining bytes of a body with a Content-Length. */
  #bodyLeft = 0;
  /** The last bytes of an incomplete head: the blank line may be split over two chunks. */
  #seam = '';
  /** What follows the piece that is being parsed. */
  #rest: Buffer = Buffer.alloc(0);
  #released = false;
  /** The number of sent bytes when it last grew, and the time of that. */
  #sent = 0;
  #sentAt = 0;

  /** For a socket that an HTTP server has just taken over: passes the bytes to the server's own listener, in pieces. */
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
    // Should not happen: the parser would have found two requests in one.
    if (this.#res && !this.#released) this.#socket.destroy();
    this.#req = req;
    this.#res = res;
    this.#bodyLeft = Number(req.headers['content-length'] ?? 0);
    res.once('close', () => {
      this.#res = null;
      if (this.#socket.isPaused()) this.#resume();
    });
  }

  /** Hands the socket over to another protocol, with the bytes already received. */
  release(head: Buffer): Buffer {
    this.#released = true;
    this.#socket.off('data', this.#take);
    return Buffer.concat([head, this.#rest]);
  }

  /** Whether the client has read none of the pending bytes for a minute. `now` in ms; must be called regularly. */
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
    for (let pieces = 0; pieces < MAX_PIECES && this.#rest.length > 0; pieces += 1) {
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

  /**
   * In the next turn of the event loop, so that a client with a thousand requests gets one answer while each other client
   * gets one.
   */
  #resume(): void {
    setImmediate(() => {
      if (!this.#released && !this.#socket.destroyed) this.#socket.resume();
    });
  }

  /** The request is read completely, and its answer is not sent yet. */
  get #mustWait(): boolean {
    return this.#res !== null && this.#req?.complete === true;
  }

  /** The body arrives faster than it is read. The request resumes the socket when there is space. */
  get #isFull(): boolean {
    const req = this.#req;
    return (
      req?.complete === false &&
      req.readableLength > (this.#bodyLeft > 0 ? req.readableHighWaterMark : MAX_UNREAD_BYTES)
    );
  }

  /** A piece that contains at most one end of a request. */
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
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    at = chunk.indexOf(LINE_END, at + 1);
    if (at < 0) return chunk;
  }
  return chunk.subarray(0, at + 1);
}
