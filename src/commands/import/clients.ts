import type { ClientIdentity, ClientSpec } from '../../events/client/client.js';
import { type Counter, zero } from '../../events/counters.js';
import type { Depletion, Protocol } from '../../events/inbound/inbound.js';
import { isObject, type Json, textOf } from '../../lib/json.js';
import { LATEST_MS } from '../../lib/time/calendar.js';
import type { Text } from '../../messages/message.js';
import { render } from '../../messages/render.js';
import { type ClientDraft, clientProblem, credentialKey, MOST_RESET_DAYS } from '../client/credentials.js';
import { depletionOf } from '../client/limits.js';
import { type JsonRecord, numberOf } from './json.js';
import { clientItem, type Entry, type Named } from './names.js';
import { type Notes, switchedOff } from './report.js';

/** Members that have a place of their own; all others are kept as they came. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'security', 'password', 'flow', 'reverse', 'auth', 'method', 'email', 'limitIp', 'totalGB', 'expiryTime'],
  ...['enable', 'tgId', 'subId', 'comment', 'reset', 'created_at', 'updated_at'],
]);
const MOST_ADDRESSES = 2 ** 31 - 1;

/** A client as it will be here. */
export interface ImportedClient {
  readonly draft: ClientDraft;
  /** Its cap or its expiry is reached. */
  readonly depletion: Depletion | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The clients of one inbound, which know of each other whose credentials are taken. */
export class ClientImport {
  readonly #protocol: Protocol;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #notes: Notes;
  readonly #now: number;
  /** Credentials with which somebody may connect. */
  readonly #held = new Set<string>();

  constructor(protocol: Protocol, settings: Readonly<Record<string, unknown>>, notes: Notes, now: number) {
    this.#protocol = protocol;
    this.#settings = settings;
    this.#notes = notes;
    this.#now = now;
  }

  take(entry: Entry, { email, row }: Named): ImportedClient {
    const { wire } = entry;
    const note = (why: string): void => this.#notes.changed('clients', clientItem(entry), why);
    const spec = specOf(wire, row, note);
    const used: Counter = row ?? zero;
    const depletion = depletionOf(spec.capBytes, spec.expiresAt, { up: used.up, down: used.down }, this.#now);
    // The panel before switched clients off that were used up; here that is a state of its own, which ends by itself.
    const usedUp = depletion !== null && row?.enable === false;
    const enabled = spec.enabled || usedUp;
    if (usedUp) this.#notes.noted('clients', clientItem(entry), switchedOff(depletion));
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
      credential: { id: word(wire['id']), password: word(wire['password']), auth: word(wire['auth']) },
    };
    const why = enabled ? this.#problem(draft, depletion !== null) : null;
    if (why !== null) note(`it is switched off: ${why}`);
    const times = { createdAt: timeOf(wire['created_at']), updatedAt: timeOf(wire['updated_at']) };
    const sound = why === null ? draft : { ...draft, spec: { ...spec, enabled: false } };
    return { draft: sound, depletion, ...times };
  }

  /** The panel before ran all that were not switched off in so many words. */
  #undecided(entry: Entry, ran: boolean, enabled: boolean): void {
    const so = ran ? 'on' : enabled ? 'used up' : 'off';
    const why = `its settings do not say whether it is on: it is ${so}, as it was there`;
    this.#notes.noted('clients', clientItem(entry), why);
  }

  /** Why the core would refuse it, or confuse it with another. */
  #problem(draft: ClientDraft, depleted: boolean): string | null {
    const problem = clientProblem(this.#protocol, this.#settings, draft, draft.identity);
    if (problem) return render((problem.details as { readonly why: Text }).why, 'en');
    const key = credentialKey(this.#protocol, draft.credential);
    if (key === null || depleted) return null;
    if (this.#held.has(key)) return 'another client of its inbound has the same id or password';
    this.#held.add(key);
    return null;
  }
}

function extraOf(wire: JsonRecord): ClientIdentity['extra'] {
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !KNOWN.has(name))) as ClientIdentity['extra'];
}

/** Where a row of counters is, its limits are those that held. */
function specOf(wire: JsonRecord, row: Named['row'], note: (why: string) => void): ClientSpec {
  const cap = row?.total ?? numberOf(wire['totalGB']) ?? 0;
  const expiry = row?.expiryTime ?? numberOf(wire['expiryTime']) ?? 0;
  if (row && (differs(wire['totalGB'], row.total) || differs(wire['expiryTime'], row.expiryTime)))
    note('its limits in the settings of the inbound are not those that held, which were taken');
  const inRange = Math.abs(expiry) <= LATEST_MS;
  if (!inRange) note('its expiry is beyond the year 9999, so it has none');
  if (cap < 0) note('its cap is below 0, so it has none');
  const { enable, limitIp, reset, reverse } = wire;
  return {
    enabled: enable !== false && (row?.enable ?? true),
    capBytes: Math.max(0, cap),
    expiresAt: inRange ? expiry : 0,
    limitIp: within(numberOf(limitIp), MOST_ADDRESSES, () => note('its limit of addresses is none, so it has none')),
    flow: textOf(wire['flow']),
    security: textOf(wire['security']),
    method: textOf(wire['method']),
    renewalDays: within(row?.reset ?? numberOf(reset), MOST_RESET_DAYS, () =>
      note('its renewal cannot be read, so it has none'),
    ),
    reverseTag: isObject(reverse) ? textOf(reverse['tag']) : '',
  };
}

const differs = (wire: Json | undefined, row: number | null): boolean => row !== null && (numberOf(wire) ?? 0) !== row;

function within(value: number | null, most: number, otherwise: () => void): number {
  if (value === null) return 0;
  if (value >= 0 && value <= most) return value;
  otherwise();
  return 0;
}

const safe = (value: number | null): number => (value !== null && Number.isSafeInteger(value) ? value : 0);

/** A text, or a number in its place, as clients of the panel's API send ids. */
function word(value: Json | undefined): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

function timeOf(value: Json | undefined): number {
  const time = numberOf(value) ?? 0;
  return time > 0 && time <= LATEST_MS ? time : 0;
}
