import { isObject, type Json, type JsonObject } from '../../../lib/json.js';
import { loopbackNetworks } from '../../../lib/net/private-networks.js';
import { message } from '../../../messages/message.js';
import { withCurrentStream } from './inbound.js';
import { apiTag, blockOutbound, fold, metricsTag, ownOutbounds } from './names.js';
import { list, members, refused } from './template.js';

const usual: readonly JsonObject[] = [
  { tag: 'direct', protocol: 'freedom' },
  { tag: 'blocked', protocol: 'blackhole' },
];
/** Members that name an outbound by its tag; folded names. */
const pointers = new Set(['outboundtag', 'fallbacktag', 'dialerproxy']);
/** Members that select every outbound whose tag starts with one of their texts. */
const selectors = new Set(['selector', 'subjectselector']);

/**
 * The outbounds of the template and of the panel. `metrics`: the `host:port` on loopback that no proxied connection may
 * reach, whatever the template allows. Throws `CoreError` 'invalid'.
 */
export function outboundsOf(value: Json | undefined, metrics: string | null): readonly Json[] {
  const outbounds = list(value);
  const tags = new Set<string>([apiTag, metricsTag, blockOutbound]);
  for (const outbound of outbounds) {
    const { tag } = members(outbound);
    if (typeof tag !== 'string' || tag === '') continue;
    if (tags.has(tag)) throw refused(message('core.outboundTagTaken', { tag }));
    if (tag.includes('>>>')) throw refused(message('core.outboundTagInvalid', { tag }));
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

/** The tags of a list of outbounds, and of the panel's outbounds. */
export function tagsIn(outbounds: Json | undefined): ReadonlySet<string> {
  const tags = Array.isArray(outbounds) ? (outbounds as readonly Json[]).map((one) => members(one)['tag']) : [];
  return new Set([...ownOutbounds, ...tags.filter((tag) => typeof tag === 'string')]);
}

/** The tags of a template's outbounds, and of the panel's outbounds. Throws `CoreError` 'invalid'. */
export function outboundTagsOf(template: JsonObject): ReadonlySet<string> {
  return tagsIn(outboundsOf(members(template)['outbounds'], null));
}

/** Adds a rule before the final rules of an outbound that dials targets itself; other outbounds are unchanged. */
export function withFinalRule(outbound: Json, rule: JsonObject): Json {
  const { protocol, settings } = members(outbound);
  if (typeof protocol !== 'string' || !['freedom', 'direct'].includes(protocol.toLowerCase())) return outbound;
  const { finalrules = [] } = members(settings);
  // The core reports a value that is not a list.
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

/** Throws `CoreError` 'invalid' for a configuration that sends traffic to one of the panel's outbounds. */
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
      throw refused(message('core.outboundOfPanel', { key, tag: named }));
    if (selectors.has(name)) checkSelector(key, member);
    checkPointers(member);
  }
}

function checkSelector(key: string, value: Json): void {
  for (const start of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
    if (typeof start !== 'string') continue;
    const own = [...ownOutbounds].find((tag) => tag.startsWith(start));
    if (own !== undefined) throw refused(message('core.selectorMatchesPanel', { key, what: start, tag: own }));
  }
}
