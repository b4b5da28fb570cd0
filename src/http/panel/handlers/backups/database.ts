import { BackupError } from '../../../../commands/ports/backups.js';
import { type Rejection, reject } from '../../../../commands/rejection.js';
import { codeOf, message, type Text } from '../../../../messages/message.js';
import type { HttpRequest, Needs } from '../../context.js';
import type { databaseRoutes } from '../../contract/backups/database.js';
import type { Handlers } from '../../mount.js';
import { Download, Message } from '../../outcomes.js';

export const databaseHandlers: Handlers<typeof databaseRoutes, Needs<'backups'>> = {
  async getDb(_, { backups }) {
    try {
      return new Download(await backups.create());
    } catch (error) {
      return backupRefusal(error, (why) => reject('BACKUP_FAILED', { why }));
    }
  },

  /** The response is sent before the panel restarts. */
  async importDB({ body: { db, passphrase } }, services, request) {
    try {
      const { kept } = await services.backups.replace({ path: db.path, passphrase, requestedBy: request.actor });
      return importedMessage(request, kept);
    } catch (error) {
      return backupRefusal(error, (why) => reject('IMPORT_REFUSED', { why }));
    }
  },

  backups: (_, { backups }, { say }) => {
    const { last, lastGood, next, late } = backups.latest();
    return {
      last: last && { at: last.at, why: last.why && say(last.why), whyCode: codeOf(last.why) },
      lastGood: lastGood && { ...lastGood },
      next,
      late,
      files: backups.list().map((file) => ({ ...file })),
    };
  },
};

/** Clients of 3x-ui expect the sentence in `obj`; `msg` names the settings that were kept. */
function importedMessage(
  { say }: Pick<HttpRequest, 'say'>,
  kept: readonly { readonly key: string; readonly why: Text }[],
) {
  const done = say(message('backup.imported'));
  if (kept.length === 0) return done;
  const settings = kept.map((setting) => message('backup.keptSetting', setting));
  return new Message(message('backup.keptSettings', { settings }), done);
}

/** The rejection for an error of a backup or a restore; other errors are thrown again. */
export function backupRefusal(error: unknown, otherwise: (why: Text) => Rejection): Rejection {
  if (!(error instanceof BackupError)) throw error;
  return error.kind === 'busy' ? reject('BACKUP_BUSY') : otherwise(error.text);
}
