import type { Fold } from '../../events/log/fold.js';
import { CounterTable } from '../../events/traffic/counter-table.js';
import { type Counter, zero } from '../../events/traffic/counters.js';

/**
 * How far each counter of the running cores has been recorded. A run's counters begin at zero and every growth is an
 * event, so the sum over the run is the counter's last recorded value, also after a crash of the panel.
 *
 * A client has its own counters under any name. The counters of an inbound are under its tag, which another inbound may get
 * later in the same run. The core learns that after the log, so an event records when the counter was handed over.
 */
interface Baselines {
  /** By machine; `''` = this panel is alone. */
  readonly machines: Map<string, RunBaselines>;
  /** The tag that each inbound has. */
  readonly tags: Map<number, string>;
}

/** The same for the core of one machine. */
interface RunBaselines {
  readonly run: string;
  /** By client number, deleted ones included. */
  readonly clients: CounterTable;
  /** By tag. */
  readonly inbounds: Map<string, Counter>;
  /** By tag. */
  readonly outbounds: Map<string, Counter>;
  /** The tag under which the core may still count an inbound that has a new tag, or was deleted. */
  readonly previousTags: Map<number, string>;
}

/** The values in a snapshot. Counters change in place, so they must not be in values of a map. */
type SavedRun = Omit<RunBaselines, 'clients'> & { readonly clients: Map<number, Counter> };
type SavedBaselines = Omit<Baselines, 'machines'> & { readonly machines: Readonly<Record<string, SavedRun>> };

export const baselines: Fold<Baselines> = {
  name: 'baselines',
  version: 5,
  initial: () => ({ machines: new Map(), tags: new Map() }),
  apply(state, event) {
    switch (event.type) {
      case 'CoreStarted':
        begin(state, event.data.machine ?? '', event.data.run);
        break;
      case 'TrafficRecorded': {
        const run = runOf(state, event.data.run);
        if (!run) break;
        for (const [client, up, down] of event.data.clients) run.clients.add(client, up, down);
        for (const [inbound, up, down] of event.data.inbounds)
          grow(run.inbounds, run.previousTags.get(inbound) ?? state.tags.get(inbound), up, down);
        for (const [tag, up, down] of event.data.outbounds) grow(run.outbounds, tag, up, down);
        break;
      }
      case 'InboundCountersReleased': {
        const run = runOf(state, event.data.run);
        for (const [tag, up, down] of event.data.counters) if (run) passOn(run, tag, { up, down });
        break;
      }
      case 'InboundAdded':
        state.tags.set(event.data.inbound, event.data.spec.tag);
        break;
      case 'InboundUpdated':
        if (event.data.changes.tag !== undefined) leaveTag(state, event.data.inbound, event.data.changes.tag);
        break;
      case 'InboundDeleted':
        leaveTag(state, event.data.inbound, null);
        break;
      default:
    }
  },
  save: ({ machines, tags }): SavedBaselines => ({
    machines: Object.fromEntries([...machines].map(([name, run]) => [name, { ...run, clients: new Map(run.clients) }])),
    tags,
  }),
  load: ({ machines, tags }: SavedBaselines) => ({
    machines: new Map(
      Object.entries(machines).map(([name, run]) => [name, { ...run, clients: CounterTable.of(run.clients) }]),
    ),
    tags,
  }),
};

/** The counters of one machine that no core has run on. */
const none = (): Omit<RunBaselines, 'run'> => ({
  clients: new CounterTable(),
  inbounds: new Map(),
  outbounds: new Map(),
  previousTags: new Map(),
});

/** The counters of the last run of a machine; null = the panel is alone. */
export function baselinesOf({ machines, tags }: Baselines, machine: string | null) {
  return { ...(machines.get(machine ?? '') ?? { run: null, ...none() }), tags };
}
type OfMachine = Pick<ReturnType<typeof baselinesOf>, 'tags' | 'previousTags'>;

/** The inbound that the core counts under a tag: the first one with this tag, until the log records the handover. */
export function counterOwner({ tags, previousTags }: OfMachine, tag: string): number | undefined {
  // Others that had the tag since were added later.
  const owners = [...previousTags].filter(([, own]) => own === tag).map(([inbound]) => inbound);
  if (owners.length > 0) return Math.min(...owners);
  for (const [inbound, own] of tags) if (own === tag && !previousTags.has(inbound)) return inbound;
  return undefined;
}

/** Tags under which the core may still count an inbound that no longer has the tag. */
export function tagsToPassOn({ previousTags }: Pick<OfMachine, 'previousTags'>): readonly string[] {
  return [...new Set(previousTags.values())];
}

function runOf({ machines }: Baselines, run: string): RunBaselines | undefined {
  for (const one of machines.values()) if (one.run === run) return one;
  return undefined;
}

/** The counters of a new run begin at zero. One that was taken over keeps them, also under another name of its machine. */
function begin(state: Baselines, machine: string, run: string): void {
  const known = runOf(state, run);
  for (const [name, one] of state.machines) if (one === known) state.machines.delete(name);
  state.machines.set(machine, known ?? { run, ...none() });
}

function passOn(run: RunBaselines, tag: string, counter: Counter): void {
  run.inbounds.set(tag, counter);
  for (const [inbound, previous] of run.previousTags) if (previous === tag) run.previousTags.delete(inbound);
}

function leaveTag(state: Baselines, inbound: number, next: string | null): void {
  const before = state.tags.get(inbound);
  // A core never had the tags in between. Which machine has run the inbound does not matter.
  for (const { previousTags } of state.machines.values())
    if (before !== undefined && !previousTags.has(inbound)) previousTags.set(inbound, before);
  if (next === null) state.tags.delete(inbound);
  else state.tags.set(inbound, next);
}

function grow<K>(counters: Map<K, Counter>, key: K | undefined, up: number, down: number): void {
  if (key === undefined) return;
  const before = counters.get(key) ?? zero;
  counters.set(key, { up: before.up + up, down: before.down + down });
}
