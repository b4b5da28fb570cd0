import { setImmediate as breathe } from 'node:timers/promises';
import { emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../../events/ids.js';
import type { ListedInbound, NodeListing, WantedInbound } from '../../ports/remote-panel.js';
import { Stillness } from './idle-counters.js';
import { type Had, matchClients, matchInbounds } from './match.js';
import type { Gate, Renaming } from './node-gate.js';

/** What should be cut on a node and still moves bytes. */
export interface Uncut {
  readonly clients: readonly ClientNumber[];
  readonly inbounds: readonly InboundId[];
}

/**
 * How old the counters in a listing may be, and how long a cut takes, in ms. A 3x-ui reads its core every 5 s; a Portolan
 * before it answers, and ends connections by itself.
 */
const LAG_MS = { '3x-ui': 6_000, portolan: 2_000 } as const;
/** So long an account that is to leave, or to get another name, waits until nothing moves, in ms. */
const LEAVING_MS = 60_000;
const RENAMING_MS = 15_000;
/** Clients that are looked at without a pause. */
const SLICE = 2_000;

/** An account of a node. A node has one counter for an email, whatever inbounds it is in. */
interface Account {
  readonly bytes: number;
  /** It may connect through one of them. */
  readonly open: boolean;
  /** In one of them it shall. */
  readonly wanted: boolean;
  /** In one of them it is wanted under this email, or is none of ours. */
  readonly kept: boolean;
  /** The client that we put there; 0 = it is not from us. */
  readonly number: number;
  readonly credential: string;
}

/**
 * When names on a node may change hands, and what there is not cut although it should be. A 3x-ui shuts an account and lets
 * its connections go on, and it drops what its core counted for a name that it has no more. So an account is shut before it
 * leaves, and leaves when its counter stands still. Where one that is shut still moves, only a restart of the core helps.
 */
export class NodeCuts implements Gate {
  readonly #isForeign: () => boolean;
  readonly #accounts = new Map<string, Account>();
  /** By number: the key of the email under which a client is wanted. */
  readonly #wanted = new Map<number, string>();
  /** Clients that the node had a counter for, and those of them for which it has none any more. */
  readonly #counted = new Set<number>();
  readonly #lost = new Set<number>();
  /** Accounts that are shut and shall be. */
  readonly #shut: Stillness<string>;
  readonly #shutInbounds: Stillness<InboundId>;
  /** Accounts that are to get another name. */
  readonly #renaming: Stillness<string>;
  #asked = new Set<string>();
  /** Accounts that got another name while they moved: what they move from then on is not counted. */
  readonly #forced = new Map<string, ClientNumber>();
  readonly #uncounted = new Set<ClientNumber>();
  /** Accounts that are told another credential, with the one before; and those that have it. */
  readonly #rotations = new Map<string, string>();
  readonly #rotated: Stillness<string>;

  /** `isForeign`: whether the node is a panel of 3x-ui. */
  constructor(isForeign: () => boolean) {
    const lagMs = (): number => LAG_MS[isForeign() ? '3x-ui' : 'portolan'];
    this.#isForeign = isForeign;
    this.#shut = new Stillness(lagMs);
    this.#shutInbounds = new Stillness(lagMs);
    this.#renaming = new Stillness(lagMs);
    this.#rotated = new Stillness(lagMs);
  }

  /** Takes in a listing. `at`: when it was asked for, ms since 1970. */
  async look(wanted: readonly WantedInbound[], listing: NodeListing, had: readonly Had[], at: number): Promise<void> {
    this.#accounts.clear();
    this.#wanted.clear();
    this.#lost.clear();
    const { matches, former } = matchInbounds(wanted, listing.inbounds, had);
    const off = new Map<InboundId, number>();
    const seen = new Set<ListedInbound>();
    const see = async (id: InboundId, listed: ListedInbound, inbound: WantedInbound | null): Promise<void> => {
      seen.add(listed);
      if (!listed.enabled && !inbound?.enabled) off.set(id, listed.counter.up + listed.counter.down);
      await this.#gather(listed, inbound);
    };
    for (const { wanted: inbound, listed, foreign } of matches) {
      for (const { number, email } of inbound.clients) this.#wanted.set(number, emailKey(email));
      if (listed && !foreign) await see(inbound.id, listed, inbound);
    }
    for (const one of had) for (const left of former(one)) if (!seen.has(left)) await see(one.inbound, left, null);
    for (const other of listing.inbounds) if (!seen.has(other)) await this.#gather(other, 'a stranger');
    this.#shutInbounds.look(off, at);
    this.#shut.look(
      this.#bytes((_, { open, wanted: shall, number }) => !open && !shall && number > 0),
      at,
    );
    this.#renaming.look(
      this.#bytes((key) => this.#asked.has(key)),
      at,
    );
    this.#asked = new Set();
    this.#lookAtChanged(at);
  }

  leaves = (email: string): boolean => {
    const key = emailKey(email);
    const waited = this.#shut.isStill(key) || this.#shut.age(key) >= LEAVING_MS;
    return waited || this.#accounts.get(key)?.kept === true;
  };

  removes = (inbound: InboundId, { enabled, clients: { emails, marks } }: ListedInbound): boolean => {
    if (enabled) return false;
    const isCounted = this.#shutInbounds.isStill(inbound) || this.#shutInbounds.age(inbound) >= LEAVING_MS;
    return isCounted && emails.every((email, i) => (marks[i] ?? 0) <= 0 || this.leaves(email));
  };

  isFree = (email: string): boolean => this.#accounts.get(emailKey(email))?.kept !== false;

  renames = (from: string, { number, email }: { readonly number: ClientNumber; readonly email: string }): Renaming => {
    const key = emailKey(from);
    const account = this.#accounts.get(key);
    const waitsForItself = !this.isFree(email) && this.#isCycle(number, emailKey(email));
    if (!this.isFree(email) && !waitsForItself) return 'later';
    // A Portolan counts for a client under whatever name, and what others keep is not lost.
    if (this.#isForeign() && account?.kept === false && account.open) {
      this.#asked.add(key);
      this.#renaming.begin(key, account.bytes);
      if (!this.#renaming.isStill(key)) {
        if (this.#renaming.age(key) < RENAMING_MS) return 'later';
        this.#forced.set(key, number);
      }
    }
    return waitsForItself ? 'detour' : 'now';
  };

  isShared = (email: string): boolean => this.#isForeign() && this.#accounts.get(emailKey(email))?.kept === true;

  isUncounted = (client: ClientNumber): boolean => this.#isForeign() && this.#lost.has(client);

  rotates = (email: string, old: string): void => {
    if (this.#isForeign()) this.#rotations.set(emailKey(email), old);
  };

  /** What only a restart of the core of the node would cut; null = nothing. */
  due(): Uncut | null {
    if (!this.#isForeign()) return null;
    const moving = [...this.#shut.moving(), ...this.#rotated.moving()];
    const numbers = moving.flatMap((key) => this.#accounts.get(key)?.number ?? []) as ClientNumber[];
    const clients = [...new Set([...numbers, ...this.#uncounted])].sort((a, b) => a - b);
    const inbounds = this.#shutInbounds.moving();
    return clients.length + inbounds.length > 0 ? { clients, inbounds } : null;
  }

  /** The core of the node was restarted. */
  restarted(at: number): void {
    for (const watch of [this.#shut, this.#shutInbounds, this.#renaming]) watch.ended(at);
    this.#rotated.look(new Map(), at);
    this.#uncounted.clear();
  }

  /** Whether the next listing may tell something new. */
  isOpen(): boolean {
    return [this.#shut, this.#shutInbounds, this.#renaming, this.#rotated].some((watch) => watch.isOpen());
  }

  /** `inbound`: what is wanted of it; null = it is to go. */
  async #gather({ enabled, clients }: ListedInbound, inbound: WantedInbound | 'a stranger' | null): Promise<void> {
    const { emails, marks, credentials, up, down, open } = clients;
    const kept = new Set<number>();
    const wanted = new Set<number>();
    if (inbound !== null && inbound !== 'a stranger') {
      const { both, unmanaged } = matchClients(inbound, clients);
      for (const i of unmanaged) kept.add(i);
      for (const [client, i] of both) {
        if (clients.counted[i] === 1) this.#counted.add(client.number);
        else if (this.#counted.has(client.number)) this.#lost.add(client.number);
        if (emailKey(emails[i] ?? '') === emailKey(client.email)) kept.add(i);
        if (inbound.enabled && client.enabled) wanted.add(i);
      }
    }
    for (const [i, email] of emails.entries()) {
      if (i > 0 && i % SLICE === 0) await breathe();
      const key = emailKey(email);
      const other = this.#accounts.get(key);
      const number = inbound === 'a stranger' ? 0 : Math.max(0, marks[i] ?? 0);
      this.#accounts.set(key, {
        bytes: (up[i] ?? 0) + (down[i] ?? 0),
        open: other?.open || (enabled && open[i] !== 0),
        wanted: other?.wanted || wanted.has(i) || inbound === 'a stranger',
        kept: other?.kept || kept.has(i) || number === 0,
        number: other?.number || number,
        credential: credentials[i] ?? '',
      });
    }
  }

  #bytes(which: (key: string, account: Account) => boolean): ReadonlyMap<string, number> {
    return new Map([...this.#accounts].flatMap(([key, one]) => (which(key, one) ? [[key, one.bytes] as const] : [])));
  }

  #lookAtChanged(at: number): void {
    for (const [key, number] of this.#forced) if (!this.#accounts.has(key)) this.#uncounted.add(number);
    this.#forced.clear();
    const over = (key: string): boolean => this.#rotated.isStill(key);
    const watched = this.#bytes((key, { open, credential }) => {
      const old = this.#rotations.get(key);
      const isTold = old !== undefined && credential !== old;
      return open && (isTold || (this.#rotated.has(key) && !over(key)));
    });
    this.#rotations.clear();
    this.#rotated.look(watched, at);
  }

  /** Whether a client waits for a name that waits for its own. */
  #isCycle(number: number, wanted: string): boolean {
    const seen = new Set<number>();
    let key: string | undefined = wanted;
    for (;;) {
      const holder: number = this.#accounts.get(key)?.number ?? 0;
      if (holder === number) return true;
      key = this.#wanted.get(holder);
      if (holder === 0 || key === undefined || seen.has(holder) || this.isFree(key)) return false;
      seen.add(holder);
    }
  }
}
