import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.js';
import { message } from '../../../messages/message.js';
import { fold } from '../config/names.js';
import { members } from '../config/template.js';

/** Host and port that an outbound connects to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** An outbound and the outbounds that it is dialed through. */
export interface Hop {
  readonly outbound: JsonObject;
  /** Tags of the outbounds that carry its connections, downloads apart; none = it dials itself. */
  readonly through: readonly string[];
}

/** Outbounds in one chain, and the outbounds that are searched for them. */
const MAX_HOPS = 32;
const MAX_OTHERS = 2_000;

/** Outbounds without their own server, by their folded protocols. */
const SERVERLESS: ReadonlySet<string> = new Set(['freedom', 'direct', 'blackhole', 'block', 'dns', 'loopback', '']);

export function protocolOf(outbound: JsonObject): string {
  return textOf(members(outbound)['protocol']).toLowerCase();
}

export function tagOf(outbound: JsonObject): string {
  return textOf(members(outbound)['tag']);
}

/** Every server that an outbound names, in any of its forms: flat, `vnext`, `servers`, `peers`, `downloadSettings`. */
export function endpointsOf(outbound: JsonObject): readonly Endpoint[] {
  if (SERVERLESS.has(protocolOf(outbound))) return [];
  return [...mainEndpoints(outbound), ...downloadsOf(outbound)].filter(
    ({ host, port }) => host !== '' && Number.isInteger(port) && port > 0 && port < 65_536,
  );
}

/**
 * Every host to which this machine itself connects, on any port: the servers of an outbound that is not dialed through
 * another one, and always those of downloads, because a socket option can make the core dial them directly.
 */
export function ownHosts({ outbound, through }: Hop): readonly string[] {
  const main = through.length === 0 ? mainEndpoints(outbound) : [];
  return [...main, ...downloadsOf(outbound)].map(({ host }) => host).filter((host) => host !== '');
}

function mainEndpoints(outbound: JsonObject): readonly Endpoint[] {
  const settings = members(members(outbound)['settings']);
  const peers = objects(settings['peers']).map((peer) => textOf(members(peer)['endpoint']));
  return [settings, ...['vnext', 'servers'].flatMap((name) => objects(settings[name]).map(members))]
    .map(endpointIn)
    .concat(peers.map(endpointOf));
}

function downloadsOf(outbound: JsonObject): readonly Endpoint[] {
  return membersNamed(members(outbound)['streamsettings'], 'downloadsettings').map(members).map(endpointIn);
}

const endpointIn = ({ address, port }: Record<string, Json>): Endpoint => ({
  host: textOf(address),
  port: Number(port),
});

/** `host:port`, `[v6]:port`. */
function endpointOf(text: string): Endpoint {
  const [, host = text.trim(), port = ''] = /^(.*):(\d+)$/.exec(text.trim()) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * The outbound and all outbounds that it is dialed through, itself first. Throws `CoreError` 'invalid' for a tag that none
 * of `others` has, for too many of them, for a dialer in a place that the core does not read, and for a circle, in which
 * the core would dial until its memory is full. Outbounds outside the chain are not checked.
 */
export function chainOf(outbound: JsonObject, others: readonly JsonObject[]): readonly Hop[] {
  if (others.length > MAX_OTHERS)
    throw new CoreError('invalid', message('core.tooManyOutbounds', { most: MAX_OTHERS }));
  const known = new Map(others.map((other) => [tagOf(other), other]));
  known.set(tagOf(outbound), outbound);
  const chain = new Map<string, Reached>();
  const waiting = [tagOf(outbound)];
  for (let tag = waiting.pop(); tag !== undefined; tag = waiting.pop()) {
    if (chain.has(tag)) continue;
    const next = known.get(tag);
    if (next === undefined) throw new CoreError('invalid', message('core.dialerUnknown', { tag }));
    if (chain.size === MAX_HOPS) throw new CoreError('invalid', message('core.chainTooLong', { most: MAX_HOPS }));
    const reached = detoursOf(next);
    chain.set(tag, reached);
    waiting.push(...reached.named);
  }
  if (isCircular(chain)) throw new CoreError('invalid', message('core.outboundsCircular'));
  return [...chain.values()];
}

/** A hop with all tags that it names, for any of its connections. */
interface Reached extends Hop {
  readonly named: readonly string[];
}

function detoursOf(outbound: JsonObject): Reached {
  const { proxysettings, streamsettings } = members(outbound);
  const dialer = (stream: Json | undefined): string => textOf(members(members(stream)['sockopt'])['dialerproxy']);
  const through = [dialer(streamsettings), textOf(members(proxysettings)['tag'])].filter((name) => name !== '');
  const downloads = membersNamed(streamsettings, 'downloadsettings')
    .map(dialer)
    .filter((name) => name !== '');
  const named = [...new Set([...through, ...downloads])];
  const written = [
    ...membersNamed(outbound, 'dialerproxy').map(textOf),
    ...membersNamed(outbound, 'proxysettings').map((member) => textOf(members(member)['tag'])),
  ].filter((name) => name !== '');
  // In any other place the core ignores the name and dials directly.
  if (written.length > through.length + downloads.length)
    throw new CoreError('invalid', message('core.dialerMisplaced'));
  return { outbound, through, named };
}

/** Removes outbounds that dial directly or through removed ones until none is left to remove: what remains is a circle. */
function isCircular(chain: ReadonlyMap<string, Reached>): boolean {
  const open = new Map([...chain].map(([tag, { named }]) => [tag, named]));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    for (const [tag, named] of open) if (named.every((name) => !open.has(name))) open.delete(tag);
  }
  return open.size > 0;
}

/** Every member of that folded name, at any depth. */
function membersNamed(value: Json | undefined, name: string): readonly Json[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap((item) => membersNamed(item, name));
  if (!isObject(value)) return [];
  return Object.entries(value as JsonObject).flatMap(([key, member]) => [
    ...(fold(key) === name ? [member] : []),
    ...membersNamed(member, name),
  ]);
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter((item): item is JsonObject => isObject(item)) : [];
}
