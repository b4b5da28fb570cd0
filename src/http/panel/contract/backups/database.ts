import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, post, routes, Upload } from '../route.js';
import { TextCode } from '../schemas/text-code.js';

/** For larger files use the command line. */
export const MAX_UPLOAD_BYTES = 1024 ** 3;

const Kept = z.object({
  at: z.number(),
  name: z.string(),
  position: z.number(),
  bytes: z.number(),
  sealed: z.boolean(),
});

/** Backup and restore of the whole state. */
export const databaseRoutes = routes('/panel/api/server', {
  getDb: get('/getDb', {
    leader: true,
    permission: { resource: 'backups', action: 'export' },
    summary:
      'Download a backup of the log with its key; the name ends in -sealed.db if the key is encrypted with a passphrase',
    media: 'application/octet-stream',
    reply: z.string().meta({ format: 'binary' }),
  }),
  importDB: post('/importDB', {
    permission: { resource: 'backups', action: 'restore' },
    summary:
      'Replace the whole state with that of a backup or of a 3x-ui database; the file is checked completely first, and the panel restarts',
    upload: 'db',
    limit: MAX_UPLOAD_BYTES,
    body: z.object({
      db: z
        .custom<Upload>((value) => value instanceof Upload, issue('input.missing'))
        .meta({ type: 'string', format: 'binary' }),
      /** For a sealed backup. */
      passphrase: z.string().max(1000).optional(),
    }),
    reply: z.string(),
  }),
  backups: get('/backups', {
    leader: true,
    permission: { resource: 'backups', action: 'read' },
    summary: 'Get the scheduled backups: the last attempt, the last verified backup, and when the next one is due',
    reply: z.object({
      last: z.object({ at: z.number(), why: z.string().nullable(), whyCode: TextCode }).nullable(),
      lastGood: Kept.nullable(),
      next: z.number().nullable(),
      late: z.boolean(),
      files: z.array(z.object({ name: z.string(), bytes: z.number(), at: z.number() })),
    }),
  }),
});
