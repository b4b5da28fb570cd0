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
  summary: 'Somebody asked for the servers of the panel to be made anew from the settings.',
  data: z.strictObject({}),
  stream: () => 'panel',
});

export const PanelRestarted = defineEvent('PanelRestarted', {
  summary: 'The servers of the panel follow the settings; core, sessions and log went on.',
  data: z.strictObject({ panel: place, subscription: place }),
  stream: () => 'panel',
});

export const PanelRestartFailed = defineEvent('PanelRestartFailed', {
  summary: 'A server could not be had as the settings want it; both go on as they were.',
  data: z.strictObject({ server: z.enum(['panel', 'subscription']), reason: z.string() }),
  stream: () => 'panel',
});

export const DataKeyDestroyed = defineEvent('DataKeyDestroyed', {
  summary: 'A data key was destroyed: what it sealed can no longer be read, here or in a replay.',
  data: z.strictObject({ key: z.string(), reason: z.enum(['rotated', 'erased']) }),
  stream: () => 'keys',
});

export const LogLossAccepted = defineEvent('LogLossAccepted', {
  summary:
    'Events were missing at a start, or the anchor that tells was; an operator chose to go on with what was there, as another log.',
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
