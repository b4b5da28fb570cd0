import { Duplex } from 'node:stream';
import type { Msg, NatsConnection, Subscription } from '@nats-io/nats-core';

/** Bytes in one message, below the limit of a NATS server, which is at least 1 MB unless it was lowered. */
const PIECE_BYTES = 64 * 1024;
/** Bytes on their way that the other side has not taken yet. */
const WINDOW_BYTES = 512 * 1024;
/** Interval of signs of life, and how long the other side may be silent, in ms. */
const ALIVE_MS = 1000;
const SILENT_MS = 5000;

/** The first byte of a message; a number of four bytes follows: of the piece, or of the bytes that were taken. */
const KIND = { data: 0, end: 1, taken: 2, alive: 3, reset: 4 } as const;
type Kind = keyof typeof KIND;
const KINDS = Object.keys(KIND) as readonly Kind[];
const HEAD_BYTES = 5;

interface Ends {
  readonly connection: NatsConnection;
  /** The subject on which this side listens. */
  readonly own: string;
  /** The subject of the other side; null = `connectTo` follows. */
  readonly other: string | null;
}

/**
 * One end of a stream of bytes between two members, over two subjects. NATS may lose messages when a connection breaks: a
 * missing piece, or silence, destroys the stream with an error. The sender waits when the receiver does not read.
 */
export class Tunnel extends Duplex {
  readonly #connection: NatsConnection;
  readonly #subscription: Subscription;
  readonly #beat: NodeJS.Timeout;
  #other: string | null;
  #sent = 0;
  #received = 0;
  #unread = 0;
  #onTheWay = 0;
  #resume: (() => void) | null = null;
  #heardAt = performance.now();
  #ended = false;

  constructor({ connection, own, other }: Ends) {
    super();
    this.#connection = connection;
    this.#other = other;
    this.#subscription = connection.subscribe(own, {
      callback: (error, message) => (error ? void this.destroy(error) : this.#take(message)),
    });
    this.#beat = setInterval(() => this.#live(), ALIVE_MS).unref();
  }

  /** Names the other end, which was not known yet. */
  connectTo(other: string): void {
    this.#other = other;
    this.#heardAt = performance.now();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      this.#send('data', this.#sent++, chunk.subarray(at, at + PIECE_BYTES));
    this.#onTheWay += chunk.length;
    if (this.#onTheWay < WINDOW_BYTES) done();
    else this.#resume = done;
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send('end', this.#sent);
    done();
  }

  override _read(): void {
    if (this.#unread === 0) return;
    this.#send('taken', this.#unread);
    this.#unread = 0;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#beat);
    if (!(this.#ended && this.writableFinished)) this.#send('reset', 0);
    this.#subscription.unsubscribe();
    done(error);
  }

  #send(kind: Kind, number: number, bytes: Uint8Array = new Uint8Array()): void {
    if (this.#other === null || this.#connection.isClosed()) return;
    const message = Buffer.alloc(HEAD_BYTES + bytes.length);
    message[0] = KIND[kind];
    message.writeUInt32BE(number, 1);
    message.set(bytes, HEAD_BYTES);
    this.#connection.publish(this.#other, message);
  }

  #take({ data }: Msg): void {
    if (data.length < HEAD_BYTES) return;
    const message = Buffer.from(data.buffer, data.byteOffset, data.length);
    const kind = KINDS[message[0] ?? -1];
    const number = message.readUInt32BE(1);
    this.#heardAt = performance.now();
    if (kind === 'reset') this.destroy(new Error('the other member has closed the connection'));
    else if (kind === 'taken') this.#taken(number);
    else if (kind === 'data' || kind === 'end') this.#piece(kind, number, message.subarray(HEAD_BYTES));
  }

  #taken(bytes: number): void {
    this.#onTheWay -= bytes;
    if (this.#resume === null || this.#onTheWay >= WINDOW_BYTES) return;
    const resume = this.#resume;
    this.#resume = null;
    resume();
  }

  #piece(kind: 'data' | 'end', number: number, bytes: Buffer): void {
    if (number !== this.#received) return void this.destroy(new Error('a message between two members was lost'));
    if (kind === 'end') {
      this.#ended = true;
      this.push(null);
      return;
    }
    this.#received += 1;
    this.#unread += bytes.length;
    if (this.push(bytes)) this._read();
  }

  #live(): void {
    if (performance.now() - this.#heardAt > SILENT_MS) this.destroy(new Error('the other member does not answer'));
    else this.#send('alive', 0);
  }
}
