import type { PanelEvent } from '../../events/catalog.js';
import type { Client } from '../../events/client/client-document.js';
import type { ClientNumber } from '../../events/ids.js';
import { isLocal } from '../../events/inbound/inbound-document.js';
import { ClientIpsBlocked, ClientIpsUnblocked, type Keep, MIN_GRACE_S } from '../../events/ip-limit.js';
import type { IpBlock } from '../../events/ip-limit-document.js';
import type { Settings } from '../../events/settings/settings.js';
import { clientsNamed } from '../client/siblings.js';
import type { Command, Decider } from '../command.js';
import type { PanelState } from '../state.js';

/** An address from which an email is or was connected. Times are in ms. */
export interface SeenAddress {
  /** A key from `addressKey`. */
  readonly address: string;
  /** Since when it has been connected without a pause longer than the grace period. */
  readonly since: number;
  /** When it was last known to be connected. */
  readonly seen: number;
  /** Connected now, and not idle. */
  readonly here: boolean;
  /** The core lists it, but it is unknown how long it has been idle. It then counts as active. */
  readonly silenceUnknown: boolean;
}

/** A client with blocked addresses. */
export interface BlockedClient {
  readonly client: ClientNumber;
  readonly email: string;
  /** Its tag. */
  readonly inbound: string;
  readonly block: IpBlock;
}

export type IpLimitCommand = Command<
  'LimitAddresses',
  {
    /** Time of the poll, ms. */
    readonly at: number;
    /** The member of the cluster that has seen the addresses; absent without a cluster. */
    readonly machine?: string | undefined;
    /** Emails that exceed their limit or have blocked addresses. For all others nothing changes. */
    readonly people: readonly { readonly email: string; readonly addresses: readonly SeenAddress[] }[];
  }
>;

/** Blocked addresses of one client. The oldest are dropped. */
const MAX_BLOCKED = 2000;
/**
 * Each block records the whole list. With more than this many addresses, the time between two records grows by `THROTTLE_MS`
 * for each address, so that a leaked link cannot fill the disk.
 */
const UNTHROTTLED = 50;
const THROTTLE_MS = 1000;

export const ipLimit: Decider<IpLimitCommand> = {
  LimitAddresses({ at, people, machine = null }, state) {
    return people.flatMap(({ email, addresses }) =>
      clientsNamed(state, email).flatMap((client) => {
        // Each node and each machine of a cluster enforces the limit by itself.
        return isHere(state, client, machine)
          ? eventsFor(client, state.ipBlocks.get(client.number), addresses, state.settings, at)
          : [];
      }),
    );
  },
};

function isHere({ inbounds }: Pick<PanelState, 'inbounds'>, { inbound: id }: Client, machine: string | null): boolean {
  const inbound = inbounds.get(id);
  return inbound !== undefined && isLocal(inbound, machine);
}

function eventsFor(
  { number: client, spec: { limitIp: limit } }: Client,
  block: IpBlock | undefined,
  addresses: readonly SeenAddress[],
  settings: Settings,
  at: number,
): PanelEvent[] {
  if (limit === 0) return [];
  const graceSeconds = graceOf(settings);
  const grace = graceSeconds * 1000;
  const blockedBefore = new Set(block?.blocked);
  const free = addresses.filter(({ address }) => !blockedBefore.has(address));
  const counted = free.filter(({ since, here }) => here && at - since >= grace).sort(byArrival);
  const names = (seen: readonly SeenAddress[]): string[] => seen.map(({ address }) => address);
  const blocked = (keep: Keep, kept: string[], all: string[]): PanelEvent[] => [
    ClientIpsBlocked({ client, limit, keep, graceSeconds, ips: { allowed: kept, blocked: all.slice(-MAX_BLOCKED) } }),
  ];
  if (counted.length > limit) {
    if (block && at - block.at < (block.blocked.length - UNTHROTTLED) * THROTTLE_MS) return [];
    const first = counted.slice(0, limit);
    // A listed address without a known idle time may be what a phone left behind when it changed its network: the newest is in use.
    const keep = first.some(({ silenceUnknown }) => silenceUnknown) ? 'newest' : settings.ipLimitKeep;
    const kept = keep === 'newest' ? counted.slice(-limit) : first;
    const over = counted.filter((one) => !kept.includes(one));
    return blocked(keep, names(kept), [...blockedBefore, ...names(over)]);
  }
  if (!block) return [];
  const inPlace = free.filter(({ seen }) => at - seen <= pauseOf(grace));
  if (inPlace.length < limit) return [ClientIpsUnblocked({ client, reason: 'left' })];
  const stale = at - block.at >= renewBlocksAfter(settings);
  return stale ? blocked(block.keep, names(inPlace), [...blockedBefore]) : [];
}

/** The grace period in seconds. Older releases accepted values below what can be measured. */
export function graceOf({ ipLimitGraceSeconds }: Pick<Settings, 'ipLimitGraceSeconds'>): number {
  return Math.max(ipLimitGraceSeconds, MIN_GRACE_S);
}

/** How long an address may be away before it counts as gone, in ms: the grace period, but at least some seconds. */
export function pauseOf(grace: number): number {
  return Math.max(grace, MIN_GRACE_S * 1000);
}

/** After how long a block is recorded again, in ms: before it is pruned from the log, which would end it. */
export function renewBlocksAfter({ measuredRetentionHours }: Pick<Settings, 'measuredRetentionHours'>): number {
  return (measuredRetentionHours * 3_600_000) / 2;
}

function byArrival(a: SeenAddress, b: SeenAddress): number {
  return a.since - b.since || (a.address < b.address ? -1 : 1);
}

/** The smallest IP limit of the clients with an email on this machine; 0 = no limit. */
export function addressLimit(
  state: Pick<PanelState, 'clients' | 'inbounds' | 'byEmail'>,
  email: string,
  machine: string | null = null,
): number {
  const first = state.byEmail.first(email);
  const siblings = first === undefined ? [] : (state.byEmail.siblings(first) ?? [first]);
  let least = 0;
  for (const number of siblings) {
    const client = state.clients.get(number);
    const limit = client?.spec.limitIp ?? 0;
    if (!client || limit === 0 || !isHere(state, client, machine)) continue;
    if (least === 0 || limit < least) least = limit;
  }
  return least;
}

/** The blocks on this machine. `machine`: its name in the cluster; null = the panel is alone. */
export function blockedClients(
  { ipBlocks, clients, inbounds }: PanelState,
  machine: string | null = null,
): readonly BlockedClient[] {
  return [...ipBlocks].flatMap(([number, block]) => {
    const client = clients.get(number);
    const inbound = client && inbounds.get(client.inbound);
    if (!client || !inbound || !isLocal(inbound, machine)) return [];
    return [{ client: number, email: client.identity.email, inbound: inbound.tag, block }];
  });
}

/** The event that unblocks the addresses of a client; none when none are blocked. */
export function unblocked(
  { ipBlocks }: Pick<PanelState, 'ipBlocks'>,
  { number: client }: Client,
  reason: 'changed' | 'reset' | 'cleared',
): PanelEvent[] {
  return ipBlocks.has(client) ? [ClientIpsUnblocked({ client, reason })] : [];
}
