import type { Bytes } from './exchange.js';

/** Bytes up and down. */
export interface Pair {
  readonly up: number;
  readonly down: number;
}

export const nothing: Pair = { up: 0, down: 0 };
export const plus = (a: Pair, b: Pair): Pair => ({ up: a.up + b.up, down: a.down + b.down });
export const minus = (a: Pair, b: Pair): Pair => ({ up: a.up - b.up, down: a.down - b.down });
export const same = (a: Pair, b: Pair): boolean => a.up === b.up && a.down === b.down;

/** One life of one client: from its addition to its deletion, whatever it is called. */
export interface Life {
  /** Its number in the log. */
  readonly number: number;
  /** What it is called in messages: its protocol, and the email that it had first. */
  readonly name: string;
  /** Connections since the last comparison. */
  carried: Carried[];
  /** What the panel had booked to it at the last comparison. */
  booked: Pair;
  /** What its counter was set to last, and what it had moved in all by then; null while nobody can tell. */
  since: { readonly moved: Pair; readonly value: Pair } | null;
  /** A cap or an expiry was set: it may be depleted. */
  mayDeplete: boolean;
}

export function newLife(number: number, name: string): Life {
  const since = { moved: nothing, value: nothing };
  return { number, name, carried: [], booked: nothing, since, mayDeplete: false };
}

/** One connection, as both of its ends have it in their books. */
export interface Carried {
  readonly bytes: Bytes;
  /** Whose it can be: one life, unless it was opened while another client got the same credential. */
  readonly owners: Set<Life>;
  readonly startedAt: number;
  /** ms; 0 = it is open. */
  endedAt: number;
  /** When the first byte came back, ms; 0 = none did. From there on the core had let it in. */
  reachedAt: number;
  /** All of it came to both ends. */
  whole: boolean;
  /** What had surely gone through when somebody last asked for the core to stop; after the last reading the rest is lost. */
  floor: Pair;
  /** It was open, or opened, while the core was being stopped. */
  atStop: boolean;
}

export function begin(owner: Life): Carried {
  const carried: Carried = {
    bytes: { sent: 0, arrived: 0, returned: 0, received: 0 },
    owners: new Set([owner]),
    startedAt: Date.now(),
    endedAt: 0,
    reachedAt: 0,
    whole: false,
    floor: nothing,
    atStop: false,
  };
  owner.carried.push(carried);
  return carried;
}

/** It may also be of this life: nobody saw under which of the two it was let in. */
export function mayBeOf(carried: Carried, other: Life): void {
  if (carried.owners.has(other)) return;
  carried.owners.add(other);
  other.carried.push(carried);
}

/** Between which numbers of bytes the panel must have booked to a life since the last comparison. */
export interface Bounds {
  readonly least: Pair;
  readonly most: Pair;
  /** Every connection came to its end, and is of nobody else: both are equal. */
  readonly exact: boolean;
}

/** `stopped`: whether a core was stopped while a connection was open; what it moved after the last reading is lost. */
export function boundsOf({ carried }: Life, stopped: (one: Carried) => boolean): Bounds {
  let [least, most, exact] = [nothing, nothing, true];
  for (const one of carried) {
    const { sent, arrived, returned, received } = one.bytes;
    most = plus(most, { up: sent, down: returned });
    const lost = stopped(one);
    if (one.owners.size > 1 || !one.whole || lost) exact = false;
    if (one.owners.size > 1) continue;
    least = plus(least, lost ? one.floor : { up: arrived, down: received });
  }
  return { least, most, exact };
}

/** What a life has moved in all, where that is known to the byte: no connection is open, broken, or perhaps of another one. */
export function movedBy({ carried, booked }: Life): Pair | null {
  let moved = booked;
  for (const { whole, owners, bytes, atStop } of carried) {
    if (!whole || owners.size > 1 || atStop) return null;
    moved = plus(moved, { up: bytes.sent, down: bytes.returned });
  }
  return moved;
}
