import type { PermissionName } from '../lib/permissions.js';
import type { Phrase, Words } from './words.js';

/** The commands of admins, in the order of the help text. */
export const commandNames = [
  ...(['status', 'online', 'top', 'soon', 'search', 'usage', 'backup', 'restart', 'id', 'help'] as const),
] as const;
export type CommandName = (typeof commandNames)[number];

/** What each command needs; null = nothing. */
export const commandPermissions: Record<CommandName, PermissionName | null> = {
  status: 'server:read',
  online: 'clients:read',
  top: 'clients:read',
  soon: 'clients:read',
  search: 'clients:read',
  usage: 'clients:read',
  backup: 'backups:create',
  restart: 'core:run',
  id: null,
  help: null,
};

/** The description of a command in the help text. */
export function aboutCommand(command: CommandName, words: Words): Phrase {
  switch (command) {
    case 'status':
      return words.t('bot.statusCommand');
    case 'online':
      return words.t('bot.onlineCommand');
    case 'top':
      return words.t('bot.topCommand');
    case 'soon':
      return words.t('bot.soonCommand');
    case 'search':
      return words.t('bot.searchCommand');
    case 'usage':
      return words.t('bot.usageCommand');
    case 'backup':
      return words.t('bot.backupCommand');
    case 'restart':
      return words.t('bot.restartCommand');
    case 'id':
      return words.t('bot.idCommand');
    case 'help':
      return words.t('bot.helpCommand');
  }
}

/** A command as it was written. */
interface WrittenCommand {
  /** In lower case; `search` for a text without a command. */
  readonly name: string;
  readonly rest: string;
}

/** Null when the command is for another bot in the same group. */
export function parseCommand(text: string, bot: string): WrittenCommand | null {
  const found = /^\/(\w{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!found) return { name: 'search', rest: text.trim() };
  const [, command = '', to, rest = ''] = found;
  if (to !== undefined && to.toLowerCase() !== bot.toLowerCase()) return null;
  return { name: command.toLowerCase(), rest: rest.trim() };
}
