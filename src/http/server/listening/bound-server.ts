import { setTimeout as sleep } from 'node:timers/promises';
import type { CertificateKeeper } from '../../../commands/ports/certificates.js';
import { type ServerName, serverNames } from '../../../events/certificate.js';
import type { Endpoint, Endpoints } from './endpoint.js';
import { bindErrorText, type ListenConfig, ListenError } from './listen-config.js';

/** How often, and with which pause in ms, an address that was released is bound again after a failed restart. */
const RETRIES = 20;
const RETRY_MS = 250;

/** A server that listens. */
interface BoundServer {
  readonly endpoints: Endpoints;
  readonly keeper: CertificateKeeper;
  endpoint: Endpoint;
  config: ListenConfig;
}

/** Opens a server as configured. `makeRoom` may release the port once when it is in use. Rejects with `ListenError`. */
export async function bind(
  endpoints: Endpoints,
  config: ListenConfig,
  makeRoom?: () => Promise<boolean>,
): Promise<Endpoint> {
  const { name, listen, port, certificate } = config;
  try {
    return await endpoints.open(port, listen, certificate.pair);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && (await makeRoom?.())) return bind(endpoints, config);
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
   * Opens a second endpoint for each of these servers, and closes none of the old ones. Where one fails, all new endpoints are closed
   * and every port that was released is bound again.
   */
  async openAll(moving: readonly ListenConfig[]): Promise<ReadonlyMap<ServerName, Endpoint>> {
    const opened = new Map<ServerName, Endpoint>();
    const released = new Set<BoundServer>();
    try {
      for (const config of moving) {
        const { endpoints } = this.get(config.name);
        opened.set(config.name, await bind(endpoints, config, () => this.#makeRoom(config.port, moving, released)));
      }
      return opened;
    } catch (error) {
      for (const [name, endpoint] of opened) await this.get(name).endpoints.close(endpoint);
      for (const server of released) await bindAgain(server);
      throw error;
    }
  }

  /**
   * Releases a port that a moving server holds: two servers exchange their ports, or one changes only its address. Returns
   * whether a port was released.
   */
  async #makeRoom(port: number, moving: readonly ListenConfig[], released: Set<BoundServer>): Promise<boolean> {
    const holders = moving
      .map(({ name }) => this.get(name))
      .filter((server) => !released.has(server) && server.endpoint.address.port === port);
    for (const server of holders) {
      released.add(server);
      await server.endpoint.release();
    }
    return holders.length > 0;
  }
}

/** Binds a released port again. Another process may hold it for a moment, so this retries for five seconds. */
async function bindAgain(server: BoundServer): Promise<void> {
  const released = server.endpoint;
  for (let tries = 1; server.endpoint === released; tries += 1) {
    try {
      server.endpoint = await bind(server.endpoints, server.config);
    } catch (error) {
      if (tries === RETRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
  void server.endpoints.close(released);
}
