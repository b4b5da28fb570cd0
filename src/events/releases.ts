import { z } from 'zod';
import { Hash, oneOf } from './fields.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const Version = z.string().describe('The new version.');

export const CoreVersionInstalled = defineEvent('CoreVersionInstalled', {
  summary: 'A version of the core was installed. The core uses it from its next start, which this event requests.',
  recordedBy: { RecordCoreInstalled: 'the executable was downloaded, verified and accepted the configuration' },
  data: z.strictObject({
    version: Version,
    previousVersion: Version.nullable().describe('The version to roll back to if the new one fails; null = none.'),
    sha256: Hash.describe('SHA-256 of the executable.'),
  }),
  stream: () => 'core',
});

export const CoreVersionRolledBack = defineEvent('CoreVersionRolledBack', {
  summary: 'A new version of the core failed and was rolled back to the previous version.',
  recordedBy: { RecordCoreRolledBack: 'the core does not start with the new version, or exits soon after' },
  data: z.strictObject({
    version: Version.describe('The version that failed.'),
    restoredVersion: Version.nullable().describe('The version in use again; null = there is none.'),
    reason: textSchema,
  }),
  stream: () => 'core',
});

export const CoreInstallFailed = defineEvent('CoreInstallFailed', {
  summary: 'A version of the core could not be downloaded or verified. The running version is unchanged.',
  recordedBy: { RecordCoreInstallFailed: 'an installation that an admin requested fails' },
  data: z.strictObject({ version: Version, reason: textSchema }),
  stream: () => 'core',
});

export const PanelUpdateInstalled = defineEvent('PanelUpdateInstalled', {
  summary: 'A newer version of the panel was installed, and the panel restarts with it.',
  recordedBy: { RecordPanelUpdate: 'an admin updates the panel and the new version was downloaded and verified' },
  data: z.strictObject({
    version: Version,
    previousVersion: Version.describe('The version that was running.'),
    sha256: Hash.describe('SHA-256 of the release archive.'),
  }),
  stream: () => 'panel',
});

export const PanelUpdateFailed = defineEvent('PanelUpdateFailed', {
  summary: 'A newer version of the panel could not be downloaded or verified.',
  recordedBy: { RecordPanelUpdateFailed: 'an update that an admin requested fails' },
  data: z.strictObject({ version: Version, reason: textSchema }),
  stream: () => 'panel',
});

export const PanelUpdateRolledBack = defineEvent('PanelUpdateRolledBack', {
  summary: 'A newer version of the panel did not become ready and was rolled back to the previous version.',
  recordedBy: { RecordPanelRolledBack: 'the previous version starts again after the rollback' },
  data: z.strictObject({
    version: Version.describe('The version that failed.'),
    restoredVersion: Version.describe('The version in use again.'),
    reason: textSchema,
  }),
  stream: () => 'panel',
});

export const GeoFilesUpdated = defineEvent('GeoFilesUpdated', {
  summary: 'An update of the geo files finished, with one result for each file.',
  recordedBy: {
    RecordGeoFiles: 'an admin updates the geo files, or the configuration of the core names a file that is missing',
  },
  data: z.strictObject({
    files: z
      .array(
        z.strictObject({
          file: z.string().describe('File name, such as `geoip.dat`.'),
          outcome: oneOf({
            updated: 'a new file is in place',
            unchanged: 'the file was the newest',
            failed: 'the previous file stays',
          }).describe('The result.'),
          sha256: Hash.nullable().describe('SHA-256 of the new file; null = there is none.'),
          reason: textSchema.nullable().describe('Why the update failed; null = it did not.'),
        }),
      )
      .describe('The result for each file.'),
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
