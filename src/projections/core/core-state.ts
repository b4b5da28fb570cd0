import { type Fold, foldOf } from '../../events/log/fold.js';
import type { Text } from '../../messages/message.js';

/** A core process, from the log. */
interface CoreProcessState {
  readonly state: 'running' | 'stop' | 'error';
  readonly run: string | null;
  readonly version: string;
  /** When the run started, ms; 0 = none is running. */
  readonly since: number;
  /** Why the last run failed; null = it did not fail. */
  readonly error: Text | null;
}

/** The state of the cores, from the log. */
interface CoreState {
  /** By machine; `''` = this panel is alone. */
  readonly processes: Map<string, CoreProcessState>;
  /** Whether they should run. */
  readonly wanted: boolean;
  /** Inbounds that the core rejects, with the reasons. */
  readonly refused: Map<number, Text>;
  readonly choice: {
    /** The installed version that was not rolled back; null = none yet. */
    readonly version: string | null;
    /** The newest installation: the version to roll back to, and since when (ms) the new version runs; null = not yet. */
    readonly trial: { readonly from: string | null; readonly since: number | null } | null;
  };
}
type Mutable = Pick<CoreState, 'processes' | 'refused'> & { wanted: boolean; choice: CoreState['choice'] };

const nothing: CoreProcessState = { state: 'stop', run: null, version: '', since: 0, error: null };

/** The state of the core of one machine; null = the panel is alone. */
export function coreOf({ processes, wanted, refused, choice }: CoreState, machine: string | null) {
  return { process: { ...(processes.get(machine ?? '') ?? nothing), wanted }, refused, choice };
}
export type MachineCore = ReturnType<typeof coreOf>;

function ended({ processes }: Mutable, machine = '', error: Text | null = null): void {
  const { version } = processes.get(machine) ?? nothing;
  processes.set(machine, { ...nothing, version, state: error === null ? 'stop' : 'error', error });
}

export const coreState: Fold<CoreState> = foldOf<Mutable>({
  name: 'core-state',
  version: 5,
  initial: () => ({
    processes: new Map(),
    wanted: true,
    refused: new Map(),
    choice: { version: null, trial: null },
  }),
  on: {
    CoreStopRequested: (state) => void (state.wanted = false),
    CoreRestartRequested: (state) => void (state.wanted = true),
    CoreStarted(state, { data: { run, version, machine = '' }, meta }) {
      // A panel that joins or leaves a cluster adopts its core under another name.
      const [name, before] = [...state.processes].find(([, process]) => process.run === run) ?? [machine, null];
      if (name !== machine) state.processes.delete(name);
      state.processes.set(machine, { state: 'running', run, version, since: before?.since ?? meta.at, error: null });
      const { trial } = state.choice;
      if (trial?.since === null && version === state.choice.version)
        state.choice = { ...state.choice, trial: { ...trial, since: meta.at } };
    },
    CoreStopped: (state, { data: { machine } }) => ended(state, machine),
    CoreFailed: (state, { data: { machine, reason } }) => ended(state, machine, reason),
    MemberRemoved: (state, { data: { member } }) => void state.processes.delete(member),
    // The run belonged to the machine that the file came from.
    StateImported: (state) => ended(state),
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
