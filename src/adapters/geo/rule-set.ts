import { isIP } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { Writer } from 'protobufjs/minimal.js';
import { ReleaseError } from '../../commands/ports/releases.js';
import type { GeoKind } from '../../events/geo/geo.js';
import { isObject } from '../../lib/json.js';

/** How the core takes the text of a domain. */
const DOMAIN = { substring: 0, regex: 1, suffix: 2, full: 3 } as const;
type DomainType = (typeof DOMAIN)[keyof typeof DOMAIN];

const MEMBERS: ReadonlySet<string> = new Set([
  ...(['domain', 'domain_suffix', 'domain_keyword', 'domain_regex', 'ip_cidr'] as const),
  ...(['type', 'invert'] as const),
]);
const LONGEST = 1000;
/** Characters of a wrong member that are shown. */
const SHOWN = 64;
/** Rules and members that are read between two turns of the loop. */
const TURN = 5000;

/**
 * A rule set in the source format of sing-box, `{"version": 1, "rules": [{"domain_suffix": […], "ip_cidr": […]}]}`, as a
 * file of the core with one list. Its rules are alternatives, and so are the members of one rule: the domains make a
 * list of domains, the addresses one of addresses. Rejects with `ReleaseError` when it cannot be one.
 */
export async function ruleSetFile(document: unknown, type: GeoKind, tag: string): Promise<Buffer> {
  const rules = isObject(document) ? document['rules'] : undefined;
  if (!Array.isArray(rules)) throw new ReleaseError('what came is JSON, but no rule set');
  const pieces = [delimited(1, Buffer.from(tag))];
  let members: Uint8Array[] = [];
  let read = 0;
  let isEmpty = true;
  for (const member of membersOf(rules, type)) {
    read += 1;
    if (member !== null) {
      members.push(delimited(2, member));
      isEmpty = false;
    }
    if (read % TURN !== 0) continue;
    pieces.push(Buffer.concat(members));
    members = [];
    await turn();
  }
  if (isEmpty) throw new ReleaseError(`what came is a rule set without anything of the type ${type}`);
  return Buffer.from(delimited(1, Buffer.concat([...pieces, ...members])));
}

/** The members of all rules, and null where a rule begins: an empty one takes time as well. */
function* membersOf(rules: readonly unknown[], type: GeoKind): Generator<Uint8Array | null> {
  for (const rule of rules) {
    yield null;
    yield* type === 'geosite' ? domainsOf(checked(rule)) : rangesOf(checked(rule));
  }
}

/** A protobuf field of bytes. */
const delimited = (field: number, content: Uint8Array): Uint8Array =>
  Writer.create()
    .uint32(field * 8 + 2)
    .bytes(content)
    .finish();

type Rule = Readonly<Record<string, unknown>>;

/** A rule that is a list of alternatives and nothing else. */
function checked(rule: unknown): Rule {
  if (!isObject(rule)) throw new ReleaseError('the rule set has a rule that is no object');
  const foreign = Object.keys(rule).find((name) => !MEMBERS.has(name));
  const isPlain = (rule['type'] ?? 'default') === 'default' && (rule['invert'] ?? false) === false;
  if (foreign !== undefined || !isPlain)
    throw new ReleaseError('the rule set has conditions besides domains and addresses, which a list cannot express');
  return rule;
}

function* domainsOf(rule: Rule): Generator<Uint8Array> {
  const suffixes = texts(rule, 'domain_suffix');
  // With a dot before it a suffix means what is below a name; together with the name itself that is the whole suffix.
  const below = new Set(suffixes.filter((text) => text.startsWith('.')));
  for (const text of texts(rule, 'domain'))
    yield domain(below.delete(`.${text}`) ? DOMAIN.suffix : DOMAIN.full, nameOf(text));
  for (const text of suffixes) {
    const name = nameOf(text.replace(/^\./, ''));
    if (name.length === text.length) yield domain(DOMAIN.suffix, name);
    else if (below.has(text)) yield domain(DOMAIN.regex, String.raw`\.${name.replaceAll('.', String.raw`\.`)}$`);
  }
  for (const text of texts(rule, 'domain_keyword')) yield domain(DOMAIN.substring, text.toLowerCase());
  for (const text of texts(rule, 'domain_regex')) yield domain(DOMAIN.regex, expressionOf(text));
}

/** Read by another reader than the core's, which has its own way with flags and names, and no look-around. */
function expressionOf(text: string): string {
  const plain = text.replaceAll(/\(\?[imsU-]+\)/g, '').replaceAll(/\(\?[imsU-]+:/g, '(?:');
  try {
    if (/\(\?<?[=!]/.test(plain)) throw noDomain(text);
    RegExp(plain.replaceAll('(?P<', '(?<'));
    return text;
  } catch {
    throw noDomain(text);
  }
}

/** A name, or parts of one, in lower case. */
function nameOf(text: string): string {
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text)) throw noDomain(text);
  return text.toLowerCase();
}

function domain(type: DomainType, text: string): Uint8Array {
  if (text === '' || text.length > LONGEST) throw noDomain(text);
  return Writer.create().uint32(8).uint32(type).uint32(18).string(text).finish();
}

const noDomain = (text: string): ReleaseError =>
  new ReleaseError(`the rule set has a domain that is none: ${shown(text)}`);
const shown = (text: string): string => JSON.stringify(text.slice(0, SHOWN));

function* rangesOf(rule: Rule): Generator<Uint8Array> {
  for (const text of texts(rule, 'ip_cidr')) {
    const [address = '', bits, ...more] = text.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (more.length > 0 || !(length >= 0 && length <= longest) || address.includes('%'))
      throw new ReleaseError(`the rule set has an address that is none: ${shown(text)}`);
    yield Writer.create().uint32(10).bytes(network(address, length)).uint32(16).uint32(length).finish();
  }
}

/** The first address of a range: the bits behind the prefix say nothing. */
function network(address: string, length: number): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  return Buffer.from(bytes.map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, 8 * (index + 1) - length)))));
}

/** One text stands for a list of one. */
function texts(rule: Rule, name: string): readonly string[] {
  const value = rule[name] ?? [];
  const list: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new ReleaseError('the rule set has a member that is no list of texts');
  return list as string[];
}
