import type { PanelEvent } from '../events/catalog.js';
import type { Caused } from '../events/event.js';
import { KeyShredded } from '../events/panel.js';
import {
  type SecretKey,
  SecretSettingChanged,
  type SettingKey,
  type Settings,
  SettingsChanged,
  secretSettingKey,
  secretsTable,
  settingsTable,
} from '../events/settings.js';
import type { Json } from '../lib/json.js';
import { sameJson } from '../lib/json.js';
import type { Command, Decider } from './command.js';
import { layers, overlap } from './inbound-rules.js';
import { type Flaw, reject } from './rejection.js';
import type { PanelState } from './state.js';

export type SettingsCommand = Command<
  'ChangeSettings',
  {
    /** By the keys of both settings tables. A blank secret takes it away: whoever means "keep" does not name it. */
    readonly changes: Readonly<Record<string, unknown>>;
  }
>;

export const settings: Decider<SettingsCommand> = {
  ChangeSettings({ changes }, state) {
    const { settings: current } = state;
    const flaws: Flaw[] = [];
    const changed: [SettingKey, Json][] = [];
    const secrets: [SecretKey, string][] = [];
    for (const [key, value] of Object.entries(changes)) {
      const schema = schemaOf(key);
      if (!schema) {
        flaws.push({ key, why: 'there is no such setting' });
        continue;
      }
      const parsed = schema.safeParse(value);
      if (!parsed.success) flaws.push({ key, why: parsed.error.issues[0]?.message ?? 'is not valid' });
      else if (isSecret(key)) {
        if (parsed.data !== (state.secrets.get(key)?.value ?? '')) secrets.push([key, parsed.data as string]);
      } else if (!sameJson(parsed.data, current[key as SettingKey])) {
        changed.push([key as SettingKey, parsed.data as Json]);
      }
    }
    const next: Settings = { ...current, ...Object.fromEntries(changed) };
    flaws.push(...portFlaws(next, state), ...pathFlaws(next));
    if (flaws.length > 0) return reject('SETTING_INVALID', { flaws });
    const plain =
      changed.length === 0
        ? []
        : [
            SettingsChanged({
              changes: Object.fromEntries(changed) as Parameters<typeof SettingsChanged>[0]['changes'],
            }),
          ];
    return [...plain, ...secrets.flatMap(([key, value]) => replaced(state, key, value))];
  },
};

function isSecret(key: string): key is SecretKey {
  return Object.hasOwn(secretsTable, key);
}

function schemaOf(key: string) {
  if (isSecret(key)) return secretsTable[key];
  return Object.hasOwn(settingsTable, key) ? settingsTable[key as SettingKey] : undefined;
}

/** A secret setting in its next life; the one before is destroyed. */
function replaced({ secrets }: PanelState, key: SecretKey, value: string): readonly Caused<PanelEvent>[] {
  const before = secrets.get(key)?.life ?? 0;
  const changed = SecretSettingChanged({ key, life: before + 1, secret: { value } });
  return before === 0 ? [changed] : [changed, KeyShredded({ key: secretSettingKey(key, before), reason: 'rotated' })];
}

function portFlaws(next: Settings, { settings: current, inbounds }: PanelState): readonly Flaw[] {
  const flaws: Flaw[] = [];
  if (next.subPort === next.webPort && overlap(next.subListen, next.webListen)) {
    flaws.push({ key: 'subPort', why: 'the subscription server cannot share the port of the panel' });
  }
  for (const [key, listen] of [
    ['webPort', next.webListen],
    ['subPort', next.subListen],
  ] as const) {
    if (next[key] === current[key]) continue;
    const holder = [...inbounds.values()].find(
      (inbound) =>
        inbound.port === next[key] &&
        overlap(inbound.listen, listen) &&
        layers(inbound.protocol, inbound.config).has('tcp'),
    );
    if (holder) flaws.push({ key, why: `port ${next[key]} is used by inbound ${holder.tag}` });
  }
  return flaws;
}

/** Each kind of subscription has a path of its own: else one of them could not be reached. */
function pathFlaws({ subPath, subJsonPath, subClashPath }: Settings): readonly Flaw[] {
  const flaws: Flaw[] = [];
  if (subJsonPath === subPath) flaws.push({ key: 'subJsonPath', why: 'is already the path of the links' });
  if (subClashPath === subPath || subClashPath === subJsonPath)
    flaws.push({ key: 'subClashPath', why: 'is already the path of another subscription' });
  return flaws;
}
