import { type ClusterMembers, evolveMembers } from '../../events/cluster-document.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';

/** The members of the cluster with their addresses. */
export const members: Fold<{ members: ClusterMembers }> = {
  name: 'members',
  version: 1,
  ignores: TRAFFIC,
  initial: () => ({ members: new Map() }),
  apply(state, event) {
    state.members = evolveMembers(state.members, event);
  },
};
