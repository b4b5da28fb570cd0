import type { SecretKey, SettingKey } from '../../../events/settings/settings.js';

/** What 3x-ui calls settings that have another name here. */
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

/** What 3x-ui calls the flags of secrets that have another name here. */
export const flagNames: Readonly<Record<string, SecretKey>> = {
  hasTgBotToken: 'chatBotToken',
  hasTgBotProxy: 'chatBotProxy',
  hasWarpSecret: 'wgprov',
  hasNordSecret: 'vpnprov',
};

/** Our name for a setting, under whichever name it comes. */
export function ourName(name: string): string {
  if (Object.hasOwn(plainNames, name)) return plainNames[name] ?? name;
  return Object.hasOwn(secretNames, name) ? (secretNames[name] ?? name) : name;
}

/** `chatBotToken` → `hasChatBotToken`. */
export function flagOf(secret: string): string {
  return `has${secret.charAt(0).toUpperCase()}${secret.slice(1)}`;
}
