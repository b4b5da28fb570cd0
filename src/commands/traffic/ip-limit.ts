import type { PanelEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import { ClientIpsBlocked, ClientIpsUnblocked, type Keep, LEAST_GRACE_S } from '../../events/ip-limit.js';
import type { IpBlock } from '../../events/ip-limit-document.js';
import type { Settings } from '../../events/settings/settings.js';
import { clientsNamed } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import type { PanelState } from '../state.js';

/** An address of an email, as the polls have seen it. Times in ms. */
export interface SeenAddress {
  /** As `addressKey` has it. */
  readonly address: string;
  /** Since when it has been there without a pause that is longer than the grace. */
  readonly since: number;
  /** When it was last known to be there. */
  readonly seen: number;
  /** Connected now, and not silent. */
  readonly here: boolean;
  /** It is only listed: nobody knows whether something comes from it. Then it counts as heard of. */
  readonly unheard: boolean;
}

/** A client of which addresses are held back. */
export interface Held {
  readonly client: ClientNumber;
  readonly email: string;
  /** Its tag. */
  readonly inbound: string;
  readonly hold: IpBlock;
}

export type IpLimitCommand = Command<
  'LimitAddresses',
  {
    /** Time of the poll, ms. */
    readonly at: number;
    /** Those with too many addresses or with addresses that are held back; everybody else is as before. */
    readonly people: readonly { readonly email: string; readonly addresses: readonly SeenAddress[] }[];
  }
>;

/** Held back of one client; the first of them are forgotten. */
const MOST_HELD = 2000;
/** With more than so many, the whole list is written anew the more rarely the longer it is: a link that leaked fills no disk. */
const FEW_HELD = 50;
const PACE_MS = 1000;

export const ipLimit: Decider<IpLimitCommand> = {
  LimitAddresses({ at, people }, state) {
    return people.flatMap(({ email, addresses }) =>
      clientsNamed(state, email).flatMap((client) => {
        // A node sees its own addresses, and limits by itself.
        const here = state.inbounds.get(client.inbound)?.node === null;
        return here ? limited(client, state.holds.get(client.number), addresses, state.settings, at) : [];
      }),
    );
  },
};

function limited(
  { number: client, spec: { limitIp: limit } }: Client,
  hold: IpBlock | undefined,
  addresses: readonly SeenAddress[],
  settings: Settings,
  at: number,
): PanelEvent[] {
  if (limit === 0) return [];
  const graceSeconds = graceOf(settings);
  const grace = graceSeconds * 1000;
  const held = new Set(hold?.blocked);
  const free = addresses.filter(({ address }) => !held.has(address));
  const counted = free.filter(({ since, here }) => here && at - since >= grace).sort(byArrival);
  const names = (some: readonly SeenAddress[]): string[] => some.map(({ address }) => address);
  const limitedTo = (keep: Keep, kept: string[], all: string[]): PanelEvent[] => [
    ClientIpsBlocked({ client, limit, keep, graceSeconds, ips: { allowed: kept, blocked: all.slice(-MOST_HELD) } }),
  ];
  if (counted.length > limit) {
    if (hold && at - hold.at < (hold.blocked.length - FEW_HELD) * PACE_MS) return [];
    const first = counted.slice(0, limit);
    // What is only listed may be what a phone left behind when it changed its network: then the person is where they came last.
    const keep = first.some(({ unheard }) => unheard) ? 'newest' : settings.ipLimitKeep;
    const kept = keep === 'newest' ? counted.slice(-limit) : first;
    const over = counted.filter((one) => !kept.includes(one));
    return limitedTo(keep, names(kept), [...held, ...names(over)]);
  }
  if (!hold) return [];
  const inPlace = free.filter(({ seen }) => at - seen <= pauseOf(grace));
  if (inPlace.length < limit) return [ClientIpsUnblocked({ client, reason: 'left' })];
  const stale = at - hold.at >= restateAfter(settings);
  return stale ? limitedTo(hold.keep, names(inPlace), [...held]) : [];
}

/** Seconds for which too many addresses are borne. An older release let it be set to less than can be told apart. */
export function graceOf({ ipLimitGraceSeconds }: Pick<Settings, 'ipLimitGraceSeconds'>): number {
  return Math.max(ipLimitGraceSeconds, LEAST_GRACE_S);
}

/** How long an address may be away without having left, ms: the grace, but never less than some seconds. */
export function pauseOf(grace: number): number {
  return Math.max(grace, LEAST_GRACE_S * 1000);
}

/** After how long a hold is said again, ms: before it is pruned from the log, which would lift it. */
export function restateAfter({ measuredRetentionHours }: Pick<Settings, 'measuredRetentionHours'>): number {
  return (measuredRetentionHours * 3_600_000) / 2;
}

function byArrival(a: SeenAddress, b: SeenAddress): number {
  return a.since - b.since || (a.address < b.address ? -1 : 1);
}

/** The smallest number of addresses that an email may have on this machine at once; 0 = any number. */
export function addressLimit(state: Pick<PanelState, 'clients' | 'inbounds' | 'byEmail'>, email: string): number {
  const first = state.byEmail.first(email);
  const siblings = first === undefined ? [] : (state.byEmail.siblings(first) ?? [first]);
  let least = 0;
  for (const number of siblings) {
    const client = state.clients.get(number);
    const limit = client?.spec.limitIp ?? 0;
    if (!client || limit === 0 || state.inbounds.get(client.inbound)?.node !== null) continue;
    if (least === 0 || limit < least) least = limit;
  }
  return least;
}

/** What is held back on this machine. */
export function addressesHeld({ holds, clients, inbounds }: PanelState): readonly Held[] {
  return [...holds].flatMap(([number, hold]) => {
    const client = clients.get(number);
    const inbound = client && inbounds.get(client.inbound);
    if (!client || inbound?.node !== null) return [];
    return [{ client: number, email: client.identity.email, inbound: inbound.tag, hold }];
  });
}

/** Nothing, or that what is held back of a client may be used again, because of what is done to it. */
export function admitted(
  { holds }: Pick<PanelState, 'holds'>,
  { number: client }: Client,
  reason: 'changed' | 'reset' | 'cleared',
): PanelEvent[] {
  return holds.has(client) ? [ClientIpsUnblocked({ client, reason })] : [];
}
