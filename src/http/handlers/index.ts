import type { Router } from 'express';
import type { AuthContext } from '../auth/visit.js';
import { tables } from '../contract/index.js';
import { mountEventStream } from '../event-stream.js';
import { type Gate, mount } from '../mount.js';
import { mountApiDocs } from '../openapi/serve.js';
import { backupToChatHandlers } from './backup-to-chat.js';
import { clientWhyHandlers } from './client-why.js';
import { clientHandlers } from './clients.js';
import { coreControlHandlers } from './core-control.js';
import { coreSettingHandlers } from './core-settings.js';
import { customGeoHandlers } from './custom-geo.js';
import { databaseHandlers } from './database.js';
import { eventHandlers } from './events.js';
import { historyHandlers } from './histories.js';
import { inboundHandlers } from './inbounds.js';
import { keygenHandlers } from './keygen.js';
import { logHandlers } from './logs.js';
import { nodeHandlers } from './nodes.js';
import { panelHandlers } from './panel.js';
import { serverHandlers } from './server.js';
import { settingApiHandlers, settingHandlers } from './settings.js';
import { versionHandlers } from './versions.js';

/** Binds every table but those of `auth` and `account`, whose handlers deal in cookies. */
export function mountHandlers(router: Router, gate: Gate<AuthContext>): void {
  mount(router, tables.clients, clientHandlers, gate);
  mount(router, tables.clientWhy, clientWhyHandlers, gate);
  mount(router, tables.inbounds, inboundHandlers, gate);
  mount(router, tables.server, serverHandlers, gate);
  mount(router, tables.histories, historyHandlers, gate);
  mount(router, tables.logs, logHandlers, gate);
  mount(router, tables.coreControl, coreControlHandlers, gate);
  mount(router, tables.keygen, keygenHandlers, gate);
  mount(router, tables.versions, versionHandlers, gate);
  mount(router, tables.database, databaseHandlers, gate);
  mount(router, tables.backupToChat, backupToChatHandlers, gate);
  mount(router, tables.settings, settingHandlers, gate);
  mount(router, tables.settingsApi, settingApiHandlers, gate);
  mount(router, tables.panel, panelHandlers, gate);
  mount(router, tables.panelApi, panelHandlers, gate);
  mount(router, tables.coreSettings, coreSettingHandlers, gate);
  mount(router, tables.coreSettingsApi, coreSettingHandlers, gate);
  mount(router, tables.customGeo, customGeoHandlers, gate);
  mount(router, tables.nodes, nodeHandlers, gate);
  mountEventStream(router, gate);
  mount(router, tables.events, eventHandlers, gate);
  mountApiDocs(router, gate);
}
