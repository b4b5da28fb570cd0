import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { DirectoryError, type DirectoryPlace } from '../../commands/ports/directory.js';
import { message } from '../../messages/message.js';

/** Bytes that the client reads at once: its parser goes one call deeper for every message in them. */
const MAX_PIECE_BYTES = 4096;

/**
 * The connection to a directory as its client sees it: in small pieces and not without end. A directory that sends many
 * tiny messages at once would otherwise overflow the stack of the client, in a place where no promise catches the
 * error.
 */
export class Wire extends Duplex {
  readonly #socket: Socket;
  #left: number;

  /** `limit`: the most bytes that the directory may send. */
  constructor(place: Pick<DirectoryPlace, 'host' | 'port' | 'tls'>, limit: number) {
    super({ allowHalfOpen: false });
    this.#left = limit;
    const ready = place.tls ? 'secureConnect' : 'connect';
    this.#socket = place.tls ? openTls(place) : connect(place.port, place.host);
    this.#socket
      .once(ready, () => this.emit(ready))
      .on('data', (chunk: Buffer) => this.#take(chunk))
      .once('end', () => this.push(null))
      .once('error', (error) => this.destroy(error))
      .once('close', () => this.destroy());
  }

  /** The client asks whether it has to wait. */
  get connecting(): boolean {
    return true;
  }

  #take(chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.destroy(new DirectoryError(message('directory.answerTooLarge')));
      return;
    }
    let wanted = true;
    for (let at = 0; at < chunk.length; at += MAX_PIECE_BYTES)
      wanted = this.push(chunk.subarray(at, at + MAX_PIECE_BYTES));
    if (!wanted) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function openTls({ host, port }: Pick<DirectoryPlace, 'host' | 'port'>): Socket {
  // Said here, so that no variable of the environment switches it off.
  const checked = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
  return connectTls({ host, port, ...checked, ...(isIP(host) === 0 ? { servername: host } : {}) });
}
