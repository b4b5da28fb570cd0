import { z } from 'zod';
import { defineEvent } from './log/event.js';

const Version = z.string();
/** Hex. */
const Sha256 = z.string();

export const CoreVersionInstalled = defineEvent('CoreVersionInstalled', {
  summary: 'A version of the core was installed. The core uses it from its next start, which this event requests.',
  data: z.strictObject({
    version: Version,
    /** The version that is gone back to if the new one does not last; null = there is none. */
    previousVersion: Version.nullable(),
    sha256: Sha256,
  }),
  stream: () => 'core',
});

export const CoreVersionRolledBack = defineEvent('CoreVersionRolledBack', {
  summary: 'A new version of the core failed and was rolled back to the former version.',
  data: z.strictObject({ version: Version, restoredVersion: Version.nullable(), reason: z.string() }),
  stream: () => 'core',
});

export const CoreInstallFailed = defineEvent('CoreInstallFailed', {
  summary: 'A version of the core could not be downloaded or verified. The running version is unchanged.',
  data: z.strictObject({ version: Version, reason: z.string() }),
  stream: () => 'core',
});

export const PanelUpdateInstalled = defineEvent('PanelUpdateInstalled', {
  summary: 'A newer version of the panel was installed, and the panel restarts with it.',
  data: z.strictObject({ version: Version, previousVersion: Version, sha256: Sha256 }),
  stream: () => 'panel',
});

export const PanelUpdateFailed = defineEvent('PanelUpdateFailed', {
  summary: 'A newer version of the panel could not be downloaded or verified.',
  data: z.strictObject({ version: Version, reason: z.string() }),
  stream: () => 'panel',
});

export const PanelUpdateRolledBack = defineEvent('PanelUpdateRolledBack', {
  summary: 'A newer version of the panel did not become ready and was rolled back to the former version.',
  data: z.strictObject({ version: Version, restoredVersion: Version, reason: z.string() }),
  stream: () => 'panel',
});

export const GeoFilesUpdated = defineEvent('GeoFilesUpdated', {
  summary: 'An update of the geo files finished, with one result for each file.',
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
