import { type Fold, TRAFFIC } from '../events/log/fold.js';
import { begin, type Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';
import { type Counters, evolveCounters, noCounters } from '../events/traffic/counters.js';
import { evolveWithoutCounters, type PanelState, panelState } from './state.js';

/** `panelState` defines `save` and `load`; its snapshot has the same members. */
const withoutCounters: Fold<PanelState> = {
  ...panelState,
  ignores: TRAFFIC,
  apply: evolveWithoutCounters,
  save: (state) => ({ ...(panelState.save?.(state) as PanelState), counters: null }),
  load: (saved: PanelState) => ({ ...(panelState.load?.(saved as never) as PanelState), counters: noCounters() }),
};

const counters: Fold<Counters> = { name: 'state-counters', version: 1, initial: noCounters, apply: evolveCounters };

/** The write state in two parts that are replayed and saved separately. */
interface StateParts {
  readonly state: PanelState;
  readonly foldings: readonly Folding[];
  /** The position that both have reached. */
  readonly position: number;
}

/**
 * The write state from its snapshots. It has two, because a release often changes the shape of the state, but hardly ever the
 * counters: such a release replays the log without the traffic, which is most of it.
 */
export function beginState(snapshots: Pick<SnapshotStore, 'load'>): StateParts {
  const counted = begin(counters, snapshots);
  const rest = begin(withoutCounters, snapshots);
  const state: PanelState = { ...rest.state, counters: counted.state };
  return {
    state,
    foldings: [{ ...rest, state }, counted],
    get position() {
      return counted.position;
    },
  };
}

/** The parts of a state, for its snapshots. */
export const statePartsOf = (folding: Readonly<Folding<PanelState>>): readonly Readonly<Folding>[] => [
  {
    fold: withoutCounters as Fold<unknown>,
    get state() {
      return folding.state;
    },
    get position() {
      return folding.position;
    },
  },
  {
    fold: counters as Fold<unknown>,
    get state() {
      return folding.state.counters;
    },
    get position() {
      return folding.position;
    },
  },
];
