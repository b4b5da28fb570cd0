import { CoreError } from '../../../commands/ports/core.js';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.js';
import { fold } from '../names.js';
import { members } from '../template.js';

/** Host and port that an outbound connects to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** An outbound and what it is dialled through. */
export interface Hop {
  readonly outbound: JsonObject;
  /** Tags of the outbounds that carry its connections; none = it dials itself. */
  readonly through: readonly string[];
}

/** Outbounds without a server of their own, by their folded protocols. */
const SERVERLESS: ReadonlySet<string> = new Set(['freedom', 'direct', 'blackhole', 'block', 'dns', 'loopback', '']);

export function protocolOf(outbound: JsonObject): string {
  return textOf(members(outbound)['protocol']).toLowerCase();
}

export function tagOf(outbound: JsonObject): string {
  return textOf(members(outbound)['tag']);
}

/** Every server that an outbound names, in whichever of its shapes: flat, `vnext`, `servers`, `peers`, `downloadSettings`. */
export function endpointsOf(outbound: JsonObject): readonly Endpoint[] {
  if (SERVERLESS.has(protocolOf(outbound))) return [];
  const settings = members(members(outbound)['settings']);
  const named = [settings, ...['vnext', 'servers'].flatMap((name) => objects(settings[name]).map(members))];
  const downloads = membersNamed(members(outbound)['streamsettings'], 'downloadsettings').map(members);
  const peers = objects(settings['peers']).map((peer) => textOf(members(peer)['endpoint']));
  return [...named, ...downloads]
    .map(({ address, port }) => ({ host: textOf(address), port: Number(port) }))
    .concat(peers.map(endpointOf))
    .filter(({ host, port }) => host !== '' && Number.isInteger(port) && port > 0 && port < 65_536);
}

/** `host:port`, `[v6]:port`. */
function endpointOf(text: string): Endpoint {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text.trim()) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

/**
 * The outbound and all that it is dialled through, itself first. Throws `CoreError` 'invalid' for a tag that none of
 * `others` has, and for a circle, in which the core would dial until its memory is full; what the chain does not reach
 * is not even looked at.
 */
export function chainOf(outbound: JsonObject, others: readonly JsonObject[]): readonly Hop[] {
  const known = new Map(others.map((other) => [tagOf(other), other]));
  known.set(tagOf(outbound), outbound);
  const chain = new Map<string, Hop>();
  const waiting = [tagOf(outbound)];
  for (let tag = waiting.pop(); tag !== undefined; tag = waiting.pop()) {
    const next = known.get(tag);
    if (next === undefined) throw new CoreError('invalid', `There is no outbound ${tag} to dial through`);
    const through = [
      ...membersNamed(next, 'dialerproxy').map(textOf),
      ...membersNamed(next, 'proxysettings').map((member) => textOf(members(member)['tag'])),
    ].filter((name) => name !== '');
    chain.set(tag, { outbound: next, through });
    waiting.push(...through.filter((name) => !chain.has(name)));
  }
  if (isCircular(tagOf(outbound), chain))
    throw new CoreError('invalid', 'The outbounds are dialled through each other');
  return [...chain.values()];
}

/** Takes away what dials by itself or through what was taken away, until nothing more goes: a circle stays. */
function isCircular(start: string, chain: ReadonlyMap<string, Hop>): boolean {
  const open = new Map([...chain].map(([tag, { through }]) => [tag, new Set(through)]));
  for (let before = -1; before !== open.size; ) {
    before = open.size;
    for (const [tag, through] of open) if ([...through].every((name) => !open.has(name))) open.delete(tag);
  }
  return open.has(start);
}

/** Every member of that folded name, however deep. */
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
