import type { Secrets, Settings } from '../../events/settings/settings.js';
import type { Foldings } from '../foldings.js';

/** Queries for the settings. */
export class SettingQueries {
  readonly #settings: Foldings['settings'];

  constructor({ settings }: Pick<Foldings, 'settings'>) {
    this.#settings = settings;
  }

  current(): Settings {
    return this.#settings.state.values;
  }

  /** Secrets must not appear in an answer or a log line. An empty one is not set. */
  secrets(): Secrets {
    return this.#settings.state.secrets;
  }

  template() {
    return this.#settings.state.template;
  }
}
