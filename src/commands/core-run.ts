import type { RecordedEvent } from '../events/catalog.js';

/** The run of the core that is up, and whether it is meant to run. */
export interface CoreRunState {
  readonly run: string | null;
  readonly wanted: boolean;
}

export function evolveCore(core: CoreRunState, event: RecordedEvent): CoreRunState {
  switch (event.type) {
    case 'CoreStopRequested':
      return { ...core, wanted: false };
    case 'CoreRestartRequested':
      return { ...core, wanted: true };
    case 'CoreStarted':
      return { ...core, run: event.data.run };
    case 'CoreStopped':
    case 'CoreFailed':
      return { ...core, run: null };
    default:
      return core;
  }
}
