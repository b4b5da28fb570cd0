import { z } from 'zod';
import { defineEvent } from './log/event.js';

const Version = z.string();
/** Hex. */
const Sha256 = z.string();

export const CoreVersionInstalled = defineEvent('CoreVersionInstalled', {
  summary: 'A version of the core was put in place; the core runs it from its next start on, which this asks for.',
  data: z.strictObject({
    version: Version,
    /** The version that is gone back to if the new one does not last; null = there is none. */
    previousVersion: Version.nullable(),
    sha256: Sha256,
  }),
  stream: () => 'core',
});

export const CoreVersionRolledBack = defineEvent('CoreVersionRolledBack', {
  summary: 'A new version of the core did not start or did not last, and the former one counts again.',
  data: z.strictObject({ version: Version, restoredVersion: Version.nullable(), reason: z.string() }),
  stream: () => 'core',
});

export const CoreInstallFailed = defineEvent('CoreInstallFailed', {
  summary: 'A version of the core could not be got, or did not pass its checks. What ran goes on.',
  data: z.strictObject({ version: Version, reason: z.string() }),
  stream: () => 'core',
});

export const PanelUpdateInstalled = defineEvent('PanelUpdateInstalled', {
  summary: 'A newer version of the panel was put in place; the process starts anew with it.',
  data: z.strictObject({ version: Version, previousVersion: Version, sha256: Sha256 }),
  stream: () => 'panel',
});

export const PanelUpdateFailed = defineEvent('PanelUpdateFailed', {
  summary: 'A newer version of the panel could not be got, or did not pass its checks.',
  data: z.strictObject({ version: Version, reason: z.string() }),
  stream: () => 'panel',
});

export const PanelUpdateRolledBack = defineEvent('PanelUpdateRolledBack', {
  summary: 'A newer version of the panel did not become ready, and the former one runs again.',
  data: z.strictObject({ version: Version, restoredVersion: Version, reason: z.string() }),
  stream: () => 'panel',
});

export const GeoFilesUpdated = defineEvent('GeoFilesUpdated', {
  summary: 'Geo files were asked for, and this is what became of each.',
  data: z.strictObject({
    files: z.array(
      z.strictObject({
        file: z.string(),
        outcome: z.enum(['updated', 'unchanged', 'failed']),
        sha256: Sha256.nullable(),
        reason: z.string().nullable(),
      }),
    ),
  }),
  stream: () => 'geo',
});

export const releaseEvents = [
  CoreVersionInstalled,
  CoreVersionRolledBack,
  CoreInstallFailed,
  PanelUpdateInstalled,
  PanelUpdateFailed,
  PanelUpdateRolledBack,
  GeoFilesUpdated,
] as const;
