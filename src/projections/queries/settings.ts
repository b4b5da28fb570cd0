import type { Secrets, Settings } from '../../events/settings/settings.js';
import type { JsonObject } from '../../lib/json.js';
import { defaultTemplate } from '../core/template.js';
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

  /** The template that an admin saved; null = the built-in one. */
  template() {
    return this.#settings.state.template;
  }

  /** The template around the inbounds. */
  coreTemplate(): JsonObject {
    return this.#settings.state.template?.template ?? defaultTemplate;
  }
}
