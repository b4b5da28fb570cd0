import { setTimeout as sleep } from 'node:timers/promises';
import type { CertificateKeeper } from '../../commands/ports/certificates.js';
import { type ServerName, serverNames } from '../../events/certificate.js';
import type { Door, Doors } from './door.js';
import { bindErrorText, type ListenConfig, ListenError } from './listen-config.js';

/** How often, and with which pause in ms, an address that was released is bound again after a failed restart. */
const RETRIES = 20;
const RETRY_MS = 250;

/** A server that listens. */
export interface BoundServer {
  readonly doors: Doors;
  readonly keeper: CertificateKeeper;
  door: Door;
  config: ListenConfig;
}

/** Opens a door as configured. `makeRoom` may release the port once when it is in use. Rejects with `ListenError`. */
export async function bind(doors: Doors, config: ListenConfig, makeRoom?: () => boolean): Promise<Door> {
  const { name, listen, port, certificate } = config;
  try {
    return await doors.open(port, listen, certificate.pair);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && makeRoom?.()) return bind(doors, config);
    throw new ListenError(name, bindErrorText(error, listen, port), error);
  }
}

/** The servers that listen, by name. */
export class BoundServers {
  readonly #bound = new Map<ServerName, BoundServer>();

  get all(): Iterable<readonly [ServerName, BoundServer]> {
    return this.#bound;
  }

  find(name: ServerName): BoundServer | undefined {
    return this.#bound.get(name);
  }

  /** Throws when the server does not listen. */
  get(name: ServerName): BoundServer {
    const server = this.#bound.get(name);
    if (!server) throw new Error(`${serverNames[name]} is not open`);
    return server;
  }

  add(name: ServerName, server: BoundServer): void {
    this.#bound.set(name, server);
  }

  /**
   * Opens a second door for each of these servers, and closes none of the old ones. Where one fails, all new doors are closed
   * and every port that was released is bound again.
   */
  async openAll(moving: readonly ListenConfig[]): Promise<ReadonlyMap<ServerName, Door>> {
    const opened = new Map<ServerName, Door>();
    const released = new Set<BoundServer>();
    try {
      for (const config of moving) {
        const { doors } = this.get(config.name);
        opened.set(config.name, await bind(doors, config, () => this.#makeRoom(config.port, moving, released)));
      }
      return opened;
    } catch (error) {
      for (const [name, door] of opened) await this.get(name).doors.close(door);
      for (const server of released) await bindAgain(server);
      throw error;
    }
  }

  /**
   * Releases a port that a moving server holds: two servers exchange their ports, or one changes only its address. Returns
   * whether a port was released.
   */
  #makeRoom(port: number, moving: readonly ListenConfig[], released: Set<BoundServer>): boolean {
    const holders = moving
      .map(({ name }) => this.get(name))
      .filter((server) => !released.has(server) && server.door.address.port === port);
    for (const server of holders) {
      server.door.release();
      released.add(server);
    }
    return holders.length > 0;
  }
}

/** Binds a released port again. Another process may hold it for a moment, so this retries for five seconds. */
async function bindAgain(server: BoundServer): Promise<void> {
  const left = server.door;
  for (let tries = 1; server.door === left; tries += 1) {
    try {
      server.door = await bind(server.doors, server.config);
    } catch (error) {
      if (tries === RETRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
  void server.doors.close(left);
}
