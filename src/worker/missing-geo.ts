import { shown } from '../commands/import/report.js';
import type { ImportFinding } from '../events/import.js';
import { isObject, type Json, type JsonObject, textOf } from '../lib/json.js';
import { privateNetworks } from '../lib/net/private-networks.js';
import { message, type Text } from '../messages/message.js';

/** A geo file that is missing, or one list that an existing file does not contain. */
export interface MissingGeo {
  readonly file: string;
  /** As a rule names the list; null = the whole file. */
  readonly entry: string | null;
}

/** The name of the table for template rules in the report. */
const TABLE = 'core template';
const ILLEGAL = /illegal (?:domain|ip) rule: (\S+) > \S+ failed to (open|check code \S+ from) (\S+)/;

/** The file or list that the core reports as missing; null for any other error. `chain`: its error chain. */
export function missingIn(chain: string): MissingGeo | null {
  const [, entry, how, file] = ILLEGAL.exec(chain) ?? [];
  if (entry === undefined || file === undefined) return null;
  return { file, entry: how === 'open' ? null : normalized(entry) };
}

/**
 * The template without references to missing files and lists, with a finding for each rule, name server and host that was
 * changed. A missing list is removed from a rule if others remain; a rule that would match more without it is removed.
 */
export function withoutMissing(
  template: JsonObject,
  missing: readonly MissingGeo[],
): { readonly template: JsonObject; readonly findings: readonly ImportFinding[] } {
  const findings: ImportFinding[] = [];
  const skipped = (item: Text, reasons: readonly Text[]): void => {
    findings.push({ table: TABLE, item, outcome: 'skipped', reason: message('import.ruleSkipped', { reasons }) });
  };
  const prune = (items: readonly Json[], nameOf: (item: Json, place: number) => Text): readonly Json[] =>
    items.flatMap((item, index) => {
      const { value, removed, wider } = pruned(item, missing);
      if (removed.length === 0) return [value];
      const reasons = reasonsFor(removed, missing);
      const name = nameOf(item, index + 1);
      if (wider) skipped(name, reasons);
      else {
        const reason = message('import.ruleReduced', { entries: shown(removed.join(', ')), reasons });
        findings.push({ table: TABLE, item: name, outcome: 'changed', reason });
      }
      return wider ? [] : [value];
    });
  const hostsOf = (hosts: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(hosts).filter(([name]) => {
        const why = whyMissing(name, missing);
        if (why !== null) skipped(message('import.host', { name: shown(name) }), [why]);
        return why === null;
      }),
    );
  const { routing, dns } = template;
  const changed: Record<string, Json> = { ...template };
  if (isObject(routing) && Array.isArray(routing['rules']))
    changed['routing'] = { ...(routing as JsonObject), rules: prune(routing['rules'] as Json[], ruleName) };
  if (isObject(dns)) {
    const { servers, hosts } = dns;
    changed['dns'] = {
      ...(dns as JsonObject),
      ...(Array.isArray(servers) ? { servers: prune(servers as Json[], serverName) } : {}),
      ...(isObject(hosts) ? { hosts: hostsOf(hosts as JsonObject) } : {}),
    };
  }
  return { template: changed, findings };
}

interface Pruned {
  readonly value: Json;
  /** The removed entries. */
  readonly removed: readonly string[];
  /** It would match more than before: a list has no entries remaining, or an exception was removed. */
  readonly wider: boolean;
}

function pruned(item: Json, missing: readonly MissingGeo[]): Pruned {
  // A name server may be just an address.
  if (!isObject(item)) return { value: item, removed: [], wider: false };
  const removed: string[] = [];
  let wider = false;
  const members = Object.entries(item as JsonObject).map(([name, member]): [string, Json] => {
    const entries = entriesOf(member);
    const remaining = entries.flatMap((entry): readonly Json[] => {
      if (whyMissing(entry, missing) === null) return [entry];
      if (entry === 'geoip:private') return privateNetworks;
      removed.push(String(entry));
      return [];
    });
    // The core matches what is in none of the excluded lists: without one of them, it matches more.
    wider ||= entries.length > 0 && remaining.length === 0;
    wider ||= entries.some((entry) => isException(entry) && whyMissing(entry, missing) !== null);
    return [name, remaining.length === entries.length ? member : remaining];
  });
  return { value: Object.fromEntries(members), removed, wider };
}

/** `!geoip:ir`, and the older `geoip:!ir`. */
const isException = (entry: Json): boolean => /^\s*(?:!|\w+:!|ext(?:-ip)?:[^:]*:!)/.test(textOf(entry));

/** The core reads a comma-separated text as a list. */
const entriesOf = (member: Json): readonly Json[] =>
  Array.isArray(member) ? (member as readonly Json[]) : typeof member === 'string' ? member.split(',') : [];

/** Why each of these entries cannot be looked up, without repetitions. */
function reasonsFor(entries: readonly Json[], missing: readonly MissingGeo[]): readonly Text[] {
  const reasons = entries.map((entry) => whyMissing(entry, missing)).filter((why) => why !== null);
  return [...new Map(reasons.map((why) => [JSON.stringify(why), why])).values()];
}

/** Why an entry cannot be looked up; null when it can. */
function whyMissing(entry: Json, missing: readonly MissingGeo[]): Text | null {
  const name = normalized(textOf(entry));
  const file = /^ext:([^:]*):/.exec(name)?.[1];
  if (file === undefined) return null;
  const found = missing.find((one) => one.file === file && (one.entry === null || one.entry === name));
  if (!found) return null;
  return message(found.entry === null ? 'import.geoFileMissing' : 'import.geoListMissing', { file: shown(file) });
}

/** Normalizes the name of a list: `geosite:cn` → `ext:geosite.dat:cn`. */
function normalized(entry: string): string {
  const [, kind, rest] = /^!?(geoip|geosite|ext|ext-ip|ext-domain|ext-site):(.*)$/s.exec(entry.trim()) ?? [];
  if (kind === undefined || rest === undefined) return entry;
  return kind.startsWith('geo') ? `ext:${kind}.dat:${rest}` : `ext:${rest}`;
}

/** The members of a rule that do not say what it matches. */
const NOT_MATCHERS: ReadonlySet<string> = new Set(['type', 'ruleTag', 'domainMatcher', 'outboundTag', 'balancerTag']);

/** The name of a rule in the report: its position, what it matches, and its target. */
function ruleName(rule: Json, place: number): Text {
  const { outboundTag, balancerTag } = rule as JsonObject;
  const matched = Object.entries(rule as JsonObject).flatMap(([name, member]) =>
    NOT_MATCHERS.has(name) ? [] : entriesOf(member),
  );
  const target = shown(textOf(outboundTag) || textOf(balancerTag));
  return message('import.rule', { place, matched: shown(matched.join(', ')), target });
}

function serverName(server: Json, place: number): Text {
  return message('import.nameServer', { place, address: shown(textOf((server as JsonObject)['address'])) });
}
