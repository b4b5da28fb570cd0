import { type Fold, foldOf, pairs } from '../events/fold.js';

/** What the log knows of the core process. */
export interface CoreState {
  readonly process: {
    readonly state: 'running' | 'stop' | 'error';
    readonly run: string | null;
    readonly version: string;
    /** When the run began, ms; 0 when none is up. */
    readonly since: number;
    readonly error: string;
    /** Whether it shall run. */
    readonly wanted: boolean;
  };
  /** Inbounds that the core does not take, with its reason. */
  readonly refused: Map<number, string>;
}
type Mutable = { process: CoreState['process']; refused: Map<number, string> };

const nothing: CoreState['process'] = { state: 'stop', run: null, version: '', since: 0, error: '', wanted: true };

export const coreState: Fold<CoreState> = foldOf<Mutable>({
  name: 'core-state',
  version: 1,
  initial: () => ({ process: nothing, refused: new Map() }),
  on: {
    CoreStopRequested: (state) => void (state.process = { ...state.process, wanted: false }),
    CoreRestartRequested: (state) => void (state.process = { ...state.process, wanted: true }),
    CoreStarted(state, { data: { run, version }, meta }) {
      const since = run === state.process.run ? state.process.since : meta.at;
      state.process = { ...state.process, state: 'running', run, version, since, error: '' };
    },
    CoreStopped: (state) => void (state.process = { ...state.process, state: 'stop', run: null, since: 0, error: '' }),
    CoreFailed(state, { data: { reason } }) {
      state.process = { ...state.process, state: 'error', run: null, since: 0, error: reason };
    },
    InboundRefusedByCore: (state, { data }) => void state.refused.set(data.inbound, data.reason),
    InboundAcceptedByCore: (state, { data }) => void state.refused.delete(data.inbound),
    InboundDeleted: (state, { data }) => void state.refused.delete(data.inbound),
  },
  save: ({ process, refused }) => ({ process, refused: pairs(refused) }),
  load: (saved: { process: CoreState['process']; refused: [number, string][] }) => ({
    process: saved.process,
    refused: new Map(saved.refused),
  }),
}) as Fold<CoreState>;
