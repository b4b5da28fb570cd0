import type { BlockedAddresses, PersonAddresses } from '../../../commands/ports/core.js';
import { digest } from '../../../lib/digest.js';
import type { JsonObject } from '../../../lib/json.js';
import { addressKey } from '../../../lib/net/address-key.js';
import { hostOf } from '../attribution/access-log.js';
import { blockFlows, destroyOutgoing, endConnections, overUdp } from '../attribution/disconnect.js';
import type { FlowFilter } from '../attribution/flows.js';
import type { CoreLogs } from '../attribution/logs.js';
import { idleFor, openUdp, quietFor } from '../attribution/sockets.js';
import { isDetached } from '../config/inbound.js';
import { prependRules, ruleTags, serialized } from '../config/routing.js';
import type { CoreApi } from './grpc.js';

/** The tags of these rules contain no names and no addresses, since they can be listed. */
const prefix = 'limit>>>';

/** Makes the rules of a core block exactly these addresses; see `AddressControl.block`. */
export function blockAddresses(
  api: CoreApi,
  blocked: readonly BlockedAddresses[],
  templateRules: () => Promise<readonly Buffer[]>,
): Promise<void> {
  const refusals = blocked
    .filter(({ addresses }) => addresses.length > 0)
    .map((one) => ({ ...one, ruleTag: `${prefix}${digest([one.inbound, one.client, one.addresses]).slice(0, 32)}` }));
  return serialized(api, async () => {
    const running = await ruleTags(api);
    await prependRules(api, running, refusals, templateRules);
    const wanted = new Set(refusals.map(({ ruleTag }) => ruleTag));
    for (const ruleTag of running) {
      if (ruleTag.startsWith(prefix) && !wanted.has(ruleTag)) await api.call('RoutingService/RemoveRule', { ruleTag });
    }
  });
}

/** Closes the connections of these clients from these addresses; see `AddressControl.disconnect`. */
export async function disconnectAddresses(
  blocked: readonly BlockedAddresses[],
  last: boolean,
  { pid, logs, flows, configOf }: DisconnectAddressesOptions,
): Promise<boolean> {
  let complete = true;
  const detached = blocked.filter(({ inbound }) => isDetached(configOf(inbound)));
  await (detached.length > 0 ? logs.settle() : logs.read());
  for (const { inbound, client, addresses } of blocked) {
    const clients = new Set([client]);
    const keys = new Set(addresses);
    const from = (source: string): boolean => keys.has(addressKey(hostOf(source)) ?? '');
    const config = configOf(inbound);
    const sources = logs.sources.of(inbound, clients).filter(({ source }) => from(source));
    const ended = await endConnections(config, sources);
    // Connections through a proxy or over UDP; all others were closed above.
    const streams = !isDetached(config) || (await destroyOutgoing(pid, logs.trace.of(inbound, clients, from)));
    const flowsBlocked = !last || overUdp(config, sources).length === 0 || (await blockFlows(config, sources, flows));
    complete &&= ended && streams && flowsBlocked;
  }
  return complete;
}

interface DisconnectAddressesOptions {
  /** The process of the core. */
  readonly pid: number;
  readonly logs: CoreLogs;
  readonly flows: FlowFilter;
  readonly configOf: (tag: string) => JsonObject;
}

/** See `AddressControl.idleTimes`. */
export async function idleTimesOf(
  people: readonly PersonAddresses[],
  logs: CoreLogs,
  configOf: (tag: string) => JsonObject,
): Promise<(person: string, address: string) => number | null> {
  await logs.read();
  const personOf = new Map(people.flatMap(({ person, clients }) => clients.map((client) => [client, person] as const)));
  const clients: ReadonlySet<number> = new Set(personOf.keys());
  const names: ReadonlySet<string> = new Set(
    people.flatMap(({ person, addresses }) => addresses.map((address) => `${person} ${address}`)),
  );
  const nameOf = (client: number, source: string): string =>
    `${personOf.get(client) ?? ''} ${addressKey(hostOf(source)) ?? ''}`;
  const owners = logs.sources
    .all(clients)
    .map(({ client, source }) => ({ name: nameOf(client, source), end: source }))
    .filter(({ name }) => names.has(name));
  const least = leastOf(owners, await quietFor(new Set(owners.map(({ end }) => end))));
  // Behind a proxy the address has no socket here. The core's outgoing sockets show whether data flows.
  const flows = logs.trace
    .all(clients)
    .map((flow) => ({ ...flow, name: nameOf(flow.client, flow.source), end: flow.local }))
    .filter(({ name }) => names.has(name) && !least.has(name));
  const tcp = flows.filter(({ network }) => network === 'tcp');
  const moved = leastOf(tcp, await idleFor(new Set(tcp.map(({ end }) => end))));
  const udp = flows.filter(({ network }) => network === 'udp');
  const open = await openUdp(new Set(udp.map(({ end }) => end)));
  // For UDP the time of the last packet is unknown, and for the relay of hysteria also the client.
  const blind = flows.filter(
    ({ network, end, inbound }) =>
      configOf(inbound)['protocol'] === 'hysteria' || (network === 'udp' && (open === null || open.has(end))),
  );
  for (const { name } of blind) moved.delete(name);
  return (person, address) => {
    const name = `${person} ${address}`;
    return least.get(name) ?? moved.get(name) ?? null;
  };
}

interface End {
  readonly name: string;
  /** Address and port of one end of a socket. */
  readonly end: string;
}

function leastOf(ends: readonly End[], times: ReadonlyMap<string, number>): Map<string, number> {
  const least = new Map<string, number>();
  for (const { name, end } of ends) {
    const ms = times.get(end);
    if (ms !== undefined) least.set(name, Math.min(ms, least.get(name) ?? ms));
  }
  return least;
}
