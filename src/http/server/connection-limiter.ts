import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Concurrent connections in total and for each network. */
  readonly most: number;
  readonly mostOfOne: number;
}

/**
 * Limits the connections of a server. At a limit it closes the oldest connection of the network with the most
 * connections, never the new one: idle connections cannot lock out other clients, not even those behind the same
 * address.
 */
export class ConnectionLimiter {
  readonly #limits: ConnectionLimits;
  /** The oldest first. */
  readonly #networks = new Map<string, Set<Socket>>();
  #size = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Counts a connection of this network until it closes. */
  enter(socket: Socket, network: string): void {
    const own = this.#networks.get(network) ?? new Set<Socket>();
    if (own.size >= this.#limits.mostOfOne) this.#end(own);
    else if (this.#size >= this.#limits.most) this.#end(this.#largest());
    own.add(socket);
    this.#networks.set(network, own);
    this.#size += 1;
    socket.once('close', () => this.#leave(socket, network, own));
  }

  /** Stops counting the connection of this network and remote port, whose socket may be wrapped in a TLS socket. */
  exempt(network: string, port: number | undefined): void {
    const own = this.#networks.get(network) ?? new Set<Socket>();
    for (const socket of own) if (socket.remotePort === port) this.#leave(socket, network, own);
  }

  #end(of: Set<Socket>): void {
    const [oldest] = of;
    if (!oldest) return;
    of.delete(oldest);
    this.#size -= 1;
    oldest.destroy();
  }

  #largest(): Set<Socket> {
    let largest = new Set<Socket>();
    for (const sockets of this.#networks.values()) if (sockets.size > largest.size) largest = sockets;
    return largest;
  }

  #leave(socket: Socket, network: string, own: Set<Socket>): void {
    if (own.delete(socket)) this.#size -= 1;
    if (own.size === 0 && this.#networks.get(network) === own) this.#networks.delete(network);
  }
}
