import { type SettingKey, SettingsChanged, settingsTable } from '../events/settings.js';
import type { Json } from '../lib/json.js';
import { sameJson } from '../lib/json.js';
import type { Command, Decider } from './command.js';
import { layers, overlap } from './inbound-rules.js';
import { reject } from './rejection.js';

export type SettingsCommand = Command<'ChangeSettings', { readonly changes: Readonly<Record<string, unknown>> }>;

export const settings: Decider<SettingsCommand> = {
  ChangeSettings({ changes }, state) {
    const { settings: current } = state;
    const changed: [string, Json][] = [];
    for (const [key, value] of Object.entries(changes)) {
      if (!Object.hasOwn(settingsTable, key))
        return reject('SETTING_INVALID', { key, why: 'there is no such setting' });
      const parsed = settingsTable[key as SettingKey].safeParse(value);
      if (!parsed.success)
        return reject('SETTING_INVALID', { key, why: parsed.error.issues[0]?.message ?? 'is not valid' });
      if (!sameJson(parsed.data, current[key as SettingKey])) changed.push([key, parsed.data as Json]);
    }
    const next = { ...current, ...Object.fromEntries(changed) };
    if (next.subPort === next.webPort && overlap(next.subListen, next.webListen)) {
      return reject('SETTING_INVALID', {
        key: 'subPort',
        why: 'the subscription server cannot share the port of the panel',
      });
    }
    for (const [key, listen] of [
      ['webPort', next.webListen],
      ['subPort', next.subListen],
    ] as const) {
      if (next[key] === current[key]) continue;
      const holder = [...state.inbounds.values()].find(
        (inbound) =>
          inbound.port === next[key] &&
          overlap(inbound.listen, listen) &&
          layers(inbound.protocol, inbound.config).has('tcp'),
      );
      if (holder) return reject('SETTING_INVALID', { key, why: `port ${next[key]} is used by inbound ${holder.tag}` });
    }
    return changed.length === 0
      ? []
      : [SettingsChanged({ changes: Object.fromEntries(changed) as Parameters<typeof SettingsChanged>[0]['changes'] })];
  },
};
