import { asSystem } from '../commands/bus.js';
import type { AnyCommand } from '../commands/catalog.js';
import { isWithoutLeader, type MemberMachine } from '../commands/ports/cluster/machine.js';
import { dispatchAs } from '../commands/reactors/dispatch-as.js';
import { LocalLimits } from '../commands/reactors/traffic/local-limits.js';
import { type Reading, recordingOf } from '../commands/reactors/traffic/readings.js';
import type { PanelStore } from '../store/panel-store.js';

interface Parts {
  readonly store: PanelStore;
  /** The membership in a cluster; null = this machine is alone. */
  readonly member: MemberMachine | null;
  /** Keeps what a member has not recorded yet. */
  readonly file: string;
  /** The run of the core, with its version; null = it does not run. */
  readonly running: () => { readonly run: string; readonly version: string } | null;
  readonly now: () => number;
  readonly warn: (message: string, fields?: object) => void;
}

/** How the core of this machine is recorded: here, or by the leader of the cluster. */
export interface MachineRecording {
  /** The name of this machine in the cluster; null = it is alone. */
  readonly machine: string | null;
  /** Records what happens to the core. */
  readonly core: (command: AnyCommand) => void;
  readonly reading: (reading: Reading) => void | Promise<void>;
  readonly applyTime: () => void;
  /** Records what is observed of connections. A member without a leader observes it again later. */
  readonly observed: (name: string) => (command: AnyCommand) => void;
}

export function machineRecording(parts: Parts): MachineRecording {
  return parts.member ? memberRecording(parts, parts.member) : aloneRecording(parts);
}

function applyTime({ store, warn }: Parts): void {
  const dispatch = dispatchAs('traffic-intake', store.dispatch, warn);
  try {
    dispatch({ type: 'BeginPeriods', data: {} });
  } catch (error) {
    warn('terms and periods could not be started', { error: String(error) });
  }
  dispatch({ type: 'DepleteExpired', data: {} });
}

function aloneRecording(parts: Parts): MachineRecording {
  const { store, warn } = parts;
  const dispatch = dispatchAs('traffic-intake', store.dispatch, warn);
  return {
    machine: null,
    core: dispatchAs('core', store.dispatch, warn),
    reading(reading) {
      const command = recordingOf(reading, store.read.usage.baselines(null));
      if (command) dispatch(command);
    },
    applyTime: () => applyTime(parts),
    observed: (name) => dispatchAs(name, store.dispatch, warn),
  };
}

/** Commands about one core, which name its machine. */
const OF_MACHINE: ReadonlySet<string> = new Set<AnyCommand['type']>([
  ...(['RecordCoreStarted', 'RecordCoreStopped', 'RecordCoreFailed', 'RecordCoreDrift'] as const),
]);

function memberRecording(parts: Parts, member: MemberMachine): MachineRecording {
  const { store, file, running, now, warn } = parts;
  const { read, dispatch } = store;
  const { name, calls } = member;
  const baselines = (machine: string) => read.usage.baselines(machine);
  const core = (command: AnyCommand): void =>
    calls.machine.command(
      OF_MACHINE.has(command.type) ? ({ ...command, data: { ...command.data, machine: name } } as AnyCommand) : command,
    );
  const limits = new LocalLimits({
    state: store.state.state,
    recorded: () => baselines(name),
    run: () => running()?.run ?? null,
    unrecorded: () => calls.machine.unrecorded(),
    isAlone: () => isWithoutLeader(member),
    close: (closed) => read.desired.close(closed),
    now,
  });
  calls.machine.begin({
    ...{ file, dispatch, baselines },
    unknownRun(run) {
      const current = running();
      if (current?.run === run)
        core({ type: 'RecordCoreStarted', data: { run, version: current.version, reason: 'adopted' } });
      else warn('the cluster does not know a run of the core: what it has counted is lost', { run });
    },
  });
  return {
    ...{ machine: name, core },
    async reading(reading) {
      limits.observe(reading);
      await calls.machine.reading(reading, baselines(name));
    },
    applyTime() {
      if (member.isLeader && member.refusal() === null) applyTime(parts);
      limits.apply();
    },
    observed(part) {
      const here = dispatchAs(part, dispatch, warn);
      return (command) => {
        if (isWithoutLeader(member)) return;
        if (member.isLeader) here(command);
        else calls.record(command, asSystem(part));
      };
    },
  };
}
