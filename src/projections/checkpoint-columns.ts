import type { ClientSpec } from '../events/client/client.js';
import type { Client } from '../events/client/client-document.js';
import type { Counter } from '../events/traffic/counters.js';

/** The rarely changing part of a client. */
export type Identity = Pick<Client, 'number' | 'keyVersion' | 'identity' | 'credential'>;

/**
 * The values of one member of many documents; a single one if all are equal. JSON of columns is read in a quarter of the time
 * of JSON of documents, because it does not repeat the names.
 */
type Column<T> = readonly T[];

function columnOf<R, T>(rows: readonly R[], valueOf: (row: R) => T): Column<T> {
  const values = rows.map(valueOf);
  const [first] = values;
  return values.every((value) => value === first) ? values.slice(0, 1) : values;
}

const at = <T>(column: Column<T>, row: number): T => (column.length === 1 ? column[0] : column[row]) as T;

type ColumnsOf<T> = { readonly [K in keyof T]-?: Column<T[K]> };

/** Clients without their identities. `firstEnd` is null where it is missing. */
export interface Terms extends ColumnsOf<Omit<Client, keyof Identity | 'spec' | 'firstEnd'>> {
  readonly spec: ColumnsOf<ClientSpec>;
  readonly firstEnd: Column<number | null>;
}

export function termsOf(clients: readonly Client[]): Terms {
  return {
    inbound: columnOf(clients, ({ inbound }) => inbound),
    depletion: columnOf(clients, ({ depletion }) => depletion),
    depletedAt: columnOf(clients, ({ depletedAt }) => depletedAt),
    createdAt: columnOf(clients, ({ createdAt }) => createdAt),
    updatedAt: columnOf(clients, ({ updatedAt }) => updatedAt),
    firstEnd: columnOf(clients, ({ firstEnd }) => firstEnd ?? null),
    spec: {
      enabled: columnOf(clients, ({ spec }) => spec.enabled),
      capBytes: columnOf(clients, ({ spec }) => spec.capBytes),
      expiresAt: columnOf(clients, ({ spec }) => spec.expiresAt),
      limitIp: columnOf(clients, ({ spec }) => spec.limitIp),
      flow: columnOf(clients, ({ spec }) => spec.flow),
      security: columnOf(clients, ({ spec }) => spec.security),
      method: columnOf(clients, ({ spec }) => spec.method),
      renewalDays: columnOf(clients, ({ spec }) => spec.renewalDays),
      reverseTag: columnOf(clients, ({ spec }) => spec.reverseTag),
    },
  };
}

/** The client in a row of the terms. */
export function clientIn(terms: Terms, row: number, { number, keyVersion, identity, credential }: Identity): Client {
  const { spec } = terms;
  const client: Required<Omit<Client, 'firstEnd'>> = {
    number,
    inbound: at(terms.inbound, row),
    spec: {
      enabled: at(spec.enabled, row),
      capBytes: at(spec.capBytes, row),
      expiresAt: at(spec.expiresAt, row),
      limitIp: at(spec.limitIp, row),
      flow: at(spec.flow, row),
      security: at(spec.security, row),
      method: at(spec.method, row),
      renewalDays: at(spec.renewalDays, row),
      reverseTag: at(spec.reverseTag, row),
    } satisfies Required<ClientSpec>,
    identity,
    keyVersion,
    credential,
    depletion: at(terms.depletion, row),
    depletedAt: at(terms.depletedAt, row),
    createdAt: at(terms.createdAt, row),
    updatedAt: at(terms.updatedAt, row),
  };
  const firstEnd = at(terms.firstEnd, row);
  return firstEnd === null ? client : { ...client, firstEnd };
}

/** Entries of a map with counters or numbers. */
export type Entries = { readonly keys: readonly unknown[] } & (
  | ColumnsOf<Counter>
  | { readonly numbers: Column<number> }
);

/** The elements of a map as columns; null if they are neither numbers nor counters. */
export function entriesOf(elements: readonly unknown[]): Entries | null {
  if (!elements.every(isEntry)) return null;
  const keys = elements.map(([key]) => key);
  const values = elements.map(([, value]) => value);
  if (values.every(isNumber)) return { keys, numbers: columnOf(values, (value) => value) };
  if (values.every(isCounter))
    return { keys, up: columnOf(values, ({ up }) => up), down: columnOf(values, ({ down }) => down) };
  return null;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isEntry = (element: unknown): element is readonly [key: string | number, value: unknown] =>
  Array.isArray(element) && element.length === 2 && (typeof element[0] === 'string' || isNumber(element[0]));

function isCounter(value: unknown): value is Counter {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { up, down } = value as Partial<Counter>;
  return isNumber(up) && isNumber(down);
}

export function putEntries(map: Map<unknown, unknown>, entries: Entries): void {
  for (let row = 0; row < entries.keys.length; row += 1) {
    const value =
      'numbers' in entries ? at(entries.numbers, row) : { up: at(entries.up, row), down: at(entries.down, row) };
    map.set(entries.keys[row], value);
  }
}
