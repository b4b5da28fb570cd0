import { z } from 'zod';
import { issue } from '../../../messages/issue.js';
import { Change } from './audit.js';
import { MAX_UPLOAD_BYTES } from './backups/database.js';
import { get, post, routes, Upload } from './route.js';
import { text, whole } from './schemas/fields.js';
import { TextCode } from './schemas/text-code.js';

const NOUNS = [
  ...(['inbound', 'client', 'node', 'settings', 'core'] as const),
  ...(['role', 'admin', 'token', 'webhook', 'hold', 'geoSource'] as const),
] as const;
const MAX_DOCUMENTS = 1000;
const DiffMoment = z.object({ position: z.int(), at: z.int() });

/** What differs between two moments. */
const Diff = z.object({
  from: DiffMoment,
  to: DiffMoment,
  /** Numbers of all documents that differ. */
  counts: z.object({ added: z.int(), removed: z.int(), changed: z.int() }),
  /** By noun and number. */
  documents: z.array(
    z.object({
      noun: z.enum(NOUNS),
      /** 0 for the settings, the core and a role. */
      number: z.int(),
      name: z.string(),
      change: z.enum(['added', 'removed', 'changed']),
      /** An added document has all fields of the later moment, a removed one those of the earlier. */
      fields: z.array(
        Change.extend({
          /** The value of one moment is left out, because its data key was destroyed since. */
          erased: z.boolean(),
          /** The last event that set it; null = none between the moments. */
          position: z.int().nullable(),
        }),
      ),
      /** The events that changed it, newest first, at most 50. */
      events: z.array(z.object({ position: z.int(), at: z.int(), type: z.string(), by: z.string(), byCode: TextCode })),
    }),
  ),
});

const compared = {
  /** Empty = all. */
  noun: z.enum(['', ...NOUNS], issue('input.notOneOf', { known: [...NOUNS] })).default(''),
  /** Email of a client at either moment: only its changes; empty = all. */
  client: text,
  /** How many documents to leave out at the beginning. */
  skip: whole({ min: 0 }),
  /** 0 = 100 */
  limit: whole({ min: 0, max: MAX_DOCUMENTS }),
  /** `text`: lines for people, in the language of the caller. */
  format: z.enum(['json', 'text'], issue('input.notOneOf', { known: ['json', 'text'] })).default('json'),
};
const Compared = z.object(compared);
export type Compared = z.output<typeof Compared>;

/** What differs between two moments, or between a backup and a moment. */
export const diffRoutes = routes('/panel/api/audit', {
  diff: get('/diff', {
    permission: { resource: 'audit', action: 'read' },
    summary:
      'What was added, removed and changed between two moments, by field, with who changed it; without secrets and traffic',
    query: z.object({
      /** A position or a time, as in `at`; or `backup:` and the name of a backup from the list. */
      from: z.string(),
      /** The same; empty = now. */
      to: z.string().default(''),
      ...compared,
    }),
    reply: Diff,
  }),
  diffUpload: post('/diffUpload', {
    permission: { resource: 'backups', action: 'restore' },
    summary: 'The same between an uploaded backup and a moment of the panel, or a backup from the list',
    upload: 'db',
    limit: MAX_UPLOAD_BYTES,
    body: z.object({
      db: z
        .custom<Upload>((value) => value instanceof Upload, issue('input.missing'))
        .meta({ type: 'string', format: 'binary' }),
      /** For a sealed backup; without it, the passphrase in the settings is tried. */
      passphrase: z.string().max(1000).optional(),
      /** As above; `upload` = the file. At least one of the two must be the file. */
      from: z.string().default('upload'),
      to: z.string().default(''),
      ...compared,
    }),
    reply: Diff,
  }),
});
