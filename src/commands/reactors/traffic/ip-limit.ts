import type { RecordedEvent } from '../../../events/catalog.js';
import { emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber } from '../../../events/ids.js';
import { digest } from '../../../lib/digest.js';
import type { AnyCommand } from '../../catalog.js';
import type { BlockedAddresses, Core, OnlineUser } from '../../ports/core.js';
import type { BlockedClient } from '../../traffic/ip-limit.js';
import { AddressWatch, type ConnectedEmail } from './address-watch.js';

interface Parts {
  readonly core: Pick<Core, 'process' | 'addresses'>;
  readonly dispatch: (command: AnyCommand) => void;
  /** The name of this machine in the cluster; undefined = the panel is alone. */
  readonly machine: string | undefined;
  /** The smallest IP limit of the clients with an email on this machine; 0 = none. */
  readonly limitOf: (email: string) => number;
  readonly blockedClients: () => readonly BlockedClient[];
  readonly emailOf: (client: number) => string | null;
  /** The clients of an email. */
  readonly clientsOf: (email: string) => readonly number[];
  readonly graceMs: () => number;
  /** After how long a block is recorded again, in ms. */
  readonly renewAfterMs: () => number;
  readonly now: () => number;
  /** Called when open connections from a blocked address could not be closed. */
  readonly disconnectFailed: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

/** How often a blocked address that is still connected is disconnected. After that only new connections are refused. */
const MAX_DISCONNECTS = 3;

/**
 * Enforces IP limits: records which clients exceed theirs, and makes the core block the recorded addresses. Current
 * connections are not in the log; they are observed again after a restart.
 */
export class IpLimit {
  readonly #parts: Parts;
  readonly #watch: AddressWatch;
  /** The run of the core and a digest of the blocks that it has. */
  #applied = '';
  #work: Promise<void> = Promise.resolve();
  /** How often the addresses of each block were disconnected. */
  readonly #disconnects = new Map<ClientNumber, { readonly at: number; readonly tries: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#watch = new AddressWatch(parts);
  }

  /** Takes the online clients of each poll. Never rejects. */
  async poll(users: readonly OnlineUser[]): Promise<void> {
    try {
      await this.#decide(users);
      await this.applyBlocks();
      await this.#disconnect();
    } catch (error) {
      this.#parts.warn('the IP limits could not be enforced', { error: String(error) });
    }
  }

  async #decide(users: readonly OnlineUser[]): Promise<void> {
    const { core, dispatch, blockedClients, now } = this.#parts;
    const at = now();
    const candidates = this.#watch.observe(this.#connectedClients(users), blockedClients(), at);
    if (candidates.length === 0) return;
    const questions = candidates.map(({ email, addresses }) => ({
      person: email,
      clients: this.#parts.clientsOf(email),
      addresses: [...addresses.keys()],
    }));
    const people = this.#watch.undecided(candidates, await core.addresses.idleTimes(questions));
    if (people.length > 0) dispatch({ type: 'LimitAddresses', data: { at, people, machine: this.#parts.machine } });
  }

  /** Clients with one email count together; deleted clients do not count. */
  #connectedClients(users: readonly OnlineUser[]): readonly ConnectedEmail[] {
    const people = new Map<string, ConnectedEmail>();
    for (const { client, ips } of users) {
      const email = this.#parts.emailOf(client);
      if (email === null) continue;
      const key = emailKey(email);
      const known = people.get(key);
      people.set(key, known ? { email, ips: [...known.ips, ...ips] } : { email, ips });
    }
    return [...people.values()];
  }

  /** Takes every batch of events; the work starts after the tick in which they were appended. */
  onEvents(events: readonly RecordedEvent[]): void {
    let changed = false;
    for (const { type, data, meta } of events) {
      changed ||= type === 'ClientIpsBlocked' || type === 'ClientIpsUnblocked' || type === 'CoreStarted';
      if (type !== 'ClientIpsUnblocked' || (data.reason !== 'reset' && data.reason !== 'cleared')) continue;
      // The grace period starts again.
      const email = this.#parts.emailOf(data.client);
      if (email !== null) this.#watch.renew(email, meta.at);
    }
    if (changed) setImmediate(() => void this.applyBlocks());
  }

  /** Resolves when the core has the blocks of the log. Calls run one after another. Never rejects. */
  applyBlocks(): Promise<void> {
    this.#work = this.#work
      .then(() => this.#applyBlocks())
      .catch((error: unknown) =>
        this.#parts.warn('the blocked addresses could not be sent to the core', { error: String(error) }),
      );
    return this.#work;
  }

  async #applyBlocks(): Promise<void> {
    const { core, blockedClients } = this.#parts;
    if (!core.process.running) return;
    const all = blockedClients().map(({ inbound, client, block }) => ({ inbound, client, addresses: block.blocked }));
    const text = `${core.process.running.run} ${digest(all)}`;
    if (text === this.#applied) return;
    // Set only after success, so that a failure is retried.
    this.#applied = '';
    await core.addresses.block(all);
    this.#applied = text;
  }

  /** Closes connections that are still open from blocked addresses. */
  async #disconnect(): Promise<void> {
    const { core, blockedClients, disconnectFailed } = this.#parts;
    const current = blockedClients();
    const numbers = new Set(current.map(({ client }) => client));
    for (const client of this.#disconnects.keys()) if (!numbers.has(client)) this.#disconnects.delete(client);
    const due: BlockedAddresses[] = [];
    const last: BlockedAddresses[] = [];
    for (const { client, email, inbound, block } of current) {
      const addresses = block.blocked.filter((address) => this.#watch.isListed(email, address));
      const before = this.#disconnects.get(client);
      const tries = before?.at === block.at ? before.tries : 0;
      if (addresses.length === 0 || tries >= MAX_DISCONNECTS) continue;
      this.#disconnects.set(client, { at: block.at, tries: tries + 1 });
      (tries + 1 === MAX_DISCONNECTS ? last : due).push({ inbound, client, addresses });
    }
    const ended = due.length === 0 || (await core.addresses.disconnect(due, false));
    const endedLast = last.length === 0 || (await core.addresses.disconnect(last, true));
    if (!ended || !endedLast) disconnectFailed();
  }
}
