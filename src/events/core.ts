import { z } from 'zod';
import { InboundId } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = () => 'core';

export const CoreStopRequested = defineEvent('CoreStopRequested', {
  summary: 'An admin requested that the core stop. It stays stopped until an admin starts it.',
  data: z.strictObject({}),
  stream,
});

export const CoreRestartRequested = defineEvent('CoreRestartRequested', {
  summary: 'An admin requested a start or restart of the core.',
  data: z.strictObject({}),
  stream,
});

export const CoreStarted = defineEvent('CoreStarted', {
  summary: 'The core started, or the panel adopted a core that an earlier panel process had started.',
  data: z.strictObject({
    run: z.string(),
    version: z.string(),
    reason: z.enum(['start', 'request', 'configuration', 'recovery', 'cut', 'adopted']),
  }),
  stream,
});

export const CoreStopped = defineEvent('CoreStopped', {
  summary: 'The core stopped on request.',
  data: z.strictObject({ run: z.string(), reason: z.enum(['request', 'shutdown', 'configuration', 'cut']) }),
  stream,
});

export const CoreFailed = defineEvent('CoreFailed', {
  summary: 'The core could not start, or exited unexpectedly.',
  data: z.strictObject({ run: z.string().nullable(), reason: z.string() }),
  stream,
});

export const CoreDriftRepaired = defineEvent('CoreDriftRepaired', {
  summary: 'The running core differed from the configuration in the log, and the panel corrected it.',
  data: z.strictObject({ inboundTags: z.array(z.string()), clientCount: z.int().nonnegative() }),
  stream,
});

export const InboundRejectedByCore = defineEvent('InboundRejectedByCore', {
  summary: 'The core rejected an inbound. The panel left it out so that the other inbounds run.',
  data: z.strictObject({ inbound: InboundId, reason: z.string() }),
  stream,
});

export const InboundAcceptedByCore = defineEvent('InboundAcceptedByCore', {
  summary: 'The core accepted an inbound that it had rejected before.',
  data: z.strictObject({ inbound: InboundId }),
  stream,
});

export const CoreTemplateChanged = defineEvent('CoreTemplateChanged', {
  summary: 'The template around the inbounds, and the probe address of outbound tests, were replaced.',
  data: z.strictObject({
    keyVersion: z.int().positive(),
    /** The template may hold credentials of outbounds. */
    template: z.record(z.string(), z.json()),
    outboundTestUrl: z.string(),
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
