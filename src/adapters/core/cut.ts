import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreInbound, Elsewhere } from '../../commands/ports/core.js';
import type { CounterReading } from './counters.js';
import { isDetached, portsOf } from './inbound.js';
import type { CoreLogs } from './logs.js';
import { destroy, onPorts } from './sockets.js';
import type { Outgoing } from './trace.js';

export interface CutOptions {
  readonly logs: CoreLogs;
  /** Counters of all accounts. */
  readonly readings: () => Promise<readonly CounterReading[]>;
  /** Sends new requests of these accounts on connections that stay up into the void. */
  readonly refuse: (inbound: string, emails: readonly string[]) => Promise<void>;
  readonly elsewhere: Elsewhere;
}

/** Time in which a destroyed connection is booked to the end, and then in which a live one moves, in ms. */
const settling = 250;
const observing = 500;

/**
 * Ends what removed accounts still have open; see `Core.cut`. An account that goes on to move bytes is tried a second
 * time, with what the logs told meanwhile, and then given up on.
 */
export async function cutUsers(
  inbound: CoreInbound,
  emails: readonly string[],
  options: CutOptions,
): Promise<readonly string[]> {
  const detached = isDetached(inbound.config);
  if (detached) await options.refuse(inbound.tag, emails);
  let left = await attempt(inbound, emails, detached, false, options);
  if (left.length > 0) left = await attempt(inbound, left, true, true, options);
  return left;
}

async function attempt(
  inbound: CoreInbound,
  emails: readonly string[],
  outgoing: boolean,
  last: boolean,
  { logs, readings, elsewhere }: CutOptions,
): Promise<readonly string[]> {
  const names = new Set(emails.map((email) => email.toLowerCase()));
  // Whose a socket of the core's own is takes a moment to tell.
  await (outgoing ? logs.settle() : logs.read());
  const ports = portsOf(inbound.config);
  const sources = ports.length === 0 ? [] : logs.sources.of(inbound.tag, names);
  const ended = await destroy(
    'tcp',
    sources.map((source) => `${onPorts(ports)} and dst = ${source}`),
  );
  if (outgoing) {
    const theirs = logs.trace.of(inbound.tag, names);
    // The relay of hysteria says of no packet whose it is. A neighbour's flow gets a new socket with its next packet.
    await destroyOutgoing(last && isDetached(inbound.config) ? [...theirs, ...logs.trace.unknownUdp()] : theirs);
  }
  // What a refused account sends into the void is counted too: at last only what it receives tells that it is connected.
  const moving = await stillMoving(names, last && isDetached(inbound.config) ? '>downlink' : 'link', readings);
  // Of who is connected elsewhere too it cannot be told: the second attempt is made, and its word taken.
  if (last && moving.size > 0) for (const email of elsewhere(moving)) moving.delete(email);
  // Without the right to destroy, a connection that happens to be idle is as open as a busy one.
  return emails.filter(
    (email) =>
      moving.has(email.toLowerCase()) ||
      (!ended && logs.sources.of(inbound.tag, new Set([email.toLowerCase()])).length > 0),
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
  names: ReadonlySet<string>,
  ending: string,
  readings: CutOptions['readings'],
): Promise<Set<string>> {
  await sleep(settling);
  const before = new Map((await readings()).map(({ name, value }) => [name, value]));
  await sleep(observing);
  const after = await readings();
  const moved = after.filter(({ name, value }) => name.endsWith(ending) && value > (before.get(name) ?? 0));
  return new Set(
    moved.map(({ name }) => name.split('>>>')[1]?.toLowerCase() ?? '').filter((email) => names.has(email)),
  );
}
