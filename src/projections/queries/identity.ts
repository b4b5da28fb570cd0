import type { EventLog } from '../../events/log/log.js';
import type { Foldings } from '../foldings.js';

/** What tells this log, its clients and its inbounds from all others. */
export class IdentityQueries {
  readonly #models: Foldings;
  readonly #log: EventLog;
  #panelId = '';

  constructor(models: Foldings, log: EventLog) {
    this.#models = models;
    this.#log = log;
  }

  /** The lasting name of this panel: the id of the first event of its log, which a restored copy keeps. Empty before it. */
  get panelId(): string {
    this.#panelId ||= this.#log.read(0, 1)[0]?.id ?? '';
    return this.#panelId;
  }

  /** Whether this log was once taken from a backup. */
  get fromBackup(): boolean {
    return this.#models.nodeOutbox.state.fromBackup;
  }

  /** What tells a client or an inbound of a node, living or not, from others of its number; empty for all others. */
  uid(kind: 'clients' | 'inbounds', number: number): string {
    return this.#models.nodeOutbox.state.uids[kind].get(number) ?? '';
  }
}
