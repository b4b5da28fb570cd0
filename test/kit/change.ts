import type { Change, Dispatch } from '../../src/commands/bus.js';
import { Rejection } from '../../src/commands/rejection.js';

/** A change of counters without a core. */
export function changeBy(dispatch: Dispatch): Change {
  return async (make, context) => {
    const command = make();
    return command instanceof Rejection ? command : dispatch(command, context);
  };
}
