import type { RecordedEvent } from '../events/catalog.js';
import type { DirectoryOutcome } from '../events/directory.js';
import type { ClientNumber } from '../events/ids.js';
import type { Fold } from '../events/log/fold.js';
import { mayBePruned } from '../events/traffic.js';

/** What the sync with a directory has done to clients, as their events tell by whom they are. */
export interface DirectoryClients {
  /** Clients that it made, and that are still there. */
  readonly made: Set<ClientNumber>;
  /** Clients that it disabled, and that nobody has enabled or disabled since. */
  readonly disabled: Set<ClientNumber>;
  /** How it went when it was last news; null when that is forgotten. */
  last: { readonly at: number; readonly outcome: DirectoryOutcome } | null;
}

/** Who the sync is in the log. */
const NAME = 'directory';

export const directory: Fold<DirectoryClients> = {
  name: 'directory',
  version: 1,
  initial: () => ({ made: new Set(), disabled: new Set(), last: null }),
  apply(state, event) {
    switch (event.type) {
      case 'ClientAdded':
        if (isOwn(event)) state.made.add(event.data.client);
        break;
      case 'ClientUpdated': {
        const { client, changes } = event.data;
        if (changes.enabled === undefined) break;
        if (isOwn(event) && !changes.enabled) state.disabled.add(client);
        else state.disabled.delete(client);
        break;
      }
      case 'ClientDeleted':
        state.made.delete(event.data.client);
        state.disabled.delete(event.data.client);
        break;
      case 'DirectorySynced':
        state.last = { at: event.meta.at, outcome: event.data };
        break;
      case 'MeasurementsRolledUp':
        // What is pruned from the log is forgotten here too, so that a replay agrees.
        if (state.last && mayBePruned(event.data, state.last.at)) state.last = null;
        break;
      default:
    }
  },
};

function isOwn({ meta: { actor } }: RecordedEvent): boolean {
  return actor.kind === 'system' && actor.name === NAME;
}
