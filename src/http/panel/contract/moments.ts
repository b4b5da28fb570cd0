import { tables } from './index.js';
import type { Route } from './route.js';

const {
  inbounds,
  inboundForms,
  clientList,
  clients,
  clientStatement,
  coreControl,
  nodes,
  settings,
  settingsApi,
  settingDetails,
  coreSettings,
  coreSettingsApi,
} = tables;

/** Routes that answer `?at=` as they would have after an event of the past. They only read. */
const PATHS: ReadonlySet<string> = new Set(
  [
    ...[inbounds.list, inbounds.get, inboundForms.overview, inboundForms.form],
    ...[clientList.page, clientList.search, clientList.inbounds, clientList.details, clientList.exported],
    ...[clientList.exportedSearch, clients.getClientTrafficsById],
    ...[clients.getClientTraffics, clients.getSubLinks, clients.getClientLinks, clientList.links],
    ...[clientStatement.statement, coreControl.getConfigJson, settings.defaultSettings, settingsApi.defaultSettings],
    ...[coreSettings.getOutboundsTraffic, coreSettingsApi.getOutboundsTraffic],
    ...[nodes.list, nodes.get, settings.all, settingsApi.all, settingDetails.sources],
    ...[coreSettings.read, coreSettingsApi.read],
  ].map(({ path }) => path),
);

export const answersAt = ({ path }: Route): boolean => PATHS.has(path);
