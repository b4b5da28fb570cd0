import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { emailKey } from '../../../events/client/client-document.js';
import type { ClientNumber, InboundId } from '../../../events/ids.js';
import type { DesiredInbound } from '../../../events/node/desired-state.js';
import type { ListedInbound, NodeListing } from '../../ports/remote-panel.js';
import { IdleCounters } from './idle-counters.js';
import { matchClients, matchInbounds, type SentInbound } from './match.js';

/** Whether an account can be renamed now. */
type Renaming = 'now' | 'later' | /** By way of a free name, or it waits for itself. */ 'detour';

/** Decides when an email on a node can be removed or reused without losing bytes or crediting them to another client. */
export interface Gate {
  /** Whether an account that is no longer desired can be removed. Until then it is disabled. */
  readonly mayRemoveClient: (email: string) => boolean;
  /** Whether an inbound that is no longer desired can be removed. Until then it is disabled. */
  readonly mayRemoveInbound: (inbound: InboundId, listed: ListedInbound) => boolean;
  /** Whether no account that is to be removed or renamed has this email. */
  readonly isFree: (email: string) => boolean;
  readonly renaming: (from: string, client: { readonly number: ClientNumber; readonly email: string }) => Renaming;
  /** Whether the account is in a second inbound: a 3x-ui does not disconnect it when it is removed from one of them. */
  readonly isShared: (email: string) => boolean;
  /** Whether the node has lost the counter of a client: it counts nothing until the client is added again. */
  readonly isUncounted: (client: ClientNumber) => boolean;
  /** An account gets another credential than `old`. */
  readonly credentialChanged: (email: string, old: string) => void;
}

/** Everything is allowed at once. */
export const ungated: Gate = {
  mayRemoveClient: () => true,
  mayRemoveInbound: () => true,
  isFree: () => true,
  renaming: () => 'now',
  isShared: () => false,
  isUncounted: () => false,
  credentialChanged: () => undefined,
};

/** Clients and inbounds that should be disconnected and still transfer bytes. */
interface StillConnected {
  readonly clients: readonly ClientNumber[];
  readonly inbounds: readonly InboundId[];
}

/**
 * How old the counters in a listing can be, and how long a disconnect takes, in ms. A 3x-ui reads its core every 5 s. A
 * Portolan reads it before it answers, and ends connections by itself.
 */
const LAG_MS = { '3x-ui': 6_000, portolan: 2_000 } as const;
/** How long a removal or a renaming waits at most for the account to become idle, in ms. */
const LEAVING_MS = 60_000;
const RENAMING_MS = 15_000;
/** Clients that are read before the event loop runs. */
const CLIENTS_PER_TURN = 2_000;

/** An account of a node. A node has one counter for an email, however many inbounds it is in. */
interface Account {
  readonly bytes: number;
  /** It can connect through one of them. */
  readonly open: boolean;
  /** It should be able to connect through one of them. */
  readonly desired: boolean;
  /** In one of them it is desired under this email, or is foreign. */
  readonly kept: boolean;
  /** The number of our client; 0 = foreign. */
  readonly number: number;
  readonly credential: string;
}

/**
 * Tracks which accounts of a node can be removed or renamed, and which are still connected although they are disabled. A
 * 3x-ui does not end the connections of an account that it disables, and it drops the counter of an email that it no longer
 * has. So an account is disabled first and removed when its counter is idle. If it stays active, only a restart of the core
 * disconnects it.
 */
export class DisconnectTracker implements Gate {
  readonly #isThreeXui: () => boolean;
  readonly #accounts = new Map<string, Account>();
  /** By number: the key of the desired email of a client. */
  readonly #desired = new Map<number, string>();
  /** Clients that had a counter on the node, and those of them that no longer have one. */
  readonly #counted = new Set<number>();
  readonly #lost = new Set<number>();
  /** Accounts that are disabled as desired. */
  readonly #disabled: IdleCounters<string>;
  readonly #disabledInbounds: IdleCounters<InboundId>;
  /** Accounts that are to be renamed. */
  readonly #renaming: IdleCounters<string>;
  #renameRequests = new Set<string>();
  /** Accounts that were renamed while they were active: the node no longer counts their connections. */
  readonly #forced = new Map<string, ClientNumber>();
  readonly #uncounted = new Set<ClientNumber>();
  /** Accounts that get a new credential, with the old one; and those that have it. */
  readonly #rotations = new Map<string, string>();
  readonly #rotated: IdleCounters<string>;

  /** `isThreeXui`: whether the node is a 3x-ui. */
  constructor(isThreeXui: () => boolean) {
    const lagMs = (): number => LAG_MS[isThreeXui() ? '3x-ui' : 'portolan'];
    this.#isThreeXui = isThreeXui;
    this.#disabled = new IdleCounters(lagMs);
    this.#disabledInbounds = new IdleCounters(lagMs);
    this.#renaming = new IdleCounters(lagMs);
    this.#rotated = new IdleCounters(lagMs);
  }

  /** Takes in a listing. `at`: when it was requested, ms since 1970. */
  async update(
    desired: readonly DesiredInbound[],
    listing: NodeListing,
    sent: readonly SentInbound[],
    at: number,
  ): Promise<void> {
    this.#accounts.clear();
    this.#desired.clear();
    this.#lost.clear();
    const { matches, leftBehind } = matchInbounds(desired, listing.inbounds, sent);
    const off = new Map<InboundId, number>();
    const seen = new Set<ListedInbound>();
    const see = async (id: InboundId, listed: ListedInbound, inbound: DesiredInbound | null): Promise<void> => {
      seen.add(listed);
      if (!listed.enabled && !inbound?.enabled) off.set(id, listed.counter.up + listed.counter.down);
      await this.#gather(listed, inbound);
    };
    for (const { desired: inbound, listed, foreign } of matches) {
      for (const { number, email } of inbound.clients) this.#desired.set(number, emailKey(email));
      if (listed && !foreign) await see(inbound.id, listed, inbound);
    }
    for (const one of sent)
      for (const leftover of leftBehind(one)) if (!seen.has(leftover)) await see(one.inbound, leftover, null);
    for (const other of listing.inbounds) if (!seen.has(other)) await this.#gather(other, 'foreign');
    this.#disabledInbounds.update(off, at);
    this.#disabled.update(
      this.#bytes((_, { open, desired: isDesired, number }) => !open && !isDesired && number > 0),
      at,
    );
    this.#renaming.update(
      this.#bytes((key) => this.#renameRequests.has(key)),
      at,
    );
    this.#renameRequests = new Set();
    this.#updateChanged(at);
  }

  mayRemoveClient = (email: string): boolean => {
    const key = emailKey(email);
    const waited = this.#disabled.isIdle(key) || this.#disabled.age(key) >= LEAVING_MS;
    return waited || this.#accounts.get(key)?.kept === true;
  };

  mayRemoveInbound = (inbound: InboundId, { enabled, clients: { emails, marks } }: ListedInbound): boolean => {
    if (enabled) return false;
    const isCounted = this.#disabledInbounds.isIdle(inbound) || this.#disabledInbounds.age(inbound) >= LEAVING_MS;
    return isCounted && emails.every((email, i) => (marks[i] ?? 0) <= 0 || this.mayRemoveClient(email));
  };

  isFree = (email: string): boolean => this.#accounts.get(emailKey(email))?.kept !== false;

  renaming = (from: string, { number, email }: { readonly number: ClientNumber; readonly email: string }): Renaming => {
    const key = emailKey(from);
    const account = this.#accounts.get(key);
    const isInCycle = !this.isFree(email) && this.#isCycle(number, emailKey(email));
    if (!this.isFree(email) && !isInCycle) return 'later';
    // A Portolan counts by client and not by email, and a counter that another client keeps is not lost.
    if (this.#isThreeXui() && account?.kept === false && account.open) {
      this.#renameRequests.add(key);
      this.#renaming.watch(key, account.bytes);
      if (!this.#renaming.isIdle(key)) {
        if (this.#renaming.age(key) < RENAMING_MS) return 'later';
        this.#forced.set(key, number);
      }
    }
    return isInCycle ? 'detour' : 'now';
  };

  isShared = (email: string): boolean => this.#isThreeXui() && this.#accounts.get(emailKey(email))?.kept === true;

  isUncounted = (client: ClientNumber): boolean => this.#isThreeXui() && this.#lost.has(client);

  credentialChanged = (email: string, old: string): void => {
    if (this.#isThreeXui()) this.#rotations.set(emailKey(email), old);
  };

  /** What only a restart of the node's core disconnects; null = nothing. */
  due(): StillConnected | null {
    if (!this.#isThreeXui()) return null;
    const moving = [...this.#disabled.moving(), ...this.#rotated.moving()];
    const numbers = moving.flatMap((key) => this.#accounts.get(key)?.number ?? []) as ClientNumber[];
    const clients = [...new Set([...numbers, ...this.#uncounted])].sort((a, b) => a - b);
    const inbounds = this.#disabledInbounds.moving();
    return clients.length + inbounds.length > 0 ? { clients, inbounds } : null;
  }

  /** The core of the node was restarted. */
  restarted(at: number): void {
    for (const watch of [this.#disabled, this.#disabledInbounds, this.#renaming]) watch.restart(at);
    this.#rotated.update(new Map(), at);
    this.#uncounted.clear();
  }

  /** Whether something waits for the next listing. */
  isWaiting(): boolean {
    return [this.#disabled, this.#disabledInbounds, this.#renaming, this.#rotated].some((watch) => watch.isWaiting());
  }

  /** `inbound`: its desired state; null = it is to be removed. */
  async #gather({ enabled, clients }: ListedInbound, inbound: DesiredInbound | 'foreign' | null): Promise<void> {
    const { emails, marks, credentials, up, down, open } = clients;
    const kept = new Set<number>();
    const desired = new Set<number>();
    if (inbound !== null && inbound !== 'foreign') {
      const { both, foreign } = matchClients(inbound, clients);
      for (const i of foreign) kept.add(i);
      for (const [client, i] of both) {
        if (clients.counted[i] === 1) this.#counted.add(client.number);
        else if (this.#counted.has(client.number)) this.#lost.add(client.number);
        if (emailKey(emails[i] ?? '') === emailKey(client.email)) kept.add(i);
        if (inbound.enabled && client.enabled) desired.add(i);
      }
    }
    for (const [i, email] of emails.entries()) {
      if (i > 0 && i % CLIENTS_PER_TURN === 0) await yieldToEventLoop();
      const key = emailKey(email);
      const other = this.#accounts.get(key);
      const number = inbound === 'foreign' ? 0 : Math.max(0, marks[i] ?? 0);
      this.#accounts.set(key, {
        bytes: (up[i] ?? 0) + (down[i] ?? 0),
        open: other?.open || (enabled && open[i] !== 0),
        desired: other?.desired || desired.has(i) || inbound === 'foreign',
        kept: other?.kept || kept.has(i) || number === 0,
        number: other?.number || number,
        credential: credentials[i] ?? '',
      });
    }
  }

  #bytes(which: (key: string, account: Account) => boolean): ReadonlyMap<string, number> {
    return new Map([...this.#accounts].flatMap(([key, one]) => (which(key, one) ? [[key, one.bytes] as const] : [])));
  }

  #updateChanged(at: number): void {
    for (const [key, number] of this.#forced) if (!this.#accounts.has(key)) this.#uncounted.add(number);
    this.#forced.clear();
    const over = (key: string): boolean => this.#rotated.isIdle(key);
    const watched = this.#bytes((key, { open, credential }) => {
      const old = this.#rotations.get(key);
      const isSendable = old !== undefined && credential !== old;
      return open && (isSendable || (this.#rotated.has(key) && !over(key)));
    });
    this.#rotations.clear();
    this.#rotated.update(watched, at);
  }

  /** Whether a client waits for an email whose owner waits for the client's own. */
  #isCycle(number: number, desired: string): boolean {
    const seen = new Set<number>();
    let key: string | undefined = desired;
    for (;;) {
      const holder: number = this.#accounts.get(key)?.number ?? 0;
      if (holder === number) return true;
      key = this.#desired.get(holder);
      if (holder === 0 || key === undefined || seen.has(holder) || this.isFree(key)) return false;
      seen.add(holder);
    }
  }
}
