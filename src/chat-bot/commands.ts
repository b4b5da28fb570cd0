import type { Phrase, Words } from './words.js';

/** The commands of admins, in the order in which they are shown. */
export const commandNames = [
  ...(['status', 'online', 'top', 'soon', 'search', 'usage', 'backup', 'restart', 'id', 'help'] as const),
] as const;
export type CommandName = (typeof commandNames)[number];

/** What each command does, for people. */
export function aboutCommand(command: CommandName, words: Words): Phrase {
  switch (command) {
    case 'status':
      return words.t('The machine, the core and the last backup');
    case 'online':
      return words.t('Who is online');
    case 'top':
      return words.t('Who has used most');
    case 'soon':
      return words.t('Whose time or bytes are soon over');
    case 'search':
      return words.t('Find clients by a part of their email');
    case 'usage':
      return words.t('How a client stands, by its email');
    case 'backup':
      return words.t('Send a fresh backup to every admin');
    case 'restart':
      return words.t('Start the core anew');
    case 'id':
      return words.t('The numbers of you and of this chat');
    case 'help':
      return words.t('This list');
  }
}

/** A command as somebody has written it. */
export interface Asked {
  /** In small letters; `search` for a text that is no command. */
  readonly command: string;
  readonly rest: string;
}

/** Null for the command of another bot in the same group. */
export function asked(text: string, bot: string): Asked | null {
  const found = /^\/(\w{1,32})(?:@(\w{1,64}))?(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (!found) return { command: 'search', rest: text.trim() };
  const [, command = '', to, rest = ''] = found;
  if (to !== undefined && to.toLowerCase() !== bot.toLowerCase()) return null;
  return { command: command.toLowerCase(), rest: rest.trim() };
}
