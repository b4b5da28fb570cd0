import { tables } from './index.js';
import type { Route } from './route.js';

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
  ...[account.endOtherSessions, tables.recount.apply],
  ...[tables.personalData.erase, tables.personalData.hold, tables.personalData.release],
  ...[
    tables.webhooks.update,
    tables.webhooks.pause,
    tables.webhooks.resume,
    tables.webhooks.replay,
    tables.webhooks.del,
  ],
];
/** Routes that carry out several commands, and read nothing between them that the commands before have changed. */
const SEVERAL_COMMANDS: readonly Route[] = [clientList.restore, tables.undo.undo];

const KINDS = new Map<string, 'one' | 'several'>([
  ...ONE_COMMAND.map(({ path }) => [path, 'one'] as const),
  ...SEVERAL_COMMANDS.map(({ path }) => [path, 'several'] as const),
]);

/** How many commands a route carries out that answers `?dryRun=true`; null for other routes, which act outside the log. */
export function dryRunOf({ path }: Route): 'one' | 'several' | null {
  return KINDS.get(path) ?? null;
}
