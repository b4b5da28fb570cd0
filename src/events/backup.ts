import { z } from 'zod';
import { Time } from './ids.js';
import { defineEvent } from './log/event.js';

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Backup = {
  name: z.string(),
  position: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** Its key is wrapped by a passphrase. */
  encrypted: z.boolean(),
};

export const BackupVerified = defineEvent('BackupVerified', {
  summary: 'A scheduled backup was made, verified and kept.',
  data: z.strictObject({
    ...Backup,
    /** When it was made. */
    createdAt: Time,
    /** Models whose digest was compared with that of the panel. */
    comparedModels: z.int().nonnegative(),
  }),
  stream: () => 'backups',
});

export const BackupFailed = defineEvent('BackupFailed', {
  summary: 'A scheduled backup could not be made or verified, and was not kept.',
  data: z.strictObject({ reason: z.string() }),
  stream: () => 'backups',
});

export const StateImported = defineEvent('StateImported', {
  summary: 'This log was restored from a file and became the state of the panel. All sessions ended.',
  data: z.strictObject({
    source: z.enum(['portolan', '3x-ui']),
    /** Of the file. */
    sha256: Sha256,
    /** The log that the file was a copy of, and its last event there; null for a foreign file. */
    origin: z.strictObject({ generation: z.string(), position: z.int().nonnegative() }).nullable(),
    /** Settings that stayed as they were on the machine. */
    keptSettings: z.array(z.string()),
  }),
  stream: () => 'log',
});

export const StateReplaced = defineEvent('StateReplaced', {
  summary: 'An admin replaced the state of the panel with a file. This log was archived.',
  data: z.strictObject({
    source: z.enum(['portolan', '3x-ui']),
    sha256: Sha256,
    /** The identity of the log that takes over. */
    newGeneration: z.string(),
  }),
  stream: () => 'log',
});

export const StateReplacementRolledBack = defineEvent('StateReplacementRolledBack', {
  summary: 'The new state of the panel did not start. The panel rolled back to this log.',
  data: z.strictObject({ reason: z.string() }),
  stream: () => 'log',
});

export const backupEvents = [
  BackupVerified,
  BackupFailed,
  StateImported,
  StateReplaced,
  StateReplacementRolledBack,
] as const;
