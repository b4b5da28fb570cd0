import { type Fold, foldOf } from '../../events/log/fold.js';
import type { Text } from '../../messages/message.js';

/** The state of the core process, from the log. */
export interface CoreState {
  readonly process: {
    readonly state: 'running' | 'stop' | 'error';
    readonly run: string | null;
    readonly version: string;
    /** When the run started, ms; 0 = none is running. */
    readonly since: number;
    /** Why the last run failed; null = it did not fail. */
    readonly error: Text | null;
    /** Whether it should run. */
    readonly wanted: boolean;
  };
  /** Inbounds that the core rejects, with the reasons. */
  readonly refused: Map<number, Text>;
  readonly choice: {
    /** The installed version that was not rolled back; null = none yet. */
    readonly version: string | null;
    /** The newest installation: the version to roll back to, and since when (ms) the new version runs; null = not yet. */
    readonly trial: { readonly from: string | null; readonly since: number | null } | null;
  };
}
type Mutable = { process: CoreState['process']; refused: Map<number, Text>; choice: CoreState['choice'] };

const nothing: CoreState['process'] = { state: 'stop', run: null, version: '', since: 0, error: null, wanted: true };

export const coreState: Fold<CoreState> = foldOf<Mutable>({
  name: 'core-state',
  version: 4,
  initial: () => ({ process: nothing, refused: new Map(), choice: { version: null, trial: null } }),
  on: {
    CoreStopRequested: (state) => void (state.process = { ...state.process, wanted: false }),
    CoreRestartRequested: (state) => void (state.process = { ...state.process, wanted: true }),
    CoreStarted(state, { data: { run, version }, meta }) {
      const since = run === state.process.run ? state.process.since : meta.at;
      state.process = { ...state.process, state: 'running', run, version, since, error: null };
      const { trial } = state.choice;
      if (trial?.since === null && version === state.choice.version)
        state.choice = { ...state.choice, trial: { ...trial, since: meta.at } };
    },
    CoreStopped: (state) =>
      void (state.process = { ...state.process, state: 'stop', run: null, since: 0, error: null }),
    CoreFailed(state, { data: { reason } }) {
      state.process = { ...state.process, state: 'error', run: null, since: 0, error: reason };
    },
    // The run belonged to the machine that the file came from.
    StateImported: (state) =>
      void (state.process = { ...state.process, state: 'stop', run: null, since: 0, error: null }),
    CoreVersionInstalled(state, { data: { version, previousVersion: from } }) {
      state.choice = { version, trial: { from, since: null } };
    },
    CoreVersionRolledBack: (state, { data: { restoredVersion: to } }) =>
      void (state.choice = { version: to, trial: null }),
    InboundRejectedByCore: (state, { data }) => void state.refused.set(data.inbound, data.reason),
    InboundAcceptedByCore: (state, { data }) => void state.refused.delete(data.inbound),
    InboundDeleted: (state, { data }) => void state.refused.delete(data.inbound),
  },
}) as Fold<CoreState>;
