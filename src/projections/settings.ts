import { type Fold, foldOf } from '../events/fold.js';
import { defaultSettings, type Settings } from '../events/settings.js';
import type { JsonObject } from '../lib/json.js';

/** The settings, and the template around the inbounds; null = the built-in one. */
export interface SettingsModel {
  values: Settings;
  template: { readonly template: JsonObject; readonly outboundTestUrl: string } | null;
}

export const settings: Fold<SettingsModel> = foldOf<SettingsModel>({
  name: 'settings',
  version: 1,
  initial: () => ({ values: defaultSettings, template: null }),
  on: {
    SettingsChanged(state, { data }) {
      state.values = { ...state.values, ...(data.changes as Partial<Settings>) };
    },
    CoreTemplateChanged(state, { data: { template, outboundTestUrl } }) {
      state.template = { template: template as JsonObject, outboundTestUrl };
    },
  },
  save: (state) => state,
  load: (saved: SettingsModel) => ({ ...saved, values: { ...defaultSettings, ...saved.values } }),
});
