import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { loopbackNetworks } from '../../../lib/net/private-networks.js';
import { withCurrentStream } from './inbound.js';
import { apiTag, blockOutbound, fold, metricsTag, ownOutbounds } from './names.js';
import { list, members, refused } from './template.js';

const usual: readonly JsonObject[] = [
  { tag: 'direct', protocol: 'freedom' },
  { tag: 'blocked', protocol: 'blackhole' },
];
/** Members whose text is the tag of an outbound, by their folded names. */
const pointers = new Set(['outboundtag', 'fallbacktag', 'dialerproxy']);
/** Members that take every outbound whose tag begins with one of their texts. */
const selectors = new Set(['selector', 'subjectselector']);

/**
 * The template's outbounds and ours. `metrics`: the `host:port` on loopback that no proxied connection may reach,
 * whatever the template opens. Throws `CoreError` 'invalid'.
 */
export function outboundsOf(value: Json | undefined, metrics: string | null): readonly Json[] {
  const outbounds = list(value);
  const tags = new Set<string>([apiTag, metricsTag, blockOutbound]);
  for (const outbound of outbounds) {
    const { tag } = members(outbound);
    if (typeof tag !== 'string' || tag === '') continue;
    if (tags.has(tag)) throw refused(`the outbound tag "${tag}" is taken`);
    if (tag.includes('>>>')) throw refused(`the outbound tag "${tag}" contains ">>>"`);
    tags.add(tag);
  }
  const wanted =
    outbounds.length === 0
      ? usual
      : outbounds.map((outbound) => (isObject(outbound) ? withCurrentStream(outbound as JsonObject) : outbound));
  const rule =
    metrics === null ? null : { action: 'block', port: metrics.split(':').at(-1) ?? '', ip: loopbackNetworks };
  return [
    ...(rule === null ? wanted : wanted.map((outbound) => withFinalRule(outbound, rule))),
    { tag: blockOutbound, protocol: 'blackhole' },
  ];
}

/** The tags of a list of outbounds, and of ours. */
export function tagsIn(outbounds: Json | undefined): ReadonlySet<string> {
  const tags = Array.isArray(outbounds) ? (outbounds as readonly Json[]).map((one) => members(one)['tag']) : [];
  return new Set([...ownOutbounds, ...tags.filter((tag) => typeof tag === 'string')]);
}

/** The tags of a template's outbounds, and of ours. Throws `CoreError` 'invalid'. */
export function outboundTagsOf(template: JsonObject): ReadonlySet<string> {
  return tagsIn(outboundsOf(members(template)['outbounds'], null));
}

/** An outbound that dials targets itself, with one more rule before its own; any other outbound as it is. */
export function withFinalRule(outbound: Json, rule: JsonObject): Json {
  const { protocol, settings } = members(outbound);
  if (typeof protocol !== 'string' || !['freedom', 'direct'].includes(protocol.toLowerCase())) return outbound;
  const { finalrules = [] } = members(settings);
  // What is no list is left to the core, which says so.
  const finalRules = Array.isArray(finalrules) ? [rule, ...(finalrules as readonly Json[])] : finalrules;
  return {
    ...without(outbound, 'settings'),
    settings: { ...without(settings, 'finalrules'), finalRules },
  };
}

function without(value: Json | undefined, name: string): JsonObject {
  const entries = isObject(value) ? Object.entries(value as JsonObject) : [];
  return Object.fromEntries(entries.filter(([key]) => fold(key) !== name));
}

/** Throws `CoreError` 'invalid' where something sends traffic to an outbound that is ours. */
export function checkPointers(value: Json | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) checkPointers(item);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    const name = fold(key);
    const named = name === 'proxysettings' ? members(member)['tag'] : member;
    if ((pointers.has(name) || name === 'proxysettings') && typeof named === 'string' && ownOutbounds.has(named))
      throw refused(`"${key}" names the outbound "${named}", which is the panel's own`);
    if (selectors.has(name)) checkSelector(key, member);
    checkPointers(member);
  }
}

function checkSelector(key: string, value: Json): void {
  for (const start of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    if (typeof start !== 'string') continue;
    const own = [...ownOutbounds].find((tag) => tag.startsWith(start));
    if (own !== undefined)
      throw refused(`"${key}": ${JSON.stringify(start)} would take "${own}" too, which is the panel's own outbound`);
  }
}
