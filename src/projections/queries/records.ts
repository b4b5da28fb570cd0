import type { GeoSource } from '../../events/geo/geo-document.js';
import type { LegalHold } from '../../events/personal-data/hold-document.js';
import type { Webhooks } from '../../events/webhook/webhook-document.js';
import type { Foldings } from '../foldings.js';

/** Queries for what the core and scheduled work have reported. */
export class RecordQueries {
  readonly #models: Foldings;

  constructor(models: Foldings) {
    this.#models = models;
  }

  core() {
    return this.#models.coreState.state;
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
