import type { Entry, Flow } from '../../events/log/ledger-store.js';
import { type Counter, zero } from '../../events/traffic/counters.js';
import { dayText } from '../../lib/time/days.js';
import type { Text } from '../../messages/message.js';
import type { Account } from '../core/accounts.js';

/** The bytes of one day that one machine counted for one client. */
interface StatementSource extends Counter {
  /** This machine, or a node. */
  readonly source: Text;
  readonly client: number;
  /** The tag of the inbound of that client. */
  readonly inbound: Text;
}

/** A change of the counter other than counted bytes, or of the client itself; up and down are the difference. */
interface StatementEntry extends Counter {
  readonly at: number;
  readonly position: number;
  readonly client: number;
  readonly kind: Entry['kind'];
  /** Of a reset `manual`, or the rule that caused it; empty for other entries. */
  readonly rule: 'manual' | Entry['rule'];
  readonly what: Text;
  readonly by: Text;
}

interface StatementDay {
  readonly date: string;
  readonly sources: readonly StatementSource[];
  readonly entries: readonly StatementEntry[];
  /** The counter at the end of the day. */
  readonly balance: Counter;
}

/** The traffic between two days, both inclusive, and all changes of the counter: `opening + used + changed = closing`. */
export interface Statement {
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly clients: readonly {
    readonly client: number;
    readonly inbound: Text;
    readonly since: number;
    readonly until: number | null;
  }[];
  readonly opening: Counter;
  readonly used: Counter;
  readonly changed: Counter;
  readonly closing: Counter;
  /** Days with traffic or changes. */
  readonly days: readonly StatementDay[];
}

/** The texts for the numbers and entries of a ledger. */
export interface StatementNames {
  readonly inbound: (id: number) => Text;
  readonly node: (id: number) => Text;
  readonly entry: (entry: Entry) => { readonly what: Text; readonly by: Text };
}

interface Day {
  /** The sum of each client and node. */
  readonly flows: Map<string, Flow>;
  readonly entries: Entry[];
}

/**
 * The statement of an account for two days and those between, numbered as in `Days`. Lines of a day after `today`, which a
 * wrong clock recorded, are shown under `today`.
 */
export function statementOf(
  all: Account,
  { zone, today }: { readonly zone: string; readonly today: number },
  [from, to]: readonly [from: number, to: number],
  names: StatementNames,
): Statement {
  const account = { ...all, flows: upTo(all.flows, today), entries: upTo(all.entries, today) };
  const inbounds = new Map(account.clients.map(({ client, inbound }) => [client, inbound]));
  const inboundOf = (client: number): Text => names.inbound(inbounds.get(client) ?? 0);
  const opening = [
    ...account.flows.filter(({ day }) => day < from),
    ...account.entries.filter(({ day }) => day < from),
  ].reduce(plus, zero);
  const flows = account.flows.filter(({ day }) => day >= from && day <= to);
  const entries = account.entries.filter(({ day }) => day >= from && day <= to);
  const used = flows.reduce(plus, zero);
  const changed = entries.reduce(plus, zero);
  let balance = opening;
  return {
    ...{ zone, from: dayText(from), to: dayText(to) },
    clients: account.clients.map(({ client, since, until }) => ({ client, inbound: inboundOf(client), since, until })),
    ...{ opening, used, changed, closing: plus(plus(opening, used), changed) },
    days: byDay(flows, entries).map(([day, { flows: sums, entries: own }]) => {
      const sources = [...sums.values()].sort((a, b) => a.client - b.client || a.node - b.node);
      balance = [...sources, ...own].reduce(plus, balance);
      const ordered = own.sort((a, b) => a.position - b.position || a.up + a.down - b.up - b.down);
      return {
        date: dayText(day),
        sources: sources.map(({ client, node, up, down }) => ({
          ...{ source: names.node(node), client, inbound: inboundOf(client), up, down },
        })),
        entries: ordered.map((entry) => shown(entry, names)),
        balance,
      };
    }),
  };
}

function upTo<L extends { readonly day: number }>(lines: readonly L[], today: number): readonly L[] {
  return lines.map((line) => (line.day > today ? { ...line, day: today } : line));
}

function byDay(flows: readonly Flow[], entries: readonly Entry[]): readonly (readonly [number, Day])[] {
  const days = new Map<number, Day>();
  const dayOf = (day: number): Day => {
    const known = days.get(day) ?? { flows: new Map(), entries: [] };
    days.set(day, known);
    return known;
  };
  for (const flow of flows) {
    const { flows: sums } = dayOf(flow.day);
    const key = `${flow.node}/${flow.client}`;
    sums.set(key, { ...flow, ...plus(sums.get(key) ?? zero, flow) });
  }
  for (const entry of entries) dayOf(entry.day).entries.push(entry);
  return [...days].sort(([a], [b]) => a - b);
}

function shown(entry: Entry, names: StatementNames): StatementEntry {
  const { at, position, client, kind, up, down, rule } = entry;
  return {
    ...{ at, position, client, kind, rule: kind === 'reset' ? rule || 'manual' : '' },
    ...names.entry(entry),
    ...{ up, down },
  };
}

function plus(a: Counter, b: Counter): Counter {
  return { up: a.up + b.up, down: a.down + b.down };
}
