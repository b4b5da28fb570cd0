import { z } from 'zod';
import { Bytes, Count, oneOf, Position, Time } from './fields.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const Why = textSchema.describe('Why, for people.');
const Sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ unit: 'hex', description: 'SHA-256 of the file.' });
const source = oneOf({ portolan: 'a backup of this program', '3x-ui': 'a database of 3x-ui' }).describe(
  'What the file is.',
);

export const BackupVerified = defineEvent('BackupVerified', {
  summary: 'A scheduled backup was made, verified and kept.',
  recordedBy: {
    RecordBackupVerified: 'the backup was replayed and the digests of its read models equal those of the running panel',
  },
  data: z.strictObject({
    name: z.string().describe('File name of the backup.'),
    position: Position.describe('Position of the last event in the backup.'),
    bytes: Bytes.describe('Size of the backup file.'),
    encrypted: z.boolean().describe('Whether the key in the backup is encrypted with a passphrase.'),
    createdAt: Time.describe('When the backup was made.'),
    comparedModels: Count.describe('Number of read models whose digests were compared.'),
  }),
  stream: () => 'backups',
});

export const BackupFailed = defineEvent('BackupFailed', {
  summary: 'A scheduled backup could not be made or verified, and was not kept.',
  recordedBy: { RecordBackupFailed: 'the backup or its verification fails' },
  data: z.strictObject({ reason: Why }),
  stream: () => 'backups',
});

export const StateImported = defineEvent('StateImported', {
  summary: 'This log was restored from a file and became the state of the panel. All sessions ended.',
  recordedBy: { AdoptState: 'a restore has prepared the new log, before it replaces the current one' },
  data: z.strictObject({
    source,
    sha256: Sha256,
    origin: z
      .strictObject({
        generation: z.string().describe('Generation of the log that the backup is a copy of.'),
        position: Position.describe('Position of its last event.'),
      })
      .nullable()
      .describe('The log in the backup; null for a database of 3x-ui.'),
    keptSettings: z.array(z.string()).describe('Keys of settings that kept the value they had on this machine.'),
  }),
  stream: () => 'log',
});

export const StateReplaced = defineEvent('StateReplaced', {
  summary: 'An admin replaced the state of the panel with a file. This log was archived.',
  recordedBy: { RecordStateReplaced: 'a restore is complete; this is one of the last events of the previous log' },
  data: z.strictObject({
    source,
    sha256: Sha256,
    newGeneration: z.string().describe('Generation of the log that replaces this one.'),
  }),
  stream: () => 'log',
});

export const StateReplacementRolledBack = defineEvent('StateReplacementRolledBack', {
  summary: 'The new state of the panel did not start. The panel rolled back to this log.',
  recordedBy: { RecordStateReplacementRolledBack: 'the panel starts after such a rollback' },
  data: z.strictObject({ reason: Why }),
  stream: () => 'log',
});

export const backupEvents = [
  BackupVerified,
  BackupFailed,
  StateImported,
  StateReplaced,
  StateReplacementRolledBack,
] as const;
