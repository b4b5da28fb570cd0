import { z } from 'zod';
import { tables } from './index.js';
import type { Route } from './route.js';
import { TextCode } from './schemas/text-code.js';

const { clients, clientList, inbounds, inboundForms, nodes, settings, settingsApi, account } = tables;
const { coreSettings, coreSettingsApi } = tables;

/** Routes that carry out at most one command, after checks that change nothing. */
const ONE_COMMAND: readonly Route[] = [
  ...[inbounds.add, inbounds.del, inbounds.update, inbounds.setEnable, inbounds.import],
  ...[inbounds.resetTraffic, inbounds.resetAllTraffics, inboundForms.delete, inboundForms.restore],
  ...[clients.addClient, clients.updateClient, clients.delClient, clients.delClientByEmail, clients.copyClients],
  ...[clients.resetClientTraffic, clients.resetAllClientTraffics, clients.delDepletedClients],
  ...[clients.updateClientTraffic, clients.clearClientIps, clientList.change],
  ...[nodes.add, nodes.update, nodes.del, nodes.setEnable],
  ...[settings.update, settingsApi.update, settings.secret, settings.regenerateApiToken],
  ...[coreSettings.update, coreSettings.resetOutboundsTraffic],
  ...[coreSettingsApi.update, coreSettingsApi.resetOutboundsTraffic],
  account.endOtherSessions,
];
/** Routes that carry out several commands, and read nothing between them that the commands before have changed. */
const SEVERAL_COMMANDS: readonly Route[] = [clientList.restore];

const KINDS = new Map<string, 'one' | 'several'>([
  ...ONE_COMMAND.map(({ path }) => [path, 'one'] as const),
  ...SEVERAL_COMMANDS.map(({ path }) => [path, 'several'] as const),
]);

/** How many commands a route carries out that answers `?dryRun=true`; null for other routes, which act outside the log. */
export function dryRunOf({ path }: Route): 'one' | 'several' | null {
  return KINDS.get(path) ?? null;
}

const Clients = z.object({
  count: z.int(),
  /** The first ones. */
  clients: z.array(z.object({ number: z.int(), email: z.string() })),
});

/** An event that would be appended. */
const PreviewedEvent = z.object({
  type: z.string(),
  group: z.string(),
  subject: z.object({ kind: z.string(), number: z.int(), name: z.string(), exists: z.boolean() }).nullable(),
  /** What would happen to the subject, in the language of the caller. */
  what: z.string(),
  whatCode: TextCode,
  /** As in the details of an event. */
  changes: z.array(
    z.object({ field: z.string(), before: z.unknown().optional(), after: z.unknown().optional(), secret: z.boolean() }),
  ),
  /** As in the event feed, without secrets. */
  data: z.record(z.string(), z.unknown()),
});

/** The answer of a changing route to `?dryRun=true`. */
export const Preview = z.object({
  dryRun: z.literal(true),
  /** The events that would be appended, in order, at most 1,000. */
  events: z.array(PreviewedEvent),
  /** Number of all these events; 0 = nothing would change. */
  total: z.int(),
  effects: z.object({
    /** Clients that may connect now, and could no longer; deleted ones are included. */
    disconnected: Clients,
    /** Clients that may not connect now, and then could; added ones are included. */
    reconnected: Clients,
  }),
  /** The newest event when this was decided. */
  head: z.object({ position: z.int(), hash: z.string() }),
});
