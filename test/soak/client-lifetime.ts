import type { Bytes } from './transfer-server.js';

/** Bytes up and down. */
export interface Traffic {
  readonly up: number;
  readonly down: number;
}

export const zero: Traffic = { up: 0, down: 0 };
export const plus = (a: Traffic, b: Traffic): Traffic => ({ up: a.up + b.up, down: a.down + b.down });
export const minus = (a: Traffic, b: Traffic): Traffic => ({ up: a.up - b.up, down: a.down - b.down });
export const same = (a: Traffic, b: Traffic): boolean => a.up === b.up && a.down === b.down;

/** The lifetime of a client from its addition to its deletion, across changes of its email. */
export interface ClientLifetime {
  /** Its number in the log. */
  readonly number: number;
  /** The name in messages: its protocol and its first email. */
  readonly name: string;
  /** Connections since the last comparison. */
  connections: Connection[];
  /** The traffic that the log had at the last comparison. */
  recordedTraffic: Traffic;
  /** The last known value of its counter, and its total traffic at that time; null while unknown. */
  lastCounter: { readonly transferred: Traffic; readonly value: Traffic } | null;
  /** A cap or an expiry was set. */
  mayBeDepleted: boolean;
}

export function newLifetime(number: number, name: string): ClientLifetime {
  const lastCounter = { transferred: zero, value: zero };
  return { number, name, connections: [], recordedTraffic: zero, lastCounter, mayBeDepleted: false };
}

/** One connection with the bytes counted at both ends. */
export interface Connection {
  readonly bytes: Bytes;
  /** The possible owners: one, unless it was opened while another client received the same credential. */
  readonly owners: Set<ClientLifetime>;
  readonly startedAt: number;
  /** ms; 0 = it is open. */
  endedAt: number;
  /** When the first byte came back, ms; 0 = none did. By then the core had accepted it. */
  firstByteAt: number;
  /** All bytes arrived at both ends. */
  complete: boolean;
  /** The bytes that had arrived at the last request to stop the core; later ones may be lost. */
  minimum: Traffic;
  /** It was open or opened while the core was stopping. */
  duringStop: boolean;
}

export function openConnection(owner: ClientLifetime): Connection {
  const connection: Connection = {
    bytes: { sent: 0, arrived: 0, returned: 0, received: 0 },
    owners: new Set([owner]),
    startedAt: Date.now(),
    endedAt: 0,
    firstByteAt: 0,
    complete: false,
    minimum: zero,
    duringStop: false,
  };
  owner.connections.push(connection);
  return connection;
}

/** Adds a possible owner: it is unknown which client the core accepted it for. */
export function addPossibleOwner(connection: Connection, other: ClientLifetime): void {
  if (connection.owners.has(other)) return;
  connection.owners.add(other);
  other.connections.push(connection);
}

/** The bounds of the traffic that the panel must have recorded for a client since the last comparison. */
export interface Bounds {
  readonly least: Traffic;
  readonly most: Traffic;
  /** Every connection completed and has one possible owner: both bounds are equal. */
  readonly exact: boolean;
}

/** `stopped`: whether the core stopped while a connection was open; its traffic after the last reading is lost. */
export function boundsOf({ connections }: ClientLifetime, stopped: (one: Connection) => boolean): Bounds {
  let [least, most, exact] = [zero, zero, true];
  for (const one of connections) {
    const { sent, arrived, returned, received } = one.bytes;
    most = plus(most, { up: sent, down: returned });
    const lost = stopped(one);
    if (one.owners.size > 1 || !one.complete || lost) exact = false;
    if (one.owners.size > 1) continue;
    least = plus(least, lost ? one.minimum : { up: arrived, down: received });
  }
  return { least, most, exact };
}

/** The total traffic of a client; null if a connection is incomplete or ambiguous. */
export function transferredBy({ connections, recordedTraffic }: ClientLifetime): Traffic | null {
  let transferred = recordedTraffic;
  for (const { complete, owners, bytes, duringStop } of connections) {
    if (!complete || owners.size > 1 || duringStop) return null;
    transferred = plus(transferred, { up: bytes.sent, down: bytes.returned });
  }
  return transferred;
}
