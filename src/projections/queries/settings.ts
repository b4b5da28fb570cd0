import type { Secrets, Settings } from '../../events/settings/settings.js';
import type { Foldings } from '../foldings.js';

/** How the panel is set up. */
export class SettingQueries {
  readonly #settings: Foldings['settings'];

  constructor({ settings }: Pick<Foldings, 'settings'>) {
    this.#settings = settings;
  }

  current(): Settings {
    return this.#settings.state.values;
  }

  /** For what uses them; no answer and no log line may hold one. Empty = not set. */
  secrets(): Secrets {
    return this.#settings.state.secrets;
  }

  template() {
    return this.#settings.state.template;
  }
}
