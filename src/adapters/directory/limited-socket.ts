import { connect, isIP, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { type DirectoryConfig, DirectoryError } from '../../commands/ports/directory.js';
import { message } from '../../messages/message.js';

/** Size of the chunks for the client: its parser recurses once for each message in a chunk. */
const PIECE_BYTES = 4096;

/**
 * The socket of an LDAP client, with small chunks and a limit on the received bytes. Without it, a directory that sends many
 * tiny messages at once would overflow the stack of the client, where no promise catches the error.
 */
export class LimitedSocket extends Duplex {
  readonly #socket: Socket;
  #left: number;

  /** `limit`: maximum number of bytes that the directory may send. */
  constructor(config: Pick<DirectoryConfig, 'host' | 'port' | 'tls'>, limit: number) {
    super({ allowHalfOpen: false });
    this.#left = limit;
    const ready = config.tls ? 'secureConnect' : 'connect';
    this.#socket = config.tls ? openTls(config) : connect(config.port, config.host);
    this.#socket
      .once(ready, () => this.emit(ready))
      .on('data', (chunk: Buffer) => this.#onData(chunk))
      .once('end', () => this.push(null))
      .once('error', (error) => this.destroy(error))
      .once('close', () => this.destroy());
  }

  /** Read by the client, which then waits for the event `connect`. */
  get connecting(): boolean {
    return true;
  }

  #onData(chunk: Buffer): void {
    this.#left -= chunk.length;
    if (this.#left < 0) {
      this.destroy(new DirectoryError(message('directory.answerTooLarge')));
      return;
    }
    let wanted = true;
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) wanted = this.push(chunk.subarray(at, at + PIECE_BYTES));
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

function openTls({ host, port }: Pick<DirectoryConfig, 'host' | 'port'>): Socket {
  // Explicit, so that no environment variable can switch it off.
  const checked = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
  return connectTls({ host, port, ...checked, ...(isIP(host) === 0 ? { servername: host } : {}) });
}
