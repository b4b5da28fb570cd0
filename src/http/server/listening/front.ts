import { type AddressInfo, createServer, type Server, type ServerOpts, type Socket } from 'node:net';
import { listen } from './listen.js';

/**
 * The listening socket of an endpoint. Its connections can be accepted by other processes as well, which receive `handle`
 * over their IPC channel. While they do, this process can pause; `resume` needs a copy of the socket that kept the port open.
 */
export class Front {
  readonly #make: () => Server;
  #server: Server;
  /** A copy of the socket that does not accept, while paused. */
  #copy: Server | null = null;
  #address: AddressInfo | null = null;

  constructor(options: ServerOpts, accept: (socket: Socket) => void) {
    this.#make = () => createServer(options, accept);
    this.#server = this.#make();
  }

  /** The address, once it listens. */
  get address(): AddressInfo {
    return this.#address as AddressInfo;
  }

  get isPaused(): boolean {
    return this.#copy !== null;
  }

  /** To be sent to a process that shall accept connections too. Null after `release`. */
  get handle(): Server | null {
    return this.#copy ?? (this.#server.listening ? this.#server : null);
  }

  async listen(port: number, host: string): Promise<AddressInfo> {
    this.#address = await listen(this.#server, port, host);
    return this.#address;
  }

  /** Accepts the connections of a socket that another process has opened. */
  adopt(handle: Server): void {
    this.#server.listen(handle);
    this.#address = this.#server.address() as AddressInfo;
  }

  /**
   * A copy of the listening socket that another process can send back. Node has no public name for it, but `send` accepts it:
   * its `cluster` module does the same.
   */
  copy(): Server {
    return Reflect.get(this.#server, '_handle') as Server;
  }

  /** Stops accepting, and keeps the port open with this copy of the socket. */
  pause(copy: Server): void {
    if (this.#copy !== null || !this.#server.listening) return void copy.close();
    this.#copy = copy;
    this.#server.close();
  }

  /** Accepts connections again, also those that have waited. */
  resume(): void {
    if (this.#copy === null) return;
    this.#server = this.#make();
    this.#server.listen(this.#copy);
    this.#copy = null;
  }

  /** Releases the port in this process. */
  release(): void {
    if (this.#server.listening) this.#server.close();
    this.#copy?.close();
    this.#copy = null;
  }
}
