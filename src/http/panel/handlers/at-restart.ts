import type { SettingKey } from '../../../events/settings/settings.js';

/** Settings that take effect when the servers are opened, as `restartPanel` does. */
export const AT_RESTART: ReadonlySet<string> = new Set<SettingKey>([
  ...(['webListen', 'webPort', 'webBasePath', 'webDomain', 'webCertFile', 'webKeyFile'] as const),
  ...(['subListen', 'subPort', 'subDomain', 'subCertFile', 'subKeyFile'] as const),
]);
