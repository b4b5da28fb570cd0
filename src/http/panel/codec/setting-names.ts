import type { SecretKey, SettingKey } from '../../../events/settings/settings.js';

/** Settings that have another name in 3x-ui. */
export const plainNames: Readonly<Record<string, SettingKey>> = {
  tgBotEnable: 'chatBotEnable',
  tgBotAPIServer: 'chatBotAPIServer',
  tgBotChatId: 'chatBotChatId',
  tgRunTime: 'chatBotRunTime',
  tgBotBackup: 'chatBotBackup',
  tgBotLoginNotify: 'chatBotLoginNotify',
  tgCpu: 'chatBotCpu',
  tgLang: 'chatBotLang',
  restartXrayOnClientDisable: 'restartCoreOnClientDisable',
};

export const secretNames: Readonly<Record<string, SecretKey>> = {
  tgBotToken: 'chatBotToken',
  tgBotProxy: 'chatBotProxy',
  warp: 'wgprov',
  nord: 'vpnprov',
};

/** Flags of secrets that have another name in 3x-ui. */
export const flagNames: Readonly<Record<string, SecretKey>> = {
  hasTgBotToken: 'chatBotToken',
  hasTgBotProxy: 'chatBotProxy',
  hasWarpSecret: 'wgprov',
  hasNordSecret: 'vpnprov',
};

/** Our name of a setting, given either name. */
export function ourName(name: string): string {
  if (Object.hasOwn(plainNames, name)) return plainNames[name] ?? name;
  return Object.hasOwn(secretNames, name) ? (secretNames[name] ?? name) : name;
}

/** `chatBotToken` → `hasChatBotToken`. */
export function flagOf(secret: string): string {
  return `has${secret.charAt(0).toUpperCase()}${secret.slice(1)}`;
}
