import type { RecordedEvent } from '../../../events/catalog.js';
import { emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber } from '../../../events/ids.js';
import { digest } from '../../../lib/digest.js';
import type { AnyCommand } from '../../catalog.js';
import type { BlockedAddresses, Core, OnlineUser } from '../../ports/core.js';
import type { Held } from '../../traffic/ip-limit.js';
import { AddressWatch, type OnlinePerson } from './address-watch.js';

interface Parts {
  readonly core: Pick<Core, 'process' | 'addresses'>;
  readonly dispatch: (command: AnyCommand) => void;
  /** The smallest limit of addresses that an email has on this machine; 0 = none. */
  readonly limitOf: (email: string) => number;
  readonly held: () => readonly Held[];
  readonly emailOf: (client: number) => string | null;
  /** The clients of an email. */
  readonly clientsOf: (email: string) => readonly number[];
  readonly graceMs: () => number;
  /** After how long a hold is said again, ms. */
  readonly restateMs: () => number;
  readonly now: () => number;
  /** Called when open connections from a blocked address could not be closed. */
  readonly unended: () => void;
  readonly warn: (message: string, fields?: object) => void;
}

/** How often a blocked address that is still connected is disconnected. Later its new connections are only refused. */
const TRIES = 3;

/**
 * Tells the log who is connected from too many addresses, and makes the core refuse what the log holds back. Who is where
 * is a gauge and no event: it is learned again after a restart.
 */
export class IpLimit {
  readonly #parts: Parts;
  readonly #watch: AddressWatch;
  /** The run, and the blocks that it has. */
  #told = '';
  #work: Promise<void> = Promise.resolve();
  /** How often each hold, as it was said last, was cut. */
  readonly #cuts = new Map<ClientNumber, { readonly at: number; readonly tries: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#watch = new AddressWatch(parts);
  }

  /** Takes the online clients of each poll. Never rejects. */
  async poll(users: readonly OnlineUser[]): Promise<void> {
    try {
      await this.#decide(users);
      await this.settle();
      await this.#cut();
    } catch (error) {
      this.#parts.warn('the limits of addresses could not be kept', { error: String(error) });
    }
  }

  async #decide(users: readonly OnlineUser[]): Promise<void> {
    const { core, dispatch, held, now } = this.#parts;
    const at = now();
    const suspects = this.#watch.see(this.#people(users), held(), at);
    if (suspects.length === 0) return;
    const asked = suspects.map(({ email, addresses }) => ({
      person: email,
      clients: this.#parts.clientsOf(email),
      addresses: [...addresses.keys()],
    }));
    const people = this.#watch.judged(suspects, await core.addresses.idleTimes(asked));
    if (people.length > 0) dispatch({ type: 'LimitAddresses', data: { at, people } });
  }

  /** Clients of one email are one person, and a deleted client is not counted. */
  #people(users: readonly OnlineUser[]): readonly OnlinePerson[] {
    const people = new Map<string, OnlinePerson>();
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
  notice(events: readonly RecordedEvent[]): void {
    let news = false;
    for (const { type, data, meta } of events) {
      news ||= type === 'ClientIpsBlocked' || type === 'ClientIpsUnblocked' || type === 'CoreStarted';
      if (type !== 'ClientIpsUnblocked' || (data.reason !== 'reset' && data.reason !== 'cleared')) continue;
      // Too many addresses are borne for the grace again.
      const email = this.#parts.emailOf(data.client);
      if (email !== null) this.#watch.renew(email, meta.at);
    }
    if (news) setImmediate(() => void this.settle());
  }

  /** Resolves when the core has the blocks of the log. One call at a time. Never rejects. */
  settle(): Promise<void> {
    this.#work = this.#work
      .then(() => this.#tell())
      .catch((error: unknown) =>
        this.#parts.warn('the core could not be told which addresses are held back', { error: String(error) }),
      );
    return this.#work;
  }

  async #tell(): Promise<void> {
    const { core, held } = this.#parts;
    if (!core.process.running) return;
    const all = held().map(({ inbound, client, hold }) => ({ inbound, client, addresses: hold.blocked }));
    const text = `${core.process.running.run} ${digest(all)}`;
    if (text === this.#told) return;
    // Not before it has done so: else a failure would not be tried again.
    this.#told = '';
    await core.addresses.block(all);
    this.#told = text;
  }

  /** Closes connections that are still open from blocked addresses. */
  async #cut(): Promise<void> {
    const { core, held, unended } = this.#parts;
    const now = held();
    const here = new Set(now.map(({ client }) => client));
    for (const client of this.#cuts.keys()) if (!here.has(client)) this.#cuts.delete(client);
    const due: BlockedAddresses[] = [];
    const last: BlockedAddresses[] = [];
    for (const { client, email, inbound, hold } of now) {
      const addresses = hold.blocked.filter((address) => this.#watch.isListed(email, address));
      const before = this.#cuts.get(client);
      const tries = before?.at === hold.at ? before.tries : 0;
      if (addresses.length === 0 || tries >= TRIES) continue;
      this.#cuts.set(client, { at: hold.at, tries: tries + 1 });
      (tries + 1 === TRIES ? last : due).push({ inbound, client, addresses });
    }
    const ended = due.length === 0 || (await core.addresses.disconnect(due, false));
    const atLast = last.length === 0 || (await core.addresses.disconnect(last, true));
    if (!ended || !atLast) unended();
  }
}
