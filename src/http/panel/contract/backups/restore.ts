import { z } from 'zod';
import { issue } from '../../../../messages/issue.js';
import { get, post, routes, Upload } from '../route.js';
import { body, plainText } from '../schemas/fields.js';
import { TextCode } from '../schemas/text-code.js';
import { MAX_UPLOAD_BYTES } from './database.js';

const Totals = z.object({
  inbounds: z.number(),
  clients: z.number(),
  inboundUp: z.number(),
  inboundDown: z.number(),
  clientUp: z.number(),
  clientDown: z.number(),
  outboundUp: z.number(),
  outboundDown: z.number(),
});

const Contents = z.object({
  inbounds: z.number(),
  clients: z.number(),
  nodes: z.number(),
  admins: z.number(),
});

/** What a database of 3x-ui contains, what is imported of it, and every difference. */
const Import = z.object({
  version: z.string(),
  tables: z.array(z.object({ table: z.string(), rows: z.number(), changed: z.number(), skipped: z.number() })),
  before: Totals,
  after: Totals,
  skipped: Totals,
  /** The number of all findings. The list has the most severe 1000. */
  found: z.number(),
  findings: z.array(
    z.object({
      table: z.string(),
      item: z.string(),
      outcome: z.enum(['skipped', 'changed', 'noted']),
      reason: z.string(),
      reasonCode: TextCode,
    }),
  ),
});

/** What a confirmation does. */
const Report = z.object({
  kind: z.enum(['portolan', '3x-ui']),
  sha256: z.string(),
  /** Null for a database of 3x-ui. */
  backup: z
    .object({
      position: z.number(),
      madeAt: z.number(),
      release: z.string(),
      /** Events recorded since then, which are lost; null = the backup is of another log. */
      newer: z.number().nullable(),
    })
    .nullable(),
  /** The contents of the current state, and of the one that replaces it. */
  before: Contents,
  after: Contents,
  /** Settings that keep the value of this machine. */
  kept: z.array(z.object({ key: z.string(), why: z.string(), whyCode: TextCode })),
  import: Import.nullable(),
  /** The base path of the panel afterwards. */
  basePath: z.string(),
});

const Check = z.object({
  id: z.string(),
  /** The name of a kept backup; null for an upload. */
  name: z.string().nullable(),
  startedAt: z.number(),
  phase: z.enum(['waiting', 'reading', 'verifying', 'importing', 'preparing', 'ready', 'refused']),
  /** Events verified, of how many; 0 of 0 where they are not counted. */
  done: z.number(),
  total: z.number(),
  /** Why the file was refused. */
  why: z.string().nullable(),
  whyCode: TextCode,
  report: Report.nullable(),
});

/** Restores in two steps: a check that changes nothing, and its confirmation. */
export const restoreRoutes = routes('/panel/api/server', {
  downloadBackup: get('/backups/:name', {
    leader: true,
    permission: { resource: 'backups', action: 'export' },
    summary: 'Download a backup from the list of the scheduled ones',
    params: z.object({ name: z.string().max(200) }),
    media: 'application/octet-stream',
    reply: z.string().meta({ format: 'binary' }),
  }),
  makeBackup: post('/backups/make', {
    permission: { resource: 'backups', action: 'create' },
    summary:
      'Make a backup now, verify it and keep it among the scheduled ones; after 25 seconds it continues without the caller',
  }),
  checkBackup: post('/backups/check', {
    permission: { resource: 'backups', action: 'restore' },
    summary: 'Start the check of a backup from the list, for a restore',
    body: body({ name: plainText, passphrase: plainText }),
    reply: Check,
  }),
  checkDB: post('/checkDB', {
    permission: { resource: 'backups', action: 'restore' },
    summary: 'Start the check of a backup or of a 3x-ui database, for a restore; nothing changes until it is confirmed',
    upload: 'db',
    limit: MAX_UPLOAD_BYTES,
    body: z.object({
      db: z
        .custom<Upload>((value) => value instanceof Upload, issue('input.missing'))
        .meta({ type: 'string', format: 'binary' }),
      /** For a sealed backup; without it, the passphrase in the settings is tried. */
      passphrase: z.string().max(1000).optional(),
    }),
    reply: Check,
  }),
  restoreCheck: get('/restore', {
    leader: true,
    permission: { resource: 'backups', action: 'restore' },
    summary: 'Get the check that the caller started: its progress, then what a confirmation does; null = none',
    reply: Check.nullable(),
  }),
  restore: post('/restore', {
    permission: { resource: 'backups', action: 'restore' },
    summary: 'Replace the whole state by that of the checked file; the panel restarts',
    body: body({ id: plainText }),
  }),
  discardRestore: post('/restore/discard', {
    permission: { resource: 'backups', action: 'restore' },
    summary: 'Discard the result of a check',
    body: body({ id: plainText }),
  }),
});
