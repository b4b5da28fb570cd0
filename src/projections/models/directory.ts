import type { RecordedEvent } from '../../events/catalog.js';
import type { DirectoryOutcome } from '../../events/directory.js';
import type { ClientNumber } from '../../events/ids.js';
import { type Fold, TRAFFIC } from '../../events/log/fold.js';
import { mayBePruned } from '../../events/traffic/traffic.js';

/** What the directory sync did to clients, by the actor of their events. */
interface DirectoryClients {
  /** Clients that it added and that still exist. */
  readonly made: Set<ClientNumber>;
  /** Clients that it disabled, and that were not enabled or disabled by others since. */
  readonly disabled: Set<ClientNumber>;
  /** The last recorded result; null if it was pruned. */
  last: { readonly at: number; readonly outcome: DirectoryOutcome } | null;
}

/** The id of the sync as an actor. */
const NAME = 'directory';

export const directory: Fold<DirectoryClients> = {
  name: 'directory',
  version: 1,
  ignores: TRAFFIC,
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
        // Forgets what is pruned from the log, so that a replay gives the same state.
        if (state.last && mayBePruned(event.data, state.last.at)) state.last = null;
        break;
      default:
    }
  },
};

function isOwn({ meta: { actor } }: RecordedEvent): boolean {
  return actor.kind === 'system' && actor.name === NAME;
}
