import type { NodeId } from '../../../events/ids.js';
import type { Change, Submit } from '../../bus.js';
import { countingNodes, needsCounters } from '../../counter-commands.js';
import { Rejection } from '../../rejection.js';
import type { PanelState } from '../../state.js';

interface Parts {
  readonly state: PanelState;
  readonly submit: Submit;
  /** Records what the cores of this machine and of other members have counted. Resolves within two seconds and never rejects. */
  readonly collect: () => Promise<unknown>;
  /** The same for these nodes. */
  readonly collectNodes: (nodes: readonly NodeId[]) => Promise<unknown>;
}

/**
 * Submits commands that may change counters: first records what the core and the nodes concerned have counted. A core or
 * node that does not answer within two seconds is not waited for.
 */
export function countedChange({ state, submit, collect, collectNodes }: Parts): Change {
  return async (make, context) => {
    const first = make();
    if (!(first instanceof Rejection) && needsCounters(first, state))
      await Promise.all([collect(), collectNodes(countingNodes(first, state))]);
    // The state may have changed meanwhile, so the command is made again.
    return submit(make, context);
  };
}
