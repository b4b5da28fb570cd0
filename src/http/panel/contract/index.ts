import { adminRoutes, adminSessionRoutes, roleRoutes } from './access.js';
import { apiDocsRoutes } from './api-docs.js';
import { attentionRoutes } from './attention.js';
import { auditRoutes } from './audit.js';
import { authRoutes } from './auth.js';
import { databaseRoutes } from './backups/database.js';
import { restoreRoutes } from './backups/restore.js';
import { backupToChatRoutes } from './backups/to-chat.js';
import { capsuleRoutes } from './capsule.js';
import { clientRoutes } from './clients/clients.js';
import { clientListRoutes } from './clients/list.js';
import { clientStatementRoutes } from './clients/statement.js';
import { clientWhyRoutes } from './clients/why.js';
import { clusterRoutes } from './cluster.js';
import { coreControlRoutes } from './core/control.js';
import { customGeoRoutes } from './core/custom-geo.js';
import { historyRoutes } from './core/histories.js';
import { logRoutes } from './core/logs.js';
import { coreSettingApiRoutes, coreSettingRoutes } from './core/settings.js';
import { versionRoutes } from './core/versions.js';
import { diffRoutes } from './diff.js';
import { eventRoutes } from './events.js';
import { factorRoutes, passkeyRoutes } from './factors.js';
import { inboundFormRoutes } from './inbounds/form.js';
import { inboundRoutes } from './inbounds/inbounds.js';
import { keygenRoutes } from './inbounds/keygen.js';
import { nodeRoutes } from './nodes.js';
import { panelApiRoutes, panelRoutes } from './panel.js';
import { personalDataRoutes } from './personal-data.js';
import { proofRoutes } from './proof.js';
import { recountRoutes } from './recount.js';
import type { Routes } from './route.js';
import { serverRoutes } from './server.js';
import { settingDetailRoutes } from './settings/details.js';
import { accountRoutes, settingApiRoutes, settingRoutes } from './settings/settings.js';
import { metricRoutes, tokenRoutes } from './tokens.js';
import { undoRoutes } from './undo.js';
import { webhookRoutes } from './webhooks.js';

/**
 * Every table, in the order in which they are mounted: `clients` before `inbounds`, and `capsule` and `diff` before `audit`,
 * whose paths would shadow them.
 */
export const tables = {
  auth: authRoutes,
  passkeys: passkeyRoutes,
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
  factors: factorRoutes,
  panel: panelRoutes,
  panelApi: panelApiRoutes,
  coreSettings: coreSettingRoutes,
  coreSettingsApi: coreSettingApiRoutes,
  customGeo: customGeoRoutes,
  nodes: nodeRoutes,
  cluster: clusterRoutes,
  events: eventRoutes,
  undo: undoRoutes,
  recount: recountRoutes,
  capsule: capsuleRoutes,
  diff: diffRoutes,
  audit: auditRoutes,
  proof: proofRoutes,
  admins: adminRoutes,
  adminSessions: adminSessionRoutes,
  roles: roleRoutes,
  tokens: tokenRoutes,
  metrics: metricRoutes,
  personalData: personalDataRoutes,
  webhooks: webhookRoutes,
  apiDocs: apiDocsRoutes,
} as const satisfies Readonly<Record<string, Routes>>;
