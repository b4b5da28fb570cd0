import { z } from 'zod';
import { Count, KeyVersion, oneOf, Run } from './fields.js';
import { InboundId } from './ids.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

const stream = () => 'core';
const machine = z
  .string()
  .optional()
  .describe('Name of the member of the cluster whose core it is; absent without a cluster.');

export const CoreStopRequested = defineEvent('CoreStopRequested', {
  summary: 'An admin requested that the core stop. It stays stopped until an admin starts it.',
  recordedBy: { StopCore: 'an admin stops the core' },
  data: z.strictObject({}),
  stream,
});

export const CoreRestartRequested = defineEvent('CoreRestartRequested', {
  summary: 'A start or restart of the core was requested, by an admin or because of a new version or new geo files.',
  recordedBy: {
    RestartCore: 'an admin starts or restarts the core',
    RecordCoreInstalled: 'another version of the core was installed and the core is not stopped',
    RecordCoreRolledBack: 'the previous version of the core is used again and the core is not stopped',
    RecordGeoFiles: 'geo files that the configuration of the core names were updated',
    AddGeoSource: 'the configuration of the core names the file of the new geo source',
    UpdateGeoSource: 'the configuration of the core names the file of the geo source',
    RecordGeoOutcomes: 'the configuration of the core names a file that was downloaded',
  },
  data: z.strictObject({}),
  stream,
});

export const CoreStarted = defineEvent('CoreStarted', {
  summary: 'The core started, or the panel adopted a core that an earlier panel process had started.',
  recordedBy: { RecordCoreStarted: 'the core process runs and its API responds' },
  data: z.strictObject({
    run: Run,
    version: z.string().describe('Version of the core.'),
    reason: oneOf({
      start: 'the panel started',
      request: '`CoreRestartRequested`',
      configuration: 'the template or an inbound changed in a way that the running core cannot take',
      recovery: 'the core had ended or did not respond',
      disconnect: 'connections of clients that may no longer connect could not be closed otherwise',
      adopted: 'the core was already running; nothing was interrupted',
    }).describe('Why it started.'),
    machine,
  }),
  stream,
});

export const CoreStopped = defineEvent('CoreStopped', {
  summary: 'The panel stopped the core.',
  recordedBy: { RecordCoreStopped: 'the core process has ended after the panel stopped it' },
  data: z.strictObject({
    run: Run,
    reason: oneOf({
      request: '`CoreStopRequested` or `CoreRestartRequested`',
      shutdown: 'the panel stops',
      configuration: 'a restart with another configuration, or a recovery',
      disconnect: 'a restart that closes connections',
    }).describe('Why it stopped.'),
    machine,
  }),
  stream,
});

export const CoreFailed = defineEvent('CoreFailed', {
  summary: 'The core could not start, or exited unexpectedly.',
  recordedBy: {
    RecordCoreFailed:
      'the core process exits or does not start; repeated failures for the same reason are recorded once',
  },
  data: z.strictObject({
    run: Run.nullable().describe('Id of the run that ended; null = the core did not start.'),
    reason: textSchema,
    machine,
  }),
  stream,
});

export const CoreDriftRepaired = defineEvent('CoreDriftRepaired', {
  summary: 'The running core differed from the configuration in the log, and the panel corrected it.',
  recordedBy: { RecordCoreDrift: 'the panel compares an adopted core or, periodically, the running core' },
  data: z.strictObject({
    inboundTags: z.array(z.string()).describe('Tags of inbounds that were added, replaced or removed.'),
    clientCount: Count.describe('Number of accounts that were added, replaced or removed.'),
    machine,
  }),
  stream,
});

export const InboundRejectedByCore = defineEvent('InboundRejectedByCore', {
  summary: 'The core rejected an inbound. The panel left it out so that the other inbounds run.',
  recordedBy: { RecordInboundRejected: 'the core refuses or crashes with the inbound; once for the same reason' },
  data: z.strictObject({ inbound: InboundId, reason: textSchema }),
  stream,
});

export const InboundAcceptedByCore = defineEvent('InboundAcceptedByCore', {
  summary: 'The core accepted an inbound that it had rejected before.',
  recordedBy: { RecordInboundAccepted: 'the inbound runs again after `InboundRejectedByCore`' },
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const CoreTemplateChanged = defineEvent('CoreTemplateChanged', {
  summary: 'The template around the inbounds, and the probe address of outbound tests, were replaced.',
  recordedBy: {
    ChangeCoreTemplate: 'an admin saves another template or probe address',
    ImportPanel: 'the imported database has a template',
  },
  data: z.strictObject({
    keyVersion: KeyVersion,
    template: z
      .record(z.string(), z.json())
      .describe('Configuration of the core without inbounds. It may contain credentials of outbounds.'),
    outboundTestUrl: z.string().describe('URL that outbound tests request.'),
  }),
  stream,
  seal: { template: { key: (data) => `core/template/${data.keyVersion}`, erased: () => ({}) } },
});

export const coreEvents = [
  CoreStopRequested,
  CoreRestartRequested,
  CoreStarted,
  CoreStopped,
  CoreFailed,
  CoreDriftRepaired,
  InboundRejectedByCore,
  InboundAcceptedByCore,
  CoreTemplateChanged,
] as const;
