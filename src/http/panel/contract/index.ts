import { apiDocsRoutes } from './api-docs.js';
import { attentionRoutes } from './attention.js';
import { auditRoutes } from './audit.js';
import { authRoutes } from './auth.js';
import { backupToChatRoutes } from './backup-to-chat.js';
import { clientListRoutes } from './client-list.js';
import { clientStatementRoutes } from './client-statement.js';
import { clientWhyRoutes } from './client-why.js';
import { clientRoutes } from './clients.js';
import { coreControlRoutes } from './core-control.js';
import { coreSettingApiRoutes, coreSettingRoutes } from './core-settings.js';
import { customGeoRoutes } from './custom-geo.js';
import { databaseRoutes } from './database.js';
import { eventRoutes } from './events.js';
import { historyRoutes } from './histories.js';
import { inboundFormRoutes } from './inbound-form.js';
import { inboundRoutes } from './inbounds.js';
import { keygenRoutes } from './keygen.js';
import { logRoutes } from './logs.js';
import { nodeRoutes } from './nodes.js';
import { panelApiRoutes, panelRoutes } from './panel.js';
import { restoreRoutes } from './restore.js';
import type { Routes } from './route.js';
import { serverRoutes } from './server.js';
import { settingDetailRoutes } from './setting-details.js';
import { accountRoutes, settingApiRoutes, settingRoutes } from './settings.js';
import { versionRoutes } from './versions.js';

/** Every table, in the order in which they are mounted: `clients` before `inbounds`, whose paths would shadow it. */
export const tables = {
  auth: authRoutes,
  clients: clientRoutes,
  clientList: clientListRoutes,
  clientWhy: clientWhyRoutes,
  clientStatement: clientStatementRoutes,
  inboundForms: inboundFormRoutes,
  inbounds: inboundRoutes,
  server: serverRoutes,
  attention: attentionRoutes,
  histories: historyRoutes,
  logs: logRoutes,
  coreControl: coreControlRoutes,
  keygen: keygenRoutes,
  versions: versionRoutes,
  database: databaseRoutes,
  restore: restoreRoutes,
  backupToChat: backupToChatRoutes,
  settings: settingRoutes,
  settingsApi: settingApiRoutes,
  settingDetails: settingDetailRoutes,
  account: accountRoutes,
  panel: panelRoutes,
  panelApi: panelApiRoutes,
  coreSettings: coreSettingRoutes,
  coreSettingsApi: coreSettingApiRoutes,
  customGeo: customGeoRoutes,
  nodes: nodeRoutes,
  events: eventRoutes,
  audit: auditRoutes,
  apiDocs: apiDocsRoutes,
} as const satisfies Readonly<Record<string, Routes>>;
