import type { ClientIdentity, ClientSpec } from '../../events/client/client.js';
import type { Depletion, Protocol } from '../../events/inbound/inbound.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { isObject, type Json, textOf } from '../../lib/json.js';
import { MAX_TIME_MS } from '../../lib/time/calendar.js';
import { message, type Text } from '../../messages/message.js';
import { type ClientDraft, clientProblem, credentialKey, MAX_RESET_DAYS } from '../client/credentials.js';
import { depletionOf } from '../client/limits.js';
import { type JsonRecord, numberOf } from './json.js';
import { clientItem, type Entry, type Named } from './names.js';
import { disabledThere, type Notes } from './report.js';

/** Members that are converted. All others are kept unchanged. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'security', 'password', 'flow', 'reverse', 'auth', 'method', 'email', 'limitIp', 'totalGB', 'expiryTime'],
  ...['enable', 'tgId', 'subId', 'comment', 'reset', 'created_at', 'updated_at'],
]);
const MAX_ADDRESSES = 2 ** 31 - 1;

/** A converted client. */
interface ImportedClient {
  readonly draft: ClientDraft;
  /** Its cap or its expiry is reached. */
  readonly depletion: Depletion | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Imports the clients of one inbound, whose credentials must differ. */
export class ClientImport {
  readonly #protocol: Protocol;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #notes: Notes;
  readonly #now: number;
  /** Credentials of enabled clients. */
  readonly #held = new Set<string>();

  constructor(protocol: Protocol, settings: Readonly<Record<string, unknown>>, notes: Notes, now: number) {
    this.#protocol = protocol;
    this.#settings = settings;
    this.#notes = notes;
    this.#now = now;
  }

  convert(entry: Entry, { email, row }: Named): ImportedClient {
    const { wire } = entry;
    const note = (why: Text): void => this.#notes.changed('clients', clientItem(entry), why);
    const spec = specOf(wire, row, note);
    const used: Counter = row ?? zero;
    const depletion = depletionOf(spec.capBytes, spec.expiresAt, { up: used.up, down: used.down }, this.#now);
    // 3x-ui disables clients that are used up. Here `depleted` is a separate state, which ends with a reset or a later expiry.
    const usedUp = depletion !== null && row?.enable === false;
    const enabled = spec.enabled || usedUp;
    if (usedUp) this.#notes.noted('clients', clientItem(entry), disabledThere(depletion));
    if (typeof wire['enable'] !== 'boolean') this.#undecided(entry, spec.enabled, enabled);
    const draft: ClientDraft = {
      spec: { ...spec, enabled },
      identity: {
        email,
        subId: entry.subId,
        comment: textOf(wire['comment']),
        tgId: safe(numberOf(wire['tgId'])),
        extra: extraOf(wire),
      },
      credential: { id: stringOf(wire['id']), password: stringOf(wire['password']), auth: stringOf(wire['auth']) },
    };
    const why = enabled ? this.#problem(draft, depletion !== null) : null;
    if (why !== null) note(message('import.switchedOff', { why }));
    const times = { createdAt: timeOf(wire['created_at']), updatedAt: timeOf(wire['updated_at']) };
    const sound = why === null ? draft : { ...draft, spec: { ...spec, enabled: false } };
    return { draft: sound, depletion, ...times };
  }

  /** 3x-ui runs clients unless they are explicitly disabled. */
  #undecided(entry: Entry, ran: boolean, enabled: boolean): void {
    const code = ran ? 'import.unsetOn' : enabled ? 'import.unsetUsedUp' : 'import.unsetOff';
    this.#notes.noted('clients', clientItem(entry), message(code));
  }

  /** Why the core would reject the client or confuse it with another one. */
  #problem(draft: ClientDraft, depleted: boolean): Text | null {
    const problem = clientProblem(this.#protocol, this.#settings, draft, draft.identity);
    if (problem) return (problem.details as { readonly why: Text }).why;
    const key = credentialKey(this.#protocol, draft.credential);
    if (key === null || depleted) return null;
    if (this.#held.has(key)) return message('import.sameCredential');
    this.#held.add(key);
    return null;
  }
}

function extraOf(wire: JsonRecord): ClientIdentity['extra'] {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !KNOWN.has(name))) as ClientIdentity['extra'];
}

/** The limits in a row of counters take precedence: those were in force. */
function specOf(wire: JsonRecord, row: Named['row'], note: (why: Text) => void): ClientSpec {
  const cap = row?.total ?? numberOf(wire['totalGB']) ?? 0;
  const expiry = row?.expiryTime ?? numberOf(wire['expiryTime']) ?? 0;
  if (row && (differs(wire['totalGB'], row.total) || differs(wire['expiryTime'], row.expiryTime)))
    note(message('import.limitsDiffer'));
  const inRange = Math.abs(expiry) <= MAX_TIME_MS;
  if (!inRange) note(message('import.expiryTooLate'));
  if (cap < 0) note(message('import.capNegative'));
  const { enable, limitIp, reset, reverse } = wire;
  return {
    enabled: enable !== false && (row?.enable ?? true),
    capBytes: Math.max(0, cap),
    expiresAt: inRange ? expiry : 0,
    limitIp: validOrZero(numberOf(limitIp), MAX_ADDRESSES, () => note(message('import.ipLimitInvalid'))),
    flow: textOf(wire['flow']),
    security: textOf(wire['security']),
    method: textOf(wire['method']),
    renewalDays: validOrZero(row?.reset ?? numberOf(reset), MAX_RESET_DAYS, () =>
      note(message('import.renewalInvalid')),
    ),
    reverseTag: isObject(reverse) ? textOf(reverse['tag']) : '',
  };
}

const differs = (wire: Json | undefined, row: number | null): boolean => row !== null && (numberOf(wire) ?? 0) !== row;

function validOrZero(value: number | null, max: number, onInvalid: () => void): number {
  if (value === null) return 0;
  if (value >= 0 && value <= max) return value;
  onInvalid();
  return 0;
}

const safe = (value: number | null): number => (value !== null && Number.isSafeInteger(value) ? value : 0);

/** A string, or a number as a string: API clients of 3x-ui send ids as either. */
function stringOf(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

function timeOf(value: Json | undefined): number {
  const time = numberOf(value) ?? 0;
  return time > 0 && time <= MAX_TIME_MS ? time : 0;
}
