import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreInbound } from '../../commands/ports/core.js';
import { clientOfAccount } from '../../lib/account-name.js';
import type { CounterReading } from './counters.js';
import { isDetached, portsOf } from './inbound.js';
import type { CoreLogs } from './logs.js';
import { destroy, onPorts } from './sockets.js';
import type { Outgoing } from './trace.js';

export interface CutOptions {
  readonly logs: CoreLogs;
  /** Counters of all accounts. */
  readonly readings: () => Promise<readonly CounterReading[]>;
  /** Sends new requests of these clients on connections that stay up into the void. */
  readonly refuse: (inbound: string, clients: readonly number[]) => Promise<void>;
}

/** Time in which a destroyed connection is booked to the end, and then in which a live one moves, in ms. */
const settling = 250;
const observing = 500;

/**
 * Ends what clients whose accounts were removed still have open; see `Core.cut`. A client that goes on to move bytes is tried a second
 * time, with what the logs told meanwhile, and then given up on.
 */
export async function cutUsers(
  inbound: CoreInbound,
  clients: readonly number[],
  options: CutOptions,
): Promise<readonly number[]> {
  const detached = isDetached(inbound.config);
  if (detached) await options.refuse(inbound.tag, clients);
  let left = await attempt(inbound, clients, detached, false, options);
  if (left.length > 0) left = await attempt(inbound, left, true, true, options);
  return left;
}

async function attempt(
  inbound: CoreInbound,
  clients: readonly number[],
  outgoing: boolean,
  last: boolean,
  { logs, readings }: CutOptions,
): Promise<readonly number[]> {
  const them = new Set(clients);
  // Whose a socket of the core's own is takes a moment to tell.
  await (outgoing ? logs.settle() : logs.read());
  const ports = portsOf(inbound.config);
  const sources = ports.length === 0 ? [] : logs.sources.of(inbound.tag, them);
  const ended = await destroy(
    'tcp',
    sources.map((source) => `${onPorts(ports)} and dst = ${source}`),
  );
  if (outgoing) {
    const theirs = logs.trace.of(inbound.tag, them);
    // The relay of hysteria says of no packet whose it is. A neighbour's flow gets a new socket with its next packet.
    await destroyOutgoing(last && isDetached(inbound.config) ? [...theirs, ...logs.trace.unknownUdp()] : theirs);
  }
  // What a refused account sends into the void is counted too: at last only what it receives tells that it is connected.
  const moving = await stillMoving(them, last && isDetached(inbound.config) ? '>downlink' : 'link', readings);
  // Without the right to destroy, a connection that happens to be idle is as open as a busy one.
  return clients.filter(
    (client) => moving.has(client) || (!ended && logs.sources.of(inbound.tag, new Set([client])).length > 0),
  );
}

/** Ends what the core fetches for somebody. Resolves to whether all of it over TCP is over. */
export async function destroyOutgoing(sockets: readonly Outgoing[]): Promise<boolean> {
  const tcp = sockets.filter(({ network }) => network === 'tcp');
  const ended = await destroy(
    'tcp',
    tcp.map(({ local, remote }) => `src = ${local} and dst = ${remote}`),
  );
  const udp = sockets.filter(({ network }) => network === 'udp');
  await destroy(
    'udp',
    udp.map(({ local }) => `sport = :${local.slice(local.lastIndexOf(':') + 1)}`),
  );
  return ended;
}

async function stillMoving(
  clients: ReadonlySet<number>,
  ending: string,
  readings: CutOptions['readings'],
): Promise<ReadonlySet<number>> {
  await sleep(settling);
  const before = new Map((await readings()).map(({ name, value }) => [name, value]));
  await sleep(observing);
  const after = await readings();
  const moved = after.filter(({ name, value }) => name.endsWith(ending) && value > (before.get(name) ?? 0));
  const moving = moved.map(({ name }) => clientOfAccount(name.split('>>>')[1] ?? ''));
  return new Set(moving.filter((client) => clients.has(client)));
}
