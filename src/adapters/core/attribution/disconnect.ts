import { setTimeout as sleep } from 'node:timers/promises';
import type { CoreInbound } from '../../../commands/ports/core.js';
import type { CounterTable } from '../../../events/traffic/counter-table.js';
import type { JsonObject } from '../../../lib/json.js';
import { idleSeconds, isDatagram, isDetached, mayBeDatagram, portsOf } from '../config/inbound.js';
import type { Accepted } from './access-log.js';
import type { FlowFilter } from './flows.js';
import type { CoreLogs } from './logs.js';
import { destroy, onPorts, portOf, udpPortsOf } from './sockets.js';
import type { Outgoing } from './trace.js';

interface DisconnectOptions {
  /** The process of the core. */
  readonly pid: number;
  readonly logs: CoreLogs;
  readonly flows: FlowFilter;
  /** The counters of these clients, and maybe of others. */
  readonly counters: (clients: ReadonlySet<number>) => Promise<CounterTable>;
  /** Routes new requests of these clients, on connections that stay open, to the blackhole. */
  readonly refuse: (inbound: string, clients: readonly number[]) => Promise<void>;
}

/** How long the core needs to count the last bytes of a destroyed connection, and then how long traffic is measured, in ms. */
const COUNTING_MS = 250;
const OBSERVATION_MS = 500;
/** Bytes that a client over UDP may send meanwhile: its blocked requests are counted too. */
const MAX_REQUEST_BYTES = 4096;
/** How often UDP flows are blocked: a client may change its port, and its buffers must drain. */
const MAX_BLOCK_ROUNDS = 4;

/**
 * Ends the open connections of clients whose accounts were removed; see `CoreUsers.disconnect`. Over UDP, the streams that the
 * logs attribute to these clients are ended first, so that the client notices. A client that still moves bytes loses its
 * whole flow.
 */
export async function disconnectUsers(
  inbound: CoreInbound,
  clients: readonly number[],
  options: DisconnectOptions,
): Promise<readonly number[]> {
  if (isDetached(inbound.config)) await options.refuse(inbound.tag, clients);
  let remaining = await attempt(inbound, clients, options);
  if (remaining.length === 0) return remaining;
  if (!mayBeDatagram(inbound.config)) return attempt(inbound, remaining, options);
  for (let round = 1; remaining.length > 0 && round <= MAX_BLOCK_ROUNDS; round += 1) {
    await options.logs.read();
    const connections = options.logs.sources.of(inbound.tag, new Set(remaining));
    const blocked = await blockFlows(inbound.config, connections, options.flows);
    remaining = await attempt(inbound, remaining, options, !blocked || round === MAX_BLOCK_ROUNDS);
    if (!blocked) break;
  }
  return remaining;
}

/** `last`: if this fails too, only a restart of the core helps. */
async function attempt(
  { tag, config }: CoreInbound,
  clients: readonly number[],
  { pid, logs, counters }: DisconnectOptions,
  last = false,
): Promise<readonly number[]> {
  const wanted = new Set(clients);
  const detached = isDetached(config);
  // The client of an outgoing socket is known only after both logs are joined.
  await (detached ? logs.settle() : logs.read());
  const known = logs.sources.of(tag, wanted);
  let ended = await endConnections(config, known);
  if (detached) {
    const outgoing = logs.trace.of(tag, wanted);
    // The UDP relay of Hysteria does not log clients. The flow of another client gets a new socket with its next packet.
    await destroyOutgoing(
      pid,
      last && config['protocol'] === 'hysteria' ? [...outgoing, ...logs.trace.unknownUdp()] : outgoing,
    );
  }
  // Requests of a blocked account to the blackhole are counted too: in the end, only received bytes prove a connection.
  const allowedBytes = last ? Number.POSITIVE_INFINITY : detached ? MAX_REQUEST_BYTES : 0;
  const moving = await stillMoving(wanted, allowedBytes, counters);
  // The core writes its access log with a delay: the connection may have been missing from it, and idle since.
  await logs.read();
  const late = logs.sources.of(tag, wanted).filter(({ source }) => !known.some((one) => one.source === source));
  if (!(await endConnections(config, late))) ended = false;
  // Without the permission to destroy sockets, an idle connection stays open like a busy one.
  return clients.filter(
    (client) => moving.has(client) || (!ended && logs.sources.of(tag, new Set([client])).length > 0),
  );
}

/** Ends the TCP connections of clients to the core. Resolves to whether all are closed. */
export function endConnections(config: JsonObject, sources: readonly Accepted[]): Promise<boolean> {
  const ports = portsOf(config);
  const conditions = sources.map(({ source }) => `${onPorts(ports)} and dst = ${source}`);
  return destroy('tcp', ports.length === 0 ? [] : conditions);
}

/** The sources that reach the inbound over UDP. */
export function overUdp(config: JsonObject, sources: readonly Accepted[]): readonly string[] {
  return sources.filter(({ target }) => isDatagram(config, target)).map(({ source }) => source);
}

/** Blocks the UDP flows of clients to the core. Resolves to false when none is known, or the system does not allow it. */
export async function blockFlows(
  config: JsonObject,
  sources: readonly Accepted[],
  flows: FlowFilter,
): Promise<boolean> {
  const udpSources = overUdp(config, sources);
  return udpSources.length > 0 && flows.block({ sources: udpSources, ports: portsOf(config) }, idleSeconds(config));
}

/** Closes sockets of the core (process `pid`) to destinations. Resolves to whether all TCP sockets are closed. */
export async function destroyOutgoing(pid: number, sockets: readonly Outgoing[]): Promise<boolean> {
  const tcp = sockets.filter(({ network }) => network === 'tcp');
  const ended = await destroy(
    'tcp',
    tcp.map(({ local, remote }) => `src = ${local} and dst = ${remote}`),
  );
  const udp = sockets.filter(({ network }) => network === 'udp').map(({ local }) => portOf(local));
  const open = await udpPortsOf(pid, udp);
  await destroy(
    'udp',
    open.map((port) => `sport = :${port}`),
  );
  return ended;
}

/** Clients that receive anything, or send more than `asked` bytes. */
async function stillMoving(
  clients: ReadonlySet<number>,
  allowedBytes: number,
  counters: DisconnectOptions['counters'],
): Promise<ReadonlySet<number>> {
  await sleep(COUNTING_MS);
  const before = await counters(clients);
  await sleep(OBSERVATION_MS);
  const grown = (await counters(clients)).growthSince(before);
  const moved = grown.filter(([client, up, down]) => clients.has(client) && (down > 0 || up > allowedBytes));
  return new Set(moved.map(([client]) => client));
}
