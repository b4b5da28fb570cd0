import { type SettingKey, type Settings, settingsTable } from '../../events/settings/settings.js';
import { issueText } from '../../messages/render.js';
import type { HttpLog } from '../server/http-log.js';

/** What client apps and end users are told of the settings. */
const SHOWN: readonly SettingKey[] = [
  ...(['subSupportUrl', 'subProfileUrl', 'subAnnounce', 'subRoutingRules', 'subURI', 'subJsonURI'] as const),
  ...(['subClashURI', 'subJsonFragment', 'subJsonNoises', 'subJsonMux', 'subJsonRules'] as const),
];

/**
 * Warns once of each settings that hold values which were stored when more was allowed: they are left out of
 * subscriptions. The values themselves are not logged.
 */
export function invalidSettingsWarning(log: HttpLog): (settings: Settings) => void {
  let known: Settings | null = null;
  return (settings) => {
    if (settings === known) return;
    known = settings;
    const leftOut = SHOWN.flatMap((key) => {
      const { error } = settingsTable[key].safeParse(settings[key]);
      return error ? [`${key} ${issueText(error)}`] : [];
    });
    if (leftOut.length > 0) log.warn({ leftOut }, 'subscriptions leave out settings that are no longer allowed');
  };
}
