import { isIP } from 'node:net';
import { eventType, type RecordedEvent } from '../../events/catalog.js';
import { memberNames } from '../../events/enumerated-words.js';
import type { EventMeta } from '../../events/log/event.js';
import { secretTest } from '../../lib/secrets/secret-members.js';
import { keptWords } from './words.js';

/** Members that name people or places: their strings are replaced even when they are words of a format. So are secrets. */
const NAMES: ReadonlySet<string> = new Set([
  ...['email', 'subId', 'comment', 'id', 'name', 'username', 'remark', 'host', 'user'],
]);
/** Members with texts that people type, which may look like a number, a version or a date. */
const TYPED: ReadonlySet<string> = new Set([
  ...['reason', 'shortId', 'shortIds', 'path', 'serviceName', 'authority', 'label', 'alias', 'serverName'],
  ...['serverNames', 'webBasePath', 'subPath', 'subJsonPath', 'subClashPath', 'subTitle', 'subDomain', 'webDomain'],
  ...['domain', 'sni', 'target', 'dest'],
]);
/** Numbers that identify a person: chat ids. */
const PERSONAL_NUMBERS: ReadonlySet<string> = new Set(['tgId', 'chat', 'chatId']);
/** Unsealed fields of events whose strings are made by the panel, without a name in them. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'key',
  'keys',
  'code',
  'digest',
  'version',
  'fromVersion',
  'toVersion',
]);

/** Digests of configurations with their secrets: a guess of a short password could be tested with them. */
const SECRET_DIGESTS: ReadonlySet<string> = new Set(['NodeInboundApplied.digest']);

const isSecretField = secretTest({}, '');

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const GEO = /^(?:ext:)?geo(?:ip|site):!?[\w-]+$/;
/** A number, a port, a range, a cron expression, a duration. Longer numbers may be chat ids or telephone numbers. */
const FIGURES = /^[\d*/,\s-]{1,5}$|^\d{1,5}(?:-\d{1,5})?$|^(?:[\d*/,-]+ ){4,5}[\d*/,-]+$|^@\w+$|^\d+(?:ms|s|m|h|d)$/;
const RELEASE = /^v?\d{1,4}(?:\.\d{1,6}){1,3}$/;
const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/;
const OWN_TAG = /^(?:inbound|outbound|node)-\d+(?:-(?:tcp|udp))?$/;
/** A member name of a format, in contrast to a host name, an address or an email that is used as a key. */
const MEMBER = /^[A-Za-z_$][\w$-]*$/;

/**
 * Replaces names and secrets in events, the same by the same, so that the events keep their meaning. What is kept: numbers,
 * booleans, times, the members of enumerations, and the words of Xray's configuration.
 */
export class Redaction {
  readonly #kept = keptWords();
  readonly #members = memberNames();
  readonly #replaced = new Map<string, string>();

  event(event: RecordedEvent): RecordedEvent {
    const definition = eventType(event.type);
    const data = Object.fromEntries(
      Object.entries(event.data).map(([field, value]) => {
        const isOpen = !Object.hasOwn(definition?.seals ?? {}, field) && !SECRET_DIGESTS.has(`${event.type}.${field}`);
        const isOwn = isOpen && OWN_FIELDS.has(field);
        return [field, isOwn ? value : this.value(value, field, isSecretField(field, value))];
      }),
    );
    const stream = definition?.stream(data as never) ?? event.stream;
    return { ...event, stream, data, meta: this.#meta(event.meta) } as RecordedEvent;
  }

  /** `member`: the name of the member that has the value. */
  value(value: unknown, member: string, isSecret = false): unknown {
    if (typeof value === 'string') return this.text(value, member, isSecret);
    if (typeof value === 'number') return PERSONAL_NUMBERS.has(member) && value !== 0 ? this.#number(value) : value;
    if (Array.isArray(value)) return value.map((item) => this.value(item, member, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    const isSecretIn = secretTest(value as Readonly<Record<string, unknown>>, member);
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        this.#isMember(key) ? key : this.#replacement(key),
        this.value(inner, key, isSecretIn(key, inner)),
      ]),
    );
  }

  /** The schemas accept no other members. Where any key is possible, one that was replaced as a value is a name. */
  #isMember(key: string): boolean {
    return this.#members.has(key) || (MEMBER.test(key) && !this.#replaced.has(key));
  }

  text(value: string, member: string, isSecret = false): string {
    if (value === '') return value;
    if (isSecret) return this.#replacement(value);
    if (/^[[{]/.test(value)) return this.#json(value, member);
    return !NAMES.has(member) && this.#isKept(value, member) ? value : this.#replacement(value);
  }

  #isKept(value: string, member: string): boolean {
    if (this.#kept.has(value)) return true;
    if (isIP(value) !== 0) return value === '0.0.0.0' || value === '::' || value === '127.0.0.1' || value === '::1';
    const formats = TYPED.has(member) ? [] : [FIGURES, RELEASE, DATE, OWN_TAG, GEO];
    return formats.some((format) => format.test(value)) || isTimeZone(value) || /^\/+$/.test(value);
  }

  /** JSON in a string, as settings contain it. */
  #json(value: string, member: string): string {
    try {
      return JSON.stringify(this.value(JSON.parse(value), member));
    } catch {
      return this.#replacement(value);
    }
  }

  #meta(meta: EventMeta): EventMeta {
    const { kind, id, name, ip } = meta.actor;
    const actor = {
      kind,
      id: /^\d{0,5}$/.test(id) || this.#kept.has(id) ? id : this.#replacement(id),
      name: kind === 'system' ? name : name && this.#replacement(name),
      ip: ip && this.#replacement(ip),
    };
    return { ...meta, actor, commandId: null };
  }

  #number(value: number): number {
    return Number(this.#replacement(String(value)).replaceAll(/\D/g, '')) * Math.sign(value);
  }

  #replacement(value: string): string {
    const known = this.#replaced.get(value);
    if (known !== undefined) return known;
    const made = placeholder(value, this.#replaced.size + 1);
    this.#replaced.set(value, made);
    return made;
  }
}

/** A text of the same kind and, where there is room, of the same length. */
function placeholder(value: string, number: number): string {
  const hex = number.toString(16);
  if (UUID.test(value)) return `00000000-0000-4000-8000-${hex.padStart(12, '0')}`;
  if (isIP(value) === 4) return `198.${18 + (Math.trunc(number / 65_536) % 2)}.${(number >> 8) & 255}.${number & 255}`;
  if (isIP(value) === 6) return `2001:db8::${hex}`;
  if (/^\d+$/.test(value)) return String(number).padStart(Math.min(value.length, 9), '1');
  if (/^[\da-f]{32,}$/i.test(value)) return hex.padStart(value.length, '0');
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(value)?.[0];
  if (scheme !== undefined) return `${scheme}host-${number}.example/`;
  if (/^(?:[\w-]+\.)+[a-z]{2,}$/i.test(value)) return `host-${number}.example`.padStart(value.length, 'x');
  const [, before = '', inner = '', after = ''] = /^(\/?)(.*?)(\/?)$/s.exec(value) ?? [];
  return `${before}${`text-${number}`.padEnd([...inner].length, 'x')}${after}`;
}

function isTimeZone(name: string): boolean {
  if (!/^(?:UTC|[A-Z]\w+(?:\/[A-Z][\w+-]+){1,2})$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
