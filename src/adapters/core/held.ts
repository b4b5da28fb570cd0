import type { HeldAddresses } from '../../commands/ports/core.js';
import { addressKey } from '../../lib/address-key.js';
import { digest } from '../../lib/digest.js';
import type { JsonObject } from '../../lib/json.js';
import { hostOf } from './access-log.js';
import { destroyOutgoing } from './cut.js';
import type { CoreApi } from './grpc.js';
import { portsOf } from './inbound.js';
import type { CoreLogs } from './logs.js';
import { inTurn, putFirst, ruleTags } from './routing.js';
import { destroy, onPorts, quietFor } from './sockets.js';

/** The tags of these rules hold no name and no address: whoever may list rules need not learn them. */
const prefix = 'limit>>>';

/** Makes the rules of a core those that refuse exactly these addresses; see `Core.hold`. */
export function holdAddresses(
  api: CoreApi,
  held: readonly HeldAddresses[],
  templateRules: () => Promise<readonly Buffer[]>,
): Promise<void> {
  const refusals = held
    .filter(({ addresses }) => addresses.length > 0)
    .map((one) => ({ ...one, ruleTag: `${prefix}${digest([one.inbound, one.email, one.addresses]).slice(0, 32)}` }));
  return inTurn(api, async () => {
    const running = await ruleTags(api);
    await putFirst(api, running, refusals, templateRules);
    const wanted = new Set(refusals.map(({ ruleTag }) => ruleTag));
    for (const ruleTag of running) {
      if (ruleTag.startsWith(prefix) && !wanted.has(ruleTag)) await api.call('RoutingService/RemoveRule', { ruleTag });
    }
  });
}

/** Ends what these accounts have open from these addresses, as far as the core's logs tell; see `Core.cutAddresses`. */
export async function cutAddresses(
  held: readonly HeldAddresses[],
  last: boolean,
  logs: CoreLogs,
  configOf: (tag: string) => JsonObject,
): Promise<void> {
  await logs.read();
  for (const { inbound, email, addresses } of held) {
    const names = new Set([email.toLowerCase()]);
    const keys = new Set(addresses);
    const from = (source: string): boolean => keys.has(addressKey(hostOf(source)) ?? '');
    const config = configOf(inbound);
    const ports = portsOf(config);
    const peers = ports.length === 0 ? [] : logs.sources.of(inbound, names).filter(from);
    await destroy(
      'tcp',
      peers.map((peer) => `${onPorts(ports)} and dst = ${peer}`),
    );
    // What comes through a proxy or has no socket of its own, such as a stream of hysteria.
    const theirs = logs.trace.of(inbound, names, from);
    await destroyOutgoing(last && config['protocol'] === 'hysteria' ? [...theirs, ...logs.trace.unknownUdp()] : theirs);
  }
}

/** How long nothing came from an address of an account, ms, where its connections are TCP and known; see `Core.silence`. */
export async function silenceOf(
  asked: readonly { readonly email: string; readonly addresses: readonly string[] }[],
  logs: CoreLogs,
): Promise<(email: string, address: string) => number | null> {
  await logs.read();
  const emails = new Set(asked.map(({ email }) => email.toLowerCase()));
  const wanted = new Set(asked.flatMap(({ addresses }) => addresses));
  const owners = logs.sources.all(emails).flatMap(({ email, source }) => {
    const address = addressKey(hostOf(source));
    return address !== null && wanted.has(address) ? [{ name: `${email.toLowerCase()} ${address}`, source }] : [];
  });
  const quiet = await quietFor(new Set(owners.map(({ source }) => source)));
  const least = new Map<string, number>();
  for (const { name, source } of owners) {
    const ms = quiet.get(source);
    if (ms !== undefined) least.set(name, Math.min(ms, least.get(name) ?? ms));
  }
  return (email, address) => least.get(`${email.toLowerCase()} ${address}`) ?? null;
}
