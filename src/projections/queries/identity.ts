import type { EventLog } from '../../events/log/log.js';
import type { Foldings } from '../foldings.js';

/** The identity of this panel, and of its clients and inbounds on nodes. */
export class IdentityQueries {
  readonly #models: Foldings;
  readonly #log: Pick<EventLog, 'read'>;
  #panelId = '';

  constructor(models: Foldings, log: Pick<EventLog, 'read'>) {
    this.#models = models;
    this.#log = log;
  }

  /** The permanent id of this panel: the id of the first event of its log. A restored copy keeps it. Empty before that event. */
  get panelId(): string {
    this.#panelId ||= this.#log.read(0, 1)[0]?.id ?? '';
    return this.#panelId;
  }

  /** Whether this log was restored from a backup. */
  get fromBackup(): boolean {
    return this.#models.nodeOutbox.state.fromBackup;
  }

  /** See `uidOf`, also of deleted clients and inbounds; empty for those that were never on a node. */
  uid(kind: 'clients' | 'inbounds', number: number): string {
    return this.#models.nodeOutbox.state.uids[kind].get(number) ?? '';
  }
}
