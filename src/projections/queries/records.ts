import type { GeoSource } from '../../events/geo/geo-document.js';
import type { Foldings } from '../foldings.js';

/** What became of timed and repeated work. */
export class RecordQueries {
  readonly #models: Foldings;

  constructor(models: Foldings) {
    this.#models = models;
  }

  timeline() {
    return this.#models.timeline.state;
  }

  /** What became of the timed backups. */
  backups() {
    return this.#models.backups.state;
  }

  /** The admin's own, by their numbers. */
  geoSources(): ReadonlyMap<number, GeoSource> {
    return this.#models.geoSources.state;
  }

  /** Clients of which the bot has told already that they are soon over. */
  warnedOf() {
    return this.#models.warnedOf.state;
  }

  /** What the sync with a directory has done to clients. */
  directory() {
    return this.#models.directory.state;
  }
}
