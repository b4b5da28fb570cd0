import { CounterTable, type NumberedGrowth } from '../../../events/traffic/counter-table.js';
import { type Counter, zero } from '../../../events/traffic/counters.js';
import type { AnyCommand } from '../../catalog.js';
import type { CoreCounters } from '../../ports/core.js';
import type { Growth } from '../../traffic/traffic.js';

/** The last recorded readings of a run's counters. */
export interface Baselines {
  readonly run: string | null;
  /** By client number. */
  readonly clients: CounterTable;
  /** By tag. */
  readonly inbounds: ReadonlyMap<string, Counter>;
  /** By tag. */
  readonly outbounds: ReadonlyMap<string, Counter>;
  /** The inbound to which the counter of a tag belongs. */
  readonly ownerOf: (tag: string) => number | undefined;
  /** Tags whose counters must be transferred to the inbound that has the tag now. */
  readonly toPassOn: () => readonly string[];
}

/** The counters of one run of a core, from zero. */
export interface Reading {
  readonly run: string;
  readonly counters: CoreCounters;
  /** Tags that the core no longer counts for the inbounds that gave them up. */
  readonly released: readonly string[];
}

/** A reading as a member of a cluster sends it: `[number or tag, up, down]` since the start of the run, in bytes. */
export interface SentReading {
  readonly run: string;
  readonly clients: readonly Growth[];
  readonly inbounds: readonly Growth<string>[];
  readonly outbounds: readonly Growth<string>[];
  readonly released: readonly string[];
}

/** The command that records a reading; null when the log has all of it, or it is not of the last run in the log. */
export function recordingOf({ run, counters, released }: Reading, before: Baselines): AnyCommand | null {
  if (before.run !== run) return null;
  const growth = growthOf(counters, before);
  const passedOn = passedOnOf(counters, before, released);
  if (growth.clients.length + growth.inbounds.length + growth.outbounds.length + passedOn.length === 0) return null;
  return { type: 'RecordTraffic', data: { run, ...growth, passedOn } };
}

/** The growth of each counter. A new counter starts at zero; one that fell is ignored. */
export function growthOf(
  counters: CoreCounters,
  recorded: Pick<Baselines, 'clients' | 'inbounds' | 'outbounds' | 'ownerOf'>,
) {
  return {
    clients: counters.clients.growthSince(recorded.clients),
    inbounds: grown(counters.inbounds, recorded.inbounds).flatMap(([tag, up, down]): Growth[] => {
      const owner = recorded.ownerOf(tag);
      return owner === undefined ? [] : [[owner, up, down]];
    }),
    outbounds: grown(counters.outbounds, recorded.outbounds),
  };
}

function grown(counters: ReadonlyMap<string, Counter>, recorded: ReadonlyMap<string, Counter>): Growth<string>[] {
  const growths: Growth<string>[] = [];
  for (const [key, { up, down }] of counters) {
    const before = recorded.get(key) ?? zero;
    if (up <= before.up && down <= before.down) continue;
    if (!Number.isSafeInteger(up) || !Number.isSafeInteger(down)) continue; // not a plausible reading
    growths.push([key, Math.max(0, up - before.up), Math.max(0, down - before.down)]);
  }
  return growths;
}

/** The readings of counters that are transferred; never below the recorded ones, as an earlier answer could be. */
function passedOnOf(counters: CoreCounters, recorded: Baselines, released: readonly string[]): Growth<string>[] {
  if (released.length === 0) return [];
  const pending = recorded.toPassOn().filter((tag) => released.includes(tag));
  return pending.map((tag) => {
    const { up, down } = counters.inbounds.get(tag) ?? zero;
    const before = recorded.inbounds.get(tag) ?? zero;
    return [tag, Math.max(up, before.up), Math.max(down, before.down)];
  });
}

const NOTHING = { clients: new CounterTable(), inbounds: new Map(), outbounds: new Map() };

/** What a log of another member may not have of a reading; null for nothing. The log of this one has `before`. */
export function sentOf({ run, counters, released }: Reading, before: Baselines): SentReading | null {
  const known = before.run === run ? before : NOTHING;
  const total = (counter: Counter | undefined): [number, number] => [counter?.up ?? 0, counter?.down ?? 0];
  const tagged = (now: ReadonlyMap<string, Counter>, then: ReadonlyMap<string, Counter>): Growth<string>[] => {
    const tags = new Set(grown(now, then).map(([tag]) => tag));
    for (const tag of released) if (now === counters.inbounds) tags.add(tag);
    return [...tags].map((tag) => [tag, ...total(now.get(tag))]);
  };
  const clients = counters.clients
    .growthSince(known.clients)
    .map(([number]): NumberedGrowth => [number, ...total(counters.clients.get(number))]);
  const [inbounds, outbounds] = [
    tagged(counters.inbounds, known.inbounds),
    tagged(counters.outbounds, known.outbounds),
  ];
  const isEmpty = clients.length + inbounds.length + outbounds.length + released.length === 0;
  return isEmpty ? null : { run, clients, inbounds, outbounds, released };
}

/** A reading from what a member has sent. Counters that it did not send have not grown. */
export function readingOf({ run, clients, inbounds, outbounds, released }: SentReading): Reading {
  const counters = ([tag, up, down]: Growth<string>): readonly [string, Counter] => [tag, { up, down }];
  return {
    run,
    counters: {
      clients: CounterTable.of(clients.map(([number, up, down]) => [number, { up, down }])),
      inbounds: new Map(inbounds.map(counters)),
      outbounds: new Map(outbounds.map(counters)),
    },
    released,
  };
}
