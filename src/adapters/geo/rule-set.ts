import { isIP } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { Writer } from 'protobufjs/minimal.js';
import { ReleaseError } from '../../commands/ports/releases.js';
import type { GeoKind } from '../../events/geo/geo.js';
import { isObject } from '../../lib/json.js';
import { message } from '../../messages/message.js';

/** How the core matches a domain. */
const DOMAIN = { substring: 0, regex: 1, suffix: 2, full: 3 } as const;
type DomainType = (typeof DOMAIN)[keyof typeof DOMAIN];

const MEMBERS: ReadonlySet<string> = new Set([
  ...(['domain', 'domain_suffix', 'domain_keyword', 'domain_regex', 'ip_cidr'] as const),
  ...(['type', 'invert'] as const),
]);
const MAX_VALUE_CHARS = 1000;
/** Characters of an invalid value that are shown. */
const MAX_SHOWN_CHARS = 64;
/** Rules and members that are read in one turn of the event loop. */
const RULES_PER_TURN = 5000;

/**
 * A rule set in the source format of sing-box, `{"version": 1, "rules": [{"domain_suffix": […], "ip_cidr": […]}]}`, as a
 * file of the core with one list. Its rules are alternatives, and so are the members of one rule: the domains make a
 * list of domains, the addresses one of addresses. Rejects with `ReleaseError` when it cannot be one.
 */
export async function ruleSetFile(document: unknown, type: GeoKind, tag: string): Promise<Buffer> {
  const rules = isObject(document) ? document['rules'] : undefined;
  if (!Array.isArray(rules)) throw new ReleaseError(message('geo.notRuleSet'));
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
    if (read % RULES_PER_TURN !== 0) continue;
    pieces.push(Buffer.concat(members));
    members = [];
    await turn();
  }
  if (isEmpty) throw new ReleaseError(message('geo.ruleSetEmpty', { type }));
  return Buffer.from(delimited(1, Buffer.concat([...pieces, ...members])));
}

/** The members of all rules, and null at the start of each rule, because an empty rule takes time too. */
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

/** A rule that is only a list of alternatives. Throws `ReleaseError` for any other rule. */
function checked(rule: unknown): Rule {
  if (!isObject(rule)) throw new ReleaseError(message('geo.ruleNotObject'));
  const foreign = Object.keys(rule).find((name) => !MEMBERS.has(name));
  const isPlain = (rule['type'] ?? 'default') === 'default' && (rule['invert'] ?? false) === false;
  if (foreign !== undefined || !isPlain) throw new ReleaseError(message('geo.ruleConditions'));
  return rule;
}

function* domainsOf(rule: Rule): Generator<Uint8Array> {
  const suffixes = texts(rule, 'domain_suffix');
  // A suffix with a leading dot means the subdomains; together with the name itself, it is a whole suffix.
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

/** Checks a regular expression. The core's engine differs from JavaScript's in flags and names, and has no look-around. */
function expressionOf(text: string): string {
  const plain = text.replaceAll(/\(\?[imsU-]+\)/g, '').replaceAll(/\(\?[imsU-]+:/g, '(?:');
  try {
    if (/\(\?<?[=!]/.test(plain)) throw invalidDomain(text);
    RegExp(plain.replaceAll('(?P<', '(?<'));
    return text;
  } catch {
    throw invalidDomain(text);
  }
}

/** A domain name, or part of one, in lower case. */
function nameOf(text: string): string {
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text)) throw invalidDomain(text);
  return text.toLowerCase();
}

function domain(type: DomainType, text: string): Uint8Array {
  if (text === '' || text.length > MAX_VALUE_CHARS) throw invalidDomain(text);
  return Writer.create().uint32(8).uint32(type).uint32(18).string(text).finish();
}

const invalidDomain = (text: string): ReleaseError =>
  new ReleaseError(message('geo.domainInvalid', { domain: text.slice(0, MAX_SHOWN_CHARS) }));

function* rangesOf(rule: Rule): Generator<Uint8Array> {
  for (const text of texts(rule, 'ip_cidr')) {
    const [address = '', bits, ...more] = text.split('/');
    const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const length = bits === undefined ? longest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (more.length > 0 || !(length >= 0 && length <= longest) || address.includes('%'))
      throw new ReleaseError(message('geo.addressInvalid', { address: text.slice(0, MAX_SHOWN_CHARS) }));
    yield Writer.create().uint32(10).bytes(network(address, length)).uint32(16).uint32(length).finish();
  }
}

/** The first address of a range: the bits after the prefix are cleared. */
function network(address: string, length: number): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
  return Buffer.from(bytes.map((byte, index) => byte & (0xff << Math.max(0, Math.min(8, 8 * (index + 1) - length)))));
}

/** The texts of a member; a single text counts as a list. */
function texts(rule: Rule, name: string): readonly string[] {
  const value = rule[name] ?? [];
  const list: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw new ReleaseError(message('geo.memberNotTexts'));
  return list as string[];
}
