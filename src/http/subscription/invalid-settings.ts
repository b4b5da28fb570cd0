import { type SettingKey, type Settings, settingsTable } from '../../events/settings/settings.js';
import { issueText } from '../../messages/render.js';
import type { HttpLog } from '../server/http-log.js';

/** Settings that are sent to client apps and end users. */
const SHOWN: readonly SettingKey[] = [
  ...(['subSupportUrl', 'subProfileUrl', 'subAnnounce', 'subRoutingRules', 'subURI', 'subJsonURI'] as const),
  ...(['subClashURI', 'subJsonFragment', 'subJsonNoises', 'subJsonMux', 'subJsonRules'] as const),
];

/**
 * Warns once for settings with values that were stored before a stricter rule. They are left out of subscriptions. The
 * values themselves are not logged.
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
