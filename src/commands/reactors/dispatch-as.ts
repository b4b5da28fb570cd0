import { asSystem, type Dispatch, type Done } from '../bus.js';
import type { AnyCommand } from '../catalog.js';
import { Rejection, refusedByStorage } from '../rejection.js';

/**
 * Dispatches commands of a part of the system, and warns of those that are refused. A refusal by the storage raises an alarm
 * instead, and every poll would repeat it here.
 */
export function dispatchAs(
  name: string,
  dispatch: Dispatch,
  warn: (message: string, fields?: object) => void,
): (command: AnyCommand) => Done | Rejection {
  return (command) => {
    const done = dispatch(command, asSystem(name));
    if (done instanceof Rejection && !refusedByStorage(done))
      warn(`${command.type} was refused`, { reason: done.message });
    return done;
  };
}
