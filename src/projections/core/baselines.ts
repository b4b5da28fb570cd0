import type { Fold } from '../../events/log/fold.js';
import { CounterTable } from '../../events/traffic/counter-table.js';
import { type Counter, zero } from '../../events/traffic/counters.js';

/**
 * How far each counter of the running core has been recorded. A run's counters begin at zero and every growth is an
 * event, so the sum over the run is the counter's last recorded value, also after a crash of the panel.
 *
 * A client has its own counters under any name. The counters of an inbound are under its tag, which another inbound may get
 * later in the same run. The core learns that after the log, so an event records when the counter was handed over.
 */
export interface Baselines {
  run: string | null;
  /** By client number, deleted ones included. */
  readonly clients: CounterTable;
  /** By tag. */
  readonly inbounds: Map<string, Counter>;
  /** By tag. */
  readonly outbounds: Map<string, Counter>;
  /** The tag that each inbound has. */
  readonly tags: Map<number, string>;
  /** The tag under which the core may still count an inbound that has a new tag, or was deleted. */
  readonly previousTags: Map<number, string>;
}

/** The value in a snapshot. */
type SavedBaselines = Omit<Baselines, 'clients'> & { readonly clients: Map<number, Counter> };

export const baselines: Fold<Baselines> = {
  name: 'baselines',
  version: 4,
  initial: () => ({
    run: null,
    clients: new CounterTable(),
    inbounds: new Map(),
    outbounds: new Map(),
    tags: new Map(),
    previousTags: new Map(),
  }),
  apply(state, event) {
    switch (event.type) {
      case 'CoreStarted':
        if (event.data.run !== state.run) begin(state, event.data.run); // else the same run, taken over
        break;
      case 'TrafficRecorded':
        if (event.data.run !== state.run) break;
        for (const [client, up, down] of event.data.clients) state.clients.add(client, up, down);
        for (const [inbound, up, down] of event.data.inbounds)
          grow(state.inbounds, countedAs(state, inbound), up, down);
        for (const [tag, up, down] of event.data.outbounds) grow(state.outbounds, tag, up, down);
        break;
      case 'InboundCountersReleased':
        if (event.data.run !== state.run) break;
        for (const [tag, up, down] of event.data.counters) passOn(state, tag, { up, down });
        break;
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
  save: (state): SavedBaselines => ({ ...state, clients: new Map(state.clients) }),
  load: (saved: SavedBaselines) => ({ ...saved, clients: CounterTable.of(saved.clients) }),
};

/** The inbound that the core counts under a tag: the first one with this tag, until the log records the handover. */
export function counterOwner({ tags, previousTags }: Baselines, tag: string): number | undefined {
  // Others that had the tag since were added later.
  const owners = [...previousTags].filter(([, own]) => own === tag).map(([inbound]) => inbound);
  if (owners.length > 0) return Math.min(...owners);
  for (const [inbound, own] of tags) if (own === tag && !previousTags.has(inbound)) return inbound;
  return undefined;
}

/** Tags under which the core may still count an inbound that no longer has the tag. */
export function tagsToPassOn({ previousTags }: Baselines): readonly string[] {
  return [...new Set(previousTags.values())];
}

/** Resets the counters; each inbound is counted under its current tag. */
function begin(state: Baselines, run: string): void {
  state.run = run;
  for (const all of [state.clients, state.inbounds, state.outbounds, state.previousTags]) all.clear();
}

function passOn(state: Baselines, tag: string, counter: Counter): void {
  state.inbounds.set(tag, counter);
  for (const [inbound, previous] of state.previousTags) if (previous === tag) state.previousTags.delete(inbound);
}

function countedAs({ tags, previousTags }: Baselines, inbound: number): string | undefined {
  return previousTags.get(inbound) ?? tags.get(inbound);
}

function leaveTag(state: Baselines, inbound: number, next: string | null): void {
  const before = state.tags.get(inbound);
  // The core never had the tags in between.
  if (before !== undefined && state.run !== null && !state.previousTags.has(inbound))
    state.previousTags.set(inbound, before);
  if (next === null) state.tags.delete(inbound);
  else state.tags.set(inbound, next);
}

function grow<K>(counters: Map<K, Counter>, key: K | undefined, up: number, down: number): void {
  if (key === undefined) return;
  const before = counters.get(key) ?? zero;
  counters.set(key, { up: before.up + up, down: before.down + down });
}
