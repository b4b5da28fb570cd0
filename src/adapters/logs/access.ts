import { type AccessKind, type AccessLine, type AccessQuery } from '../../commands/ports/logs.js';
import { emailOfAccount } from '../../lib/account-name.js';
import { isObject, type JsonObject } from '../../lib/json.js';
import { logFiles } from '../core/config/assembly.js';
import { apiTag, blockOutbound } from '../core/config/names.js';
import { members } from '../core/config/template.js';
import { formerOf } from '../core/process/files.js';
import { linesBackwards } from './backwards.js';
import { cleanLine } from './clean.js';

/** How far back a search goes, in bytes. */
const REACH = 16 * 1024 * 1024;
const LONGEST = 2000;
const ALL_KINDS = 3;

/**
 * The last lines of the core's access log that are wanted, oldest first; null when the template switches it off. The
 * core writes one in any case, because the panel must know whose connection is whose; then it is not for reading.
 */
export async function accessLines(logDir: string, query: AccessQuery): Promise<readonly AccessLine[] | null> {
  const { template, count, kinds } = query;
  const files = logFiles(template, { logDir });
  if (!files.accessKept) return null;
  const keyword = query.keyword.toLowerCase();
  const kindOf = classifier(template);
  const found: AccessLine[] = [];
  for await (const raw of newestFirst(files.access)) {
    const text = cleanLine(withPlainEmail(withoutCredentials(raw)), LONGEST);
    if (keyword !== '' && !text.toLowerCase().includes(keyword)) continue;
    const line = readLine(text, kindOf);
    if (line.inbound === apiTag && line.outbound === apiTag) continue;
    if (line.kind === null ? kinds.size < ALL_KINDS : !kinds.has(line.kind)) continue;
    found.push({ ...line, kind: line.kind ?? 'proxied' });
    if (found.length >= count) break;
  }
  return found.reverse();
}

/** Also what was in the file before it was emptied the last time. */
async function* newestFirst(file: string): AsyncGenerator<string> {
  yield* linesBackwards(file, REACH);
  yield* linesBackwards(formerOf(file), REACH);
}

type Classifier = (outbound: string) => AccessKind;

/** By what an outbound does in this template, not by what it is called. */
function classifier(template: JsonObject): Classifier {
  const { outbounds } = members(template);
  const listed = Array.isArray(outbounds) ? outbounds.filter(isObject) : [];
  const protocols = new Map(listed.map(({ tag, protocol }) => [String(tag), String(protocol).toLowerCase()]));
  if (listed.length === 0) protocols.set('direct', 'freedom').set('blocked', 'blackhole');
  protocols.set(blockOutbound, 'blackhole');
  return (outbound) => {
    const protocol = protocols.get(outbound);
    if (protocol === 'freedom' || protocol === 'direct') return 'direct';
    return protocol === 'blackhole' || protocol === 'block' ? 'blocked' : 'proxied';
  };
}

const pattern =
  /^(\S+ \S+) from (\S+) (accepted|rejected) (\S*)(?: \[(?:(\S+) (?:->|>>|==>) )?([^\]]+)\])?.*?(?: email: (.+))?$/;

/** Total: of a line that is none of the core's only the text is known, and its kind is null. */
function readLine(text: string, kindOf: Classifier): Omit<AccessLine, 'kind'> & { readonly kind: AccessKind | null } {
  const [, at = '', from = '', verdict = '', to = '', inbound = '', outbound = '', email = ''] =
    pattern.exec(text) ?? [];
  const kind = verdict === '' ? null : verdict === 'rejected' ? 'blocked' : kindOf(outbound);
  return { text, at: utc(at), from: bare(from), to: bare(to), inbound, outbound, email, kind };
}

const bare = (address: string): string => address.replace(/^\/+/, '');

const NO_TIME = '0001-01-01T00:00:00Z';

/** The core writes the local time: `2026/11/21 04:50:59.430160`. */
function utc(stamp: string): string {
  const found = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/.exec(stamp);
  if (found === null) return NO_TIME;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  const date = new Date(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(date.getTime())) return NO_TIME;
  const fraction = (found[7] ?? '').padEnd(6, '0').slice(0, 6);
  return `${date.toISOString().slice(0, 19)}.${fraction}Z`;
}

/** The core logs clients by the names of their accounts, people know them by their emails. */
function withPlainEmail(line: string): string {
  return line.replace(/( email: )(.+)$/, (_, before: string, name: string) => before + emailOfAccount(name));
}

/** A plain HTTP proxy logs whole addresses, with whatever the page put into them. */
function withoutCredentials(line: string): string {
  const target = / accepted (\S+)/.exec(line)?.[1];
  if (target === undefined || !/[?@]/.test(target)) return line;
  const end = target.indexOf('?');
  const address = end < 0 ? target : `${target.slice(0, end)}?…`;
  return line.replace(target, () => address.replace(/^([a-z]{0,10}:)?\/\/[^/]*@/i, '$1//…@'));
}
