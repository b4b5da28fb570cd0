import { authRoutes } from './auth.js';
import { clientRoutes } from './clients.js';
import { coreControlRoutes } from './core-control.js';
import { coreSettingApiRoutes, coreSettingRoutes } from './core-settings.js';
import { inboundRoutes } from './inbounds.js';
import { keygenRoutes } from './keygen.js';
import type { Routes } from './route.js';
import { serverRoutes } from './server.js';
import { accountRoutes, settingApiRoutes, settingRoutes } from './settings.js';

/** Every table, in the order in which they are mounted: `clients` before `inbounds`, whose paths would shadow it. */
export const tables = {
  auth: authRoutes,
  clients: clientRoutes,
  inbounds: inboundRoutes,
  server: serverRoutes,
  coreControl: coreControlRoutes,
  keygen: keygenRoutes,
  settings: settingRoutes,
  settingsApi: settingApiRoutes,
  account: accountRoutes,
  coreSettings: coreSettingRoutes,
  coreSettingsApi: coreSettingApiRoutes,
} as const satisfies Readonly<Record<string, Routes>>;
