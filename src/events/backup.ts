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
  summary:
    'A timed backup was kept, after its chain was checked, it was replayed in a scratch place, and its digests were those of the panel.',
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
  summary: 'A timed backup could not be made, or was not good when it was read again; it was not kept.',
  data: z.strictObject({ reason: z.string() }),
  stream: () => 'backups',
});

export const StateImported = defineEvent('StateImported', {
  summary:
    'This log was taken from a file and became the state of a panel: all sessions ended, and what belongs to the machine stayed.',
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
  summary: 'It was decided that the log of a file takes the place of this one; this log is put aside.',
  data: z.strictObject({
    source: z.enum(['portolan', '3x-ui']),
    sha256: Sha256,
    /** The identity of the log that takes over. */
    newGeneration: z.string(),
  }),
  stream: () => 'log',
});

export const StateReplacementRolledBack = defineEvent('StateReplacementRolledBack', {
  summary: 'The state that should take the place of this one did not start: this log goes on.',
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
