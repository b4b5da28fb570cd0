import { type Counter, zero } from '../../events/counters.js';
import type { Entry, Flow } from '../../events/log/ledger-store.js';
import { dayText } from '../../lib/time/days.js';
import type { Account } from '../core/accounts.js';

/** Bytes of one day from one machine, booked to one client. */
export interface StatementSource extends Counter {
  /** `this machine`, or the name of the node. */
  readonly source: string;
  readonly client: number;
  /** The tag of the inbound of that client. */
  readonly inbound: string;
}

/** Something that set, gave or took bytes, or began or ended a client: up and down are what it changed. */
export interface StatementEntry extends Counter {
  readonly at: number;
  readonly position: number;
  readonly client: number;
  readonly kind: Entry['kind'];
  /** `by hand`, or the rule that a reset follows from; empty for what is no reset. */
  readonly rule: string;
  readonly what: string;
  readonly by: string;
}

export interface StatementDay {
  readonly date: string;
  readonly sources: readonly StatementSource[];
  readonly entries: readonly StatementEntry[];
  /** The counter at the end of the day. */
  readonly balance: Counter;
}

/**
 * What a person used between two days, both included, and how the counter came from one value to the other:
 * `opening + used + changed = closing`.
 */
export interface Statement {
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly clients: readonly {
    readonly client: number;
    readonly inbound: string;
    readonly since: number;
    readonly until: number | null;
  }[];
  readonly opening: Counter;
  readonly used: Counter;
  readonly changed: Counter;
  readonly closing: Counter;
  /** Those on which something happened. */
  readonly days: readonly StatementDay[];
}

/** What numbers are called, and who was behind an entry. */
export interface StatementNames {
  readonly inbound: (id: number) => string;
  readonly node: (id: number) => string;
  readonly told: (entry: Entry) => { readonly what: string; readonly by: string };
}

interface Day {
  readonly sources: Map<string, StatementSource>;
  readonly entries: Entry[];
}

/**
 * The statement of an account from one day to another, counted as in `Days`. `today`: nothing is of a later day, whatever the
 * clock showed when it was recorded.
 */
export function statementOf(
  all: Account,
  { zone, today }: { readonly zone: string; readonly today: number },
  [from, to]: readonly [from: number, to: number],
  names: StatementNames,
): Statement {
  const account = { ...all, flows: upTo(all.flows, today), entries: upTo(all.entries, today) };
  const inboundOf = new Map(account.clients.map(({ client, inbound }) => [client, names.inbound(inbound)]));
  const opening = [
    ...account.flows.filter(({ day }) => day < from),
    ...account.entries.filter(({ day }) => day < from),
  ].reduce(plus, zero);
  const found = new Map<number, Day>();
  const dayOf = (day: number): Day => {
    const known = found.get(day) ?? { sources: new Map(), entries: [] };
    found.set(day, known);
    return known;
  };
  const flows = account.flows.filter(({ day }) => day >= from && day <= to);
  for (const flow of flows) book(dayOf(flow.day), flow, inboundOf.get(flow.client) ?? '', names);
  const entries = account.entries.filter(({ day }) => day >= from && day <= to);
  for (const entry of entries) dayOf(entry.day).entries.push(entry);
  const used = flows.reduce(plus, zero);
  const changed = entries.reduce(plus, zero);
  let balance = opening;
  return {
    ...{ zone, from: dayText(from), to: dayText(to) },
    clients: account.clients.map(({ client, since, until }) => ({
      ...{ client, inbound: inboundOf.get(client) ?? '', since, until },
    })),
    ...{ opening, used, changed, closing: plus(plus(opening, used), changed) },
    days: [...found]
      .sort(([a], [b]) => a - b)
      .map(([day, { sources, entries: some }]) => {
        balance = [...sources.values(), ...some].reduce(plus, balance);
        const ordered = some.sort((a, b) => a.position - b.position || a.up + a.down - b.up - b.down);
        return {
          date: dayText(day),
          sources: [...sources.values()].sort(bySource),
          entries: ordered.map((entry) => shown(entry, names)),
          balance,
        };
      }),
  };
}

function upTo<L extends { readonly day: number }>(lines: readonly L[], today: number): readonly L[] {
  return lines.map((line) => (line.day > today ? { ...line, day: today } : line));
}

function book({ sources }: Day, { client, node, up, down }: Flow, inbound: string, names: StatementNames): void {
  const key = `${node}/${client}`;
  const source = node === 0 ? 'this machine' : names.node(node);
  sources.set(key, { source, client, inbound, ...plus(sources.get(key) ?? zero, { up, down }) });
}

function shown(entry: Entry, names: StatementNames): StatementEntry {
  const { at, position, client, kind, up, down, rule } = entry;
  return {
    at,
    position,
    client,
    kind,
    rule: kind === 'reset' ? rule || 'by hand' : '',
    ...names.told(entry),
    up,
    down,
  };
}

const bySource = (a: StatementSource, b: StatementSource): number =>
  a.client - b.client || (a.source < b.source ? -1 : a.source > b.source ? 1 : 0);

function plus(a: Counter, b: Counter): Counter {
  return { up: a.up + b.up, down: a.down + b.down };
}
