import { type Fold, foldOf } from '../../events/log/fold.js';
import { defaultSettings, noSecrets, type Secrets, type Settings } from '../../events/settings/settings.js';
import type { JsonObject } from '../../lib/json.js';

/** The settings, the secret settings, and the template around the inbounds; null = the built-in template. */
export interface SettingsModel {
  values: Settings;
  secrets: Secrets;
  template: { readonly template: JsonObject; readonly outboundTestUrl: string } | null;
}

export const settings: Fold<SettingsModel> = foldOf<SettingsModel>({
  name: 'settings',
  version: 2,
  initial: () => ({ values: defaultSettings, secrets: noSecrets, template: null }),
  on: {
    SettingsChanged(state, { data }) {
      state.values = { ...state.values, ...(data.changes as Partial<Settings>) };
    },
    SecretSettingChanged(state, { data: { key, secret } }) {
      state.secrets = { ...state.secrets, [key]: secret.value };
    },
    CoreTemplateChanged(state, { data: { template, outboundTestUrl } }) {
      state.template = { template: template as JsonObject, outboundTestUrl };
    },
  },
  save: (state) => state,
  load: (saved: SettingsModel) => ({
    ...saved,
    values: { ...defaultSettings, ...saved.values },
    secrets: { ...noSecrets, ...saved.secrets },
  }),
});
