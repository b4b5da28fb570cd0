import { BackupError } from '../../../commands/ports/backups.js';
import { type Rejection, reject } from '../../../commands/rejection.js';
import { Download, type HttpRequest, Message, type Needs } from '../context.js';
import type { databaseRoutes } from '../contract/database.js';
import type { Handlers } from '../mount.js';

export const databaseHandlers: Handlers<typeof databaseRoutes, Needs<'backups'>> = {
  async getDb(_, { backups }) {
    try {
      return new Download(await backups.create());
    } catch (error) {
      return refusal(error, (why) => reject('BACKUP_FAILED', { why }));
    }
  },

  /** The answer is on its way before the panel starts anew. */
  async importDB({ body: { db, passphrase } }, services, request) {
    try {
      const { kept } = await services.backups.replace({ path: db.path, passphrase, requestedBy: request.actor });
      return said(request, kept);
    } catch (error) {
      return refusal(error, (why) => reject('IMPORT_REFUSED', { why }));
    }
  },

  backups: (_, { backups }) => {
    const { last, lastGood, next, late } = backups.latest();
    return {
      last: last && { ...last },
      lastGood: lastGood && { ...lastGood },
      next,
      late,
      files: backups.list().map((file) => ({ ...file })),
    };
  },
};

/** The sentence stands in `obj`, where the clients of 3x-ui look for it; what was kept in `msg`. */
function said({ say }: Pick<HttpRequest, 'say'>, kept: readonly { readonly key: string; readonly why: string }[]) {
  const done = 'The database has been successfully imported.';
  if (kept.length === 0) return done;
  const named = kept.map(({ key, why }) => `${key} (${say(why)})`).join(', ');
  return new Message(`${say('These settings stay as they are on this machine:')} ${named}`, done);
}

function refusal(error: unknown, otherwise: (why: string) => Rejection): Rejection {
  if (!(error instanceof BackupError)) throw error;
  return error.kind === 'busy' ? reject('BACKUP_BUSY') : otherwise(error.message);
}
