import type { ClientNumber, InboundId } from '../../../events/ids.js';
import { CounterTable } from '../../../events/traffic/counter-table.js';
import { client as clientRules } from '../../client/client.js';
import { Rejection } from '../../rejection.js';
import type { PanelState } from '../../state.js';
import { type Growth, trafficEffects } from '../../traffic/traffic.js';
import { type Baselines, growthOf, type Reading } from './readings.js';

/** Clients and inbounds that may no longer connect. */
interface Closed {
  readonly clients: ReadonlySet<ClientNumber>;
  readonly inbounds: ReadonlySet<InboundId>;
}

interface Parts {
  readonly state: PanelState;
  readonly recorded: () => Baselines;
  /** The run of the core; null = it does not run. */
  readonly run: () => string | null;
  /** Readings that no leader has recorded yet, oldest first. */
  readonly unrecorded: () => readonly Reading[];
  /** Whether the cluster has no leader that could close what has expired. */
  readonly isAlone: () => boolean;
  readonly close: (closed: Closed) => void;
  readonly now: () => number;
}

/**
 * Closes clients and inbounds of this machine whose limits are reached by what it has counted itself, before the leader has
 * recorded it. The leader decides the same when it gets the counters. Whose cap was raised meanwhile is open again with the
 * next reading.
 */
export class LocalLimits {
  readonly #parts: Parts;
  #last: Reading | null = null;
  #expired = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes each reading of the core. */
  observe(reading: Reading): void {
    this.#last = reading;
    this.apply();
  }

  /** Compares the counters and the clock with all limits. */
  apply(): void {
    const { state, now, close } = this.#parts;
    const clients = new Set<ClientNumber>();
    const inbounds = new Set<InboundId>();
    const grown = this.#growth();
    const reached = [...trafficEffects(state, grown.clients, grown.inbounds, now()), ...this.#expiries()];
    for (const { type, data } of reached) {
      if (type === 'ClientDepleted') clients.add(data.client);
      if (type === 'InboundDepleted') inbounds.add(data.inbound);
    }
    close({ clients, inbounds });
  }

  /** The growth that is not in the log, over all runs of the core. */
  #growth() {
    const before = this.#parts.recorded();
    // What a run before this one has counted is in the log unless it waits there.
    const last = this.#last?.run === this.#parts.run() ? this.#last : null;
    const runs = new Map([...this.#parts.unrecorded(), ...(last ? [last] : [])].map((each) => [each.run, each]));
    const growths = [...runs.values()].map(({ run, counters }) =>
      growthOf(counters, run === before.run ? before : { ...before, ...fromZero() }),
    );
    return {
      clients: summed(growths.flatMap(({ clients }) => clients)),
      inbounds: summed(growths.flatMap(({ inbounds }) => inbounds)),
    };
  }

  /** What has expired. With a leader, its clock decides; what this machine has closed before stays closed. */
  #expiries() {
    const { state, now, isAlone } = this.#parts;
    const decided = clientRules.DepleteExpired({}, state, { now: now(), by: 'system', owner: null, ownPorts: [] });
    const due = decided instanceof Rejection ? [] : decided;
    const isNew = isAlone();
    const kept = due.filter((event) => isNew || this.#expired.has(JSON.stringify(event.data)));
    this.#expired = new Set(kept.map((event) => JSON.stringify(event.data)));
    return kept;
  }
}

const fromZero = () => ({
  clients: new CounterTable(),
  inbounds: new Map<string, never>(),
  outbounds: new Map<string, never>(),
});

function summed(growths: readonly Growth[]): readonly Growth[] {
  const sums = new Map<number, Growth>();
  for (const [number, up, down] of growths) {
    const [, upBefore, downBefore] = sums.get(number) ?? [number, 0, 0];
    sums.set(number, [number, upBefore + up, downBefore + down]);
  }
  return [...sums.values()];
}
