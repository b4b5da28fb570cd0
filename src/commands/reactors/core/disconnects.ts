import type { CounterTable } from '../../../events/traffic/counter-table.js';
import type { CoreInbound } from '../../../lib/core-config.js';
import type { Core } from '../../ports/core.js';

export interface DisconnectParts {
  readonly core: Pick<Core, 'process' | 'users'>;
  /** The connections of this many clients could not be closed one by one. */
  readonly notClosed: (clients: number) => void;
  /** Some clients were disconnected; see `takeClosed`. */
  readonly closed: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

interface Target {
  readonly inbound: CoreInbound;
  /** Clients whose connections are being closed. */
  readonly disconnecting: Set<number>;
}

/** A client that was disconnected. */
interface Disconnected {
  readonly target: Target;
  /** Bytes received at the last reading of the counters; null = none since the connections were closed. */
  down: number | null;
  /** How often the client was disconnected again because it still received bytes. */
  retries: number;
}

/** Attempts when calls to the core get lost. */
const MAX_ATTEMPTS = 3;
/** How often a client that still receives bytes is disconnected again. */
const MAX_RETRIES = 2;
/** Disconnected clients that are remembered. */
const MAX_REMEMBERED = 10_000;

/** Disconnects clients. This takes about a second, so it runs beside the passes of `CoreSync`, which update the users afterwards. */
export class Disconnects {
  readonly #parts: DisconnectParts;
  #closed: (readonly [tag: string, client: number])[] = [];
  readonly #recent = new Map<number, Disconnected>();

  constructor(parts: DisconnectParts) {
    this.#parts = parts;
  }

  /** The users who were disconnected since the last call. */
  takeClosed(): readonly (readonly [tag: string, client: number])[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** No core is running. */
  forget(): void {
    this.#closed = [];
    this.#recent.clear();
  }

  /** The client may connect again. */
  admit(client: number): void {
    this.#recent.delete(client);
  }

  /**
   * Takes the counters of each poll: an idle connection may have been missed, or a client has changed its port. A client
   * that still receives bytes is disconnected again, and needs a restart of the core after that.
   */
  observe(counters: Pick<CounterTable, 'get'>): void {
    for (const [client, record] of this.#recent) {
      const before = record.down;
      const { target } = record;
      if (target.disconnecting.has(client)) continue;
      record.down = counters.get(client)?.down ?? 0;
      if (before === null || record.down <= before) continue;
      record.retries += 1;
      record.down = null;
      if (record.retries === MAX_RETRIES + 1) this.#parts.notClosed(1);
      if (record.retries <= MAX_RETRIES) {
        target.disconnecting.add(client);
        this.begin(target, [client]);
      }
    }
  }

  begin(target: Target, clients: readonly number[]): void {
    const { core, notClosed, closed } = this.#parts;
    const run = core.process.running?.run;
    // The connections of a run end with it.
    const stillRuns = (): boolean => run !== undefined && core.process.running?.run === run;
    for (const client of clients) this.#remember(client, target);
    void this.#disconnect(stillRuns, target, clients).then((remaining) => {
      if (remaining > 0 && stillRuns()) notClosed(remaining);
      for (const client of clients) {
        target.disconnecting.delete(client);
        this.#closed.push([target.inbound.tag, client]);
      }
      closed();
    });
  }

  #remember(client: number, target: Target): void {
    if (this.#recent.get(client)?.target === target) return;
    this.#recent.set(client, { target, down: null, retries: 0 });
    const { value: oldest } = this.#recent.keys().next();
    if (this.#recent.size > MAX_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Resolves to how many could not be disconnected. A lost call is repeated as long as the core responds. */
  async #disconnect(stillRuns: () => boolean, { inbound }: Target, clients: readonly number[]): Promise<number> {
    const { core, warn } = this.#parts;
    for (let attempt = 1; stillRuns(); attempt += 1) {
      try {
        return (await core.users.disconnect(inbound, clients)).length;
      } catch (error) {
        if (stillRuns()) warn('connections could not be closed', { error: String(error) });
        if (attempt === MAX_ATTEMPTS || !(await core.process.responds())) return clients.length;
      }
    }
    return 0;
  }
}
