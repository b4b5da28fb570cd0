import { type AccessKind, type AccessLine, type AccessQuery } from '../../commands/ports/logs.js';
import { emailOfAccount } from '../../lib/account-name.js';
import { isObject, type JsonObject } from '../../lib/json.js';
import { logFiles } from '../core/config/assembly.js';
import { apiTag, blockOutbound } from '../core/config/names.js';
import { members } from '../core/config/template.js';
import { previousOf } from '../core/process/files.js';
import { linesBackwards } from './backwards.js';
import { cleanLine } from './clean.js';

/** How far back a search reads, in bytes. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const MAX_LINE_CHARS = 2000;
const ALL_KINDS = 3;

/**
 * The last matching lines of the core's access log, oldest first; null when the template disables it. The core always writes
 * one, because the panel needs it to attribute connections; a disabled log is not shown.
 */
export async function accessLines(logDir: string, query: AccessQuery): Promise<readonly AccessLine[] | null> {
  const { template, count, kinds } = query;
  const files = logFiles(template, { logDir });
  if (!files.accessKept) return null;
  const keyword = query.keyword.toLowerCase();
  const kindOf = classifier(template);
  const found: AccessLine[] = [];
  for await (const raw of newestFirst(files.access)) {
    const text = cleanLine(withPlainEmail(withoutCredentials(raw)), MAX_LINE_CHARS);
    if (keyword !== '' && !text.toLowerCase().includes(keyword)) continue;
    const line = readLine(text, kindOf);
    if (line.inbound === apiTag && line.outbound === apiTag) continue;
    if (line.kind === null ? kinds.size < ALL_KINDS : !kinds.has(line.kind)) continue;
    found.push({ ...line, kind: line.kind ?? 'proxied' });
    if (found.length >= count) break;
  }
  return found.reverse();
}

/** Includes the file from before the last rotation. */
async function* newestFirst(file: string): AsyncGenerator<string> {
  yield* linesBackwards(file, MAX_READ_BYTES);
  yield* linesBackwards(previousOf(file), MAX_READ_BYTES);
}

type Classifier = (outbound: string) => AccessKind;

/** Classifies by the protocol of the outbound in this template, not by its tag. */
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

/** Never fails: a line in another format has only its text, and its kind is null. */
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

/** Replaces account names, which the core logs, by the emails that admins know. */
function withPlainEmail(line: string): string {
  return line.replace(/( email: )(.+)$/, (_, before: string, name: string) => before + emailOfAccount(name));
}

/** A plain HTTP proxy logs complete URLs, including credentials. */
function withoutCredentials(line: string): string {
  const target = / accepted (\S+)/.exec(line)?.[1];
  if (target === undefined || !/[?@]/.test(target)) return line;
  const end = target.indexOf('?');
  const address = end < 0 ? target : `${target.slice(0, end)}?…`;
  return line.replace(target, () => address.replace(/^([a-z]{0,10}:)?\/\/[^/]*@/i, '$1//…@'));
}
