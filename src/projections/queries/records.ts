import type { ClusterMembers } from '../../events/cluster-document.js';
import type { GeoSource } from '../../events/geo/geo-document.js';
import type { Inbound } from '../../events/inbound/inbound-document.js';
import type { LegalHold } from '../../events/personal-data/hold-document.js';
import type { Webhooks } from '../../events/webhook/webhook-document.js';
import { coreOf, type MachineCore } from '../core/core-state.js';
import type { Foldings } from '../foldings.js';

/** Queries for what the core and scheduled work have reported. */
export class RecordQueries {
  readonly #models: Foldings;
  /** The name of this machine in its cluster; null = it is alone. */
  machine: string | null = null;

  constructor(models: Foldings) {
    this.#models = models;
  }

  /** The core of this machine. */
  core(): MachineCore {
    return coreOf(this.#models.coreState.state, this.machine);
  }

  /** The core that runs an inbound without a node. */
  coreOf({ machine }: Pick<Inbound, 'machine'>): MachineCore {
    return coreOf(this.#models.coreState.state, this.machine && (machine ?? null));
  }

  /** The members of the cluster with their addresses, by name. */
  members(): ClusterMembers {
    return this.#models.members.state.members;
  }

  timeline() {
    return this.#models.timeline.state;
  }

  /** The results of scheduled backups. */
  backups() {
    return this.#models.backups.state;
  }

  /** Signed heads, and where they were published. */
  proofs() {
    return this.#models.proofs.state;
  }

  /** The custom geo sources, by number. */
  geoSources(): ReadonlyMap<number, GeoSource> {
    return this.#models.geoSources.state;
  }

  /** The legal holds in force, by number. */
  legalHolds(): ReadonlyMap<number, LegalHold> {
    return this.#models.legalHolds.state;
  }

  webhooks(): Webhooks {
    return this.#models.webhooks.state;
  }

  /** Clients that the bot has already announced as about to expire. */
  warnedOf() {
    return this.#models.warnedOf.state;
  }

  /** The clients that the directory sync manages, and its last result. */
  directory() {
    return this.#models.directory.state;
  }
}
