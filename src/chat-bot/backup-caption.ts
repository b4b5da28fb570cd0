import type { BackupFile } from '../commands/ports/backups.js';
import type { Words } from './words.js';

/** The text under a backup in a chat, as HTML. `now` in ms since 1970. */
export function backupCaption(words: Words, now: number, { position, sealed }: BackupFile): string {
  const lines = [
    words.t('bot.backupOf', { at: now, position }),
    sealed ? words.t('bot.backupSealed') : words.t('bot.backupNotSealed'),
  ];
  return lines.map(({ html }) => html).join('\n');
}
