import { z } from 'zod';
import { defineEvent } from './log/event.js';

export const PanelStarted = defineEvent('PanelStarted', {
  summary: 'A process of the panel began to serve.',
  data: z.strictObject({ version: z.string() }),
  stream: () => 'panel',
});

export const PanelStopped = defineEvent('PanelStopped', {
  summary: 'A process of the panel ended as asked. After a crash there is none.',
  data: z.strictObject({}),
  stream: () => 'panel',
});

/** Where a server listens. An empty `listen` is every address. */
const place = z.strictObject({ listen: z.string(), port: z.int(), tls: z.boolean() });
export type ServerPlace = z.output<typeof place>;

export const PanelRestartRequested = defineEvent('PanelRestartRequested', {
  summary: 'An admin requested a restart of the panel servers with the current settings.',
  data: z.strictObject({}),
  stream: () => 'panel',
});

export const PanelRestarted = defineEvent('PanelRestarted', {
  summary: 'The panel servers restarted with the current settings. Core, sessions and log were not interrupted.',
  data: z.strictObject({ panel: place, subscription: place }),
  stream: () => 'panel',
});

export const PanelRestartFailed = defineEvent('PanelRestartFailed', {
  summary: 'A server could not start with the current settings. Both servers keep their former settings.',
  data: z.strictObject({ server: z.enum(['panel', 'subscription']), reason: z.string() }),
  stream: () => 'panel',
});

export const DataKeyDestroyed = defineEvent('DataKeyDestroyed', {
  summary: 'A data key was destroyed. The data encrypted with it can no longer be read.',
  data: z.strictObject({ key: z.string(), reason: z.enum(['rotated', 'erased']) }),
  stream: () => 'keys',
});

export const LogLossAccepted = defineEvent('LogLossAccepted', {
  summary: 'Events or the anchor were missing at a start, and an operator accepted the log as it was found.',
  data: z.strictObject({
    /** The last position that the anchor knew; null where there was no anchor. */
    expectedPosition: z.int().nullable(),
    /** The last position that was there. */
    foundPosition: z.int(),
    /** The identity that the log had until then; null in events of the first releases, after which it kept the identity. */
    previousGeneration: z.string().nullable(),
  }),
  stream: () => 'log',
});

export const panelEvents = [
  PanelStarted,
  PanelStopped,
  PanelRestartRequested,
  PanelRestarted,
  PanelRestartFailed,
  DataKeyDestroyed,
  LogLossAccepted,
] as const;
