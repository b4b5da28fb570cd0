import { z } from 'zod';
import { oneOf } from './fields.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

export const PanelStarted = defineEvent('PanelStarted', {
  summary: 'A process of the panel started. Its id in the first log is the id of the panel.',
  recordedBy: { RecordPanelStarted: 'the panel has opened its log, before it starts the core' },
  data: z.strictObject({ version: z.string().describe('Version of the panel.') }),
  stream: () => 'panel',
});

export const PanelStopped = defineEvent('PanelStopped', {
  summary: 'A process of the panel stopped on request. After a crash there is no such event.',
  recordedBy: { RecordPanelStopped: 'the panel received a signal to stop, before it closes the log' },
  data: z.strictObject({}),
  stream: () => 'panel',
});

const place = z.strictObject({
  listen: z.string().describe('IP address that the server listens on; empty = all addresses.'),
  port: z.int().meta({ unit: 'TCP port', description: 'Port that the server listens on.' }),
  tls: z.boolean().describe('Whether the server uses TLS.'),
});
/** Where a server listens. An empty `listen` is every address. */
export type ServerPlace = z.output<typeof place>;

export const PanelRestartRequested = defineEvent('PanelRestartRequested', {
  summary: 'A restart of the panel servers with the current settings was requested.',
  recordedBy: { RestartPanel: 'an admin restarts the panel, or its process receives SIGHUP' },
  data: z.strictObject({}),
  stream: () => 'panel',
});

export const PanelRestarted = defineEvent('PanelRestarted', {
  summary: 'The panel servers restarted with the current settings. Core, sessions and log were not interrupted.',
  recordedBy: { RecordPanelRestarted: 'both servers listen after `PanelRestartRequested`' },
  data: z.strictObject({
    panel: place.describe('Where the panel listens.'),
    subscription: place.describe('Where the subscription server listens.'),
  }),
  stream: () => 'panel',
});

export const PanelRestartFailed = defineEvent('PanelRestartFailed', {
  summary: 'A server could not start with the current settings. Both servers keep their previous settings.',
  recordedBy: {
    RecordPanelRestartFailed: 'a server cannot listen or load its certificate after `PanelRestartRequested`',
  },
  data: z.strictObject({
    server: z.enum(['panel', 'subscription']).describe('The server that could not start.'),
    reason: textSchema.describe('Why the restart failed.'),
  }),
  stream: () => 'panel',
});

export const DataKeyDestroyed = defineEvent('DataKeyDestroyed', {
  summary: 'A data key was destroyed. The data encrypted with it can no longer be read.',
  recordedBy: {
    UpdateClient: 'the id, password or auth of a client was replaced',
    UpdateInbound: 'the request replaces the id, password or auth of a client',
    UpdateNode: 'the token of a node was replaced',
    ChangeSettings: 'a secret setting was replaced or removed',
    SwitchOffTwoFactor: 'the two-factor secret was removed',
    ChangeCredentials: 'the name or password of an admin was replaced',
    UpgradePasswordHash: 'the password hash of an admin was replaced',
    IssueApiToken: 'the API token was replaced',
    DeleteAdmin: 'an admin was deleted',
    RemoveSecondFactor: 'the two-factor token of an admin was removed',
    IssueRecoveryCodes: 'the recovery codes of an admin were replaced',
    RemovePasskey: 'a passkey was removed',
    RemoveFactors: 'the second factors of an admin were removed',
    EraseDeleted:
      'a client, inbound, node or webhook was deleted, or the core template or the secret of a webhook was replaced, `eraseDeletedAfterDays` ago, and no legal hold keeps its data; checked once an hour',
    EraseClients: 'an admin erases a client',
    AcceptLoss: 'a data key is missing, and the event of its destruction is among the lost events',
  },
  data: z.strictObject({
    key: z.string().describe('Name of the data key.'),
    reason: oneOf({
      rotated: 'the value encrypted with it was replaced',
      erased: 'the data of a deleted item, or of a former core template, is erased',
    }).describe('Why it was destroyed.'),
  }),
  stream: () => 'keys',
});

export const LogLossAccepted = defineEvent('LogLossAccepted', {
  summary: 'Events or the anchor were missing at a start, and an operator accepted the log as it was found.',
  recordedBy: { AcceptLoss: 'an operator runs `doctor --accept-loss` or `doctor --keep-readable`' },
  data: z.strictObject({
    expectedPosition: z
      .int()
      .nullable()
      .meta({ unit: 'position', description: 'Last position that the anchor had; null = there was no anchor.' }),
    foundPosition: z.int().meta({ unit: 'position', description: 'Last position in the log that was found.' }),
    previousGeneration: z
      .string()
      .nullable()
      .describe('Generation of the log until then; null in events of early versions, which kept the generation.'),
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
