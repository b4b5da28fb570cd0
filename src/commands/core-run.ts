import type { RecordedEvent } from '../events/catalog.js';

/** The runs of the cores that are up, and whether they are meant to run. */
export interface CoreRunState {
  /** By machine; `''` = this panel is alone. */
  readonly runs: ReadonlyMap<string, string>;
  readonly wanted: boolean;
}

export function evolveCore(core: CoreRunState, event: RecordedEvent): CoreRunState {
  switch (event.type) {
    case 'CoreStopRequested':
      return { ...core, wanted: false };
    case 'CoreRestartRequested':
      return { ...core, wanted: true };
    case 'CoreStarted':
      return withRun(core, event.data.machine, event.data.run);
    case 'CoreStopped':
    case 'CoreFailed':
      return withRun(core, event.data.machine, null);
    case 'MemberRemoved':
      return withRun(core, event.data.member, null);
    default:
      return core;
  }
}

function withRun(core: CoreRunState, machine = '', run: string | null): CoreRunState {
  // A run that another entry has was adopted under another name: the panel has joined a cluster, or left it.
  const others = [...core.runs].filter(([name, other]) => name !== machine && other !== run);
  return { ...core, runs: new Map(run === null ? others : [...others, [machine, run]]) };
}
