import type { Router } from 'express';
import { tables } from '../contract/index.js';
import { type Gate, mount } from '../mount.js';
import { clientHandlers } from './clients.js';
import { coreControlHandlers } from './core-control.js';
import { coreSettingHandlers } from './core-settings.js';
import { inboundHandlers } from './inbounds.js';
import { keygenHandlers } from './keygen.js';
import { serverHandlers } from './server.js';
import { settingApiHandlers, settingHandlers } from './settings.js';

/** Binds every table but those of `auth` and `account`, whose handlers deal in cookies. */
export function mountHandlers(router: Router, gate: Gate): void {
  mount(router, tables.clients, clientHandlers, gate);
  mount(router, tables.inbounds, inboundHandlers, gate);
  mount(router, tables.server, serverHandlers, gate);
  mount(router, tables.coreControl, coreControlHandlers, gate);
  mount(router, tables.keygen, keygenHandlers, gate);
  mount(router, tables.settings, settingHandlers, gate);
  mount(router, tables.settingsApi, settingApiHandlers, gate);
  mount(router, tables.coreSettings, coreSettingHandlers, gate);
  mount(router, tables.coreSettingsApi, coreSettingHandlers, gate);
}
