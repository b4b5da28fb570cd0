import {
  BackupFailed,
  BackupVerified,
  StateImported,
  StateReplaced,
  StateReplacementRolledBack,
} from '../events/backup.js';
import { type Settings, SettingsChanged } from '../events/settings/settings.js';
import { sameJson } from '../lib/json.js';
import type { Text } from '../messages/message.js';
import type { Command, Decider } from './command.js';

export type BackupCommand =
  | Command<'RecordBackupVerified', Parameters<typeof BackupVerified>[0]>
  | Command<'RecordBackupFailed', { readonly reason: Text }>
  /** For the new log. `keep`: settings that keep the value that they have on this machine. */
  | Command<
      'AdoptState',
      Omit<Parameters<typeof StateImported>[0], 'keptSettings'> & { readonly keep: Partial<Settings> }
    >
  /** For the previous log, which is archived. */
  | Command<'RecordStateReplaced', Parameters<typeof StateReplaced>[0]>
  | Command<'RecordStateReplacementRolledBack', { readonly reason: Text }>;

export const backup: Decider<BackupCommand> = {
  RecordBackupVerified: (data) => [BackupVerified(data)],
  RecordBackupFailed: (data) => [BackupFailed(data)],

  AdoptState({ keep, ...data }, { settings }) {
    const changes = Object.entries(keep).filter(([key, value]) => !sameJson(value, settings[key as keyof Settings]));
    const imported = StateImported({ ...data, keptSettings: changes.map(([key]) => key) });
    if (changes.length === 0) return [imported];
    return [imported, { ...SettingsChanged({ changes: Object.fromEntries(changes) }), cause: 0 }];
  },

  RecordStateReplaced: (data) => [StateReplaced(data)],
  RecordStateReplacementRolledBack: (data) => [StateReplacementRolledBack(data)],
};
