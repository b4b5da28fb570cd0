import type { PanelEvent } from '../../events/catalog.js';
import type { Caused } from '../../events/log/event.js';
import { DataKeyDestroyed } from '../../events/panel.js';
import {
  type SecretKey,
  SecretSettingChanged,
  type SettingKey,
  type Settings,
  SettingsChanged,
  secretSettingKey,
  secretsTable,
  settingsTable,
} from '../../events/settings/settings.js';
import { sameJson } from '../../lib/json.js';
import { issueOf } from '../../messages/issue.js';
import { message } from '../../messages/message.js';
import type { Command, Decider } from '../command.js';
import { reject, type SettingProblem } from '../rejection.js';
import type { PanelState } from '../state.js';
import { type SubmittedCodes, sessionsEnded, twoFactorOutcome } from '../user/two-factor-rules.js';
import { chatAdminProblems, withAdminNumbers } from './chat-admins.js';
import { settingProblems } from './setting-rules.js';
import { usabilityProblems } from './setting-usability.js';
import { tokenProblems } from './token-rules.js';

export type SettingsCommand =
  | Command<
      'ChangeSettings',
      {
        /** Values by the keys of both settings tables. An empty secret removes it; a secret that is not listed is kept. */
        readonly changes: Readonly<Record<string, unknown>>;
        /** The admin confirmed that forwarded headers from all addresses are trusted. */
        readonly trustEveryProxy?: boolean;
        /** The codes that a change of two-factor login needs. */
        readonly codes?: SubmittedCodes;
      }
    >
  /** For an operator after the authenticator app was lost. It needs no code. */
  | Command<'SwitchOffTwoFactor', Record<never, never>>;

export const settings: Decider<SettingsCommand> = {
  ChangeSettings({ changes, trustEveryProxy = false, codes }, state, { now, by }) {
    const asked = readChanges(changes, state);
    const { problems, plain, secrets } = asked;
    const requested = { ...state.settings, ...plain };
    requested.chatBotChatId = withAdminNumbers(requested.chatBotChatId, state);
    const guarded = tokenProblems(by, { current: state.settings, next: requested, secrets });
    if (guarded.length > 0) return reject('SETTING_INVALID', { problems: [...guarded, ...problems] });
    const factor = twoFactorOutcome(
      state,
      { enable: requested.twoFactorEnable, token: secrets.get('twoFactorToken') },
      codes,
      now,
    );
    const next: Settings = { ...requested, twoFactorEnable: factor.enable };
    secrets.set('twoFactorToken', factor.token);
    const known = new Set(problems.map(({ key }) => key));
    const rules = [
      ...factor.problems,
      ...settingProblems(next, state, { named: asked.named, trustEveryProxy, newProxy: secrets.get('chatBotProxy') }),
      ...chatAdminProblems(next.chatBotChatId, state),
      ...usabilityProblems(next, state, { secrets, now }),
    ];
    problems.push(...rules.filter(({ key }) => !known.has(key)));
    if (problems.length > 0) return reject('SETTING_INVALID', { problems });
    return [
      ...factor.before,
      ...changed(state.settings, next),
      ...[...secrets].flatMap(([key, value]) => replaced(state, key, value)),
      ...factor.after,
    ];
  },

  SwitchOffTwoFactor(_, state) {
    if (!state.settings.twoFactorEnable) return [];
    return [
      SettingsChanged({ changes: { twoFactorEnable: false } }),
      ...replaced(state, 'twoFactorToken', ''),
      ...sessionsEnded(state),
    ];
  },
};

interface Asked {
  readonly problems: SettingProblem[];
  readonly plain: Partial<Settings>;
  readonly secrets: Map<SecretKey, string>;
  /** All requested keys, also those that do not change. */
  readonly named: ReadonlySet<string>;
}

/** The requested values, parsed by their schemas. */
function readChanges(
  changes: Readonly<Record<string, unknown>>,
  { secrets: stored, settings: current }: PanelState,
): Asked {
  const problems: SettingProblem[] = [];
  const plain: [SettingKey, unknown][] = [];
  const secrets = new Map<SecretKey, string>();
  for (const [key, value] of Object.entries(changes)) {
    const schema = schemaOf(key);
    if (!schema) {
      problems.push({ key, why: message('settings.unknown') });
      continue;
    }
    // An unchanged value stays allowed even if it would be rejected as a new one.
    if (!isSecret(key) && sameJson(value, current[key as SettingKey])) continue;
    const parsed = schema.safeParse(value);
    if (!parsed.success) problems.push({ key, why: issueOf(parsed.error), ...(isSecret(key) ? {} : { value }) });
    else if (!isSecret(key)) plain.push([key as SettingKey, parsed.data]);
    else if (parsed.data !== (stored.get(key)?.value ?? '')) secrets.set(key, parsed.data as string);
  }
  return { problems, plain: Object.fromEntries(plain), secrets, named: new Set(Object.keys(changes)) };
}

function isSecret(key: string): key is SecretKey {
  return Object.hasOwn(secretsTable, key);
}

function schemaOf(key: string) {
  if (isSecret(key)) return secretsTable[key];
  return Object.hasOwn(settingsTable, key) ? settingsTable[key as SettingKey] : undefined;
}

/** The settings with another value than before. */
function changed(current: Settings, next: Settings): readonly Caused<PanelEvent>[] {
  const changes = Object.entries(next).filter(([key, value]) => !sameJson(value, current[key as SettingKey]));
  if (changes.length === 0) return [];
  return [
    SettingsChanged({ changes: Object.fromEntries(changes) as Parameters<typeof SettingsChanged>[0]['changes'] }),
  ];
}

/** Sets a secret setting and destroys its previous value. None if it is unchanged. */
function replaced({ secrets }: PanelState, key: SecretKey, value: string): readonly Caused<PanelEvent>[] {
  const { keyVersion: before, value: current } = secrets.get(key) ?? { keyVersion: 0, value: '' };
  if (value === current) return [];
  const next = SecretSettingChanged({ key, keyVersion: before + 1, secret: { value } });
  return before === 0 ? [next] : [next, DataKeyDestroyed({ key: secretSettingKey(key, before), reason: 'rotated' })];
}
