import { z } from 'zod';
import { InboundId } from './ids.js';
import { defineEvent } from './log/event.js';

const stream = () => 'core';

export const CoreStopRequested = defineEvent('CoreStopRequested', {
  summary: 'An admin asked for the core to stop; it stays stopped until somebody asks for it again.',
  data: z.strictObject({}),
  stream,
});

export const CoreRestartRequested = defineEvent('CoreRestartRequested', {
  summary: 'An admin asked for the core to start, or to start anew.',
  data: z.strictObject({}),
  stream,
});

export const CoreStarted = defineEvent('CoreStarted', {
  summary: 'A run of the core began, or a running core was taken over from an earlier panel process.',
  data: z.strictObject({
    run: z.string(),
    version: z.string(),
    reason: z.enum(['start', 'request', 'configuration', 'recovery', 'cut', 'adopted']),
  }),
  stream,
});

export const CoreStopped = defineEvent('CoreStopped', {
  summary: 'A run of the core ended as asked.',
  data: z.strictObject({ run: z.string(), reason: z.enum(['request', 'shutdown', 'configuration', 'cut']) }),
  stream,
});

export const CoreFailed = defineEvent('CoreFailed', {
  summary: 'The core could not be started, or ended by itself.',
  data: z.strictObject({ run: z.string().nullable(), reason: z.string() }),
  stream,
});

export const CoreDriftRepaired = defineEvent('CoreDriftRepaired', {
  summary: 'The running core differed from what the log asks for and was put right.',
  data: z.strictObject({ inboundTags: z.array(z.string()), clientCount: z.int().nonnegative() }),
  stream,
});

export const InboundRejectedByCore = defineEvent('InboundRejectedByCore', {
  summary: 'The core does not take this inbound; it is left out so that the others run.',
  data: z.strictObject({ inbound: InboundId, reason: z.string() }),
  stream,
});

export const InboundAcceptedByCore = defineEvent('InboundAcceptedByCore', {
  summary: 'An inbound that the core had refused runs now.',
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
