import { z } from 'zod';
import { Bytes, Count, Down, Hash, oneOf, Time, Up } from './fields.js';
import { ClientNumber, InboundId } from './ids.js';
import { defineEvent } from './log/event.js';
import { textSchema } from './text.js';

/** The contents of a database in numbers; bytes as in its tables of counters. */
export const ImportTotals = z
  .strictObject({
    inbounds: Count.describe('Number of inbounds.'),
    clients: Count.describe('Number of clients.'),
    inboundUp: Bytes.describe('Bytes up of all inbounds.'),
    inboundDown: Bytes.describe('Bytes down of all inbounds.'),
    clientUp: Bytes.describe('Bytes up of all clients.'),
    clientDown: Bytes.describe('Bytes down of all clients.'),
    outboundUp: Bytes.describe('Bytes up of all outbounds.'),
    outboundDown: Bytes.describe('Bytes down of all outbounds.'),
  })
  .meta({ typeName: 'ImportTotals' });
export type ImportTotals = z.infer<typeof ImportTotals>;

/** One difference between the database and the imported state. */
export const ImportFinding = z.strictObject({
  table: z.string().describe('Table of the database.'),
  item: textSchema.describe('What the finding is about, such as `client bob of inbound 3`.'),
  outcome: oneOf({
    changed: 'it was imported with a change',
    skipped: 'it was not imported',
    noted: 'it was imported unchanged, but the admin should know',
  }).describe('What was done.'),
  reason: textSchema.describe('Why, for people, without secrets.'),
});
export type ImportFinding = z.infer<typeof ImportFinding>;

export const ImportedTable = z.strictObject({
  table: z.string().describe('Table of the database.'),
  rows: Count.describe('Number of rows.'),
  changed: Count.describe('Number of items that were imported with a change.'),
  skipped: Count.describe('Number of items that were not imported.'),
});
export type ImportedTable = z.infer<typeof ImportedTable>;

export const PanelImported = defineEvent('PanelImported', {
  summary: 'The database of another panel was imported. All events of the import name this event as their cause.',
  recordedBy: { ImportPanel: 'an admin restores a database of 3x-ui; the first event of the import' },
  data: z.strictObject({
    source: z.enum(['3x-ui']).describe('The panel that the database is of.'),
    version: z.string().describe('Version of that panel, as far as the tables show it.'),
    file: z
      .strictObject({ sha256: Hash.describe('SHA-256 of the file.'), bytes: Bytes.describe('Size of the file.') })
      .describe('The file of the database.'),
    tables: z.array(ImportedTable).describe('What was imported from each table.'),
    before: ImportTotals.describe('Contents of the database.'),
    after: ImportTotals.describe('What was imported.'),
    skipped: ImportTotals.describe('What was not imported.'),
    findingCount: Count.describe('Number of all findings.'),
    details: z
      .strictObject({
        requestedBy: z
          .strictObject({
            kind: z.string().describe('Kind of the actor.'),
            name: z.string().describe('Name of the actor.'),
          })
          .describe('Who requested the import.'),
        findings: z.array(ImportFinding).describe('The most severe findings.'),
      })
      .describe('What contains personal data.'),
  }),
  stream: () => 'import',
  seal: {
    details: { key: () => 'import/details', erased: () => ({ requestedBy: { kind: '', name: '' }, findings: [] }) },
  },
});

export const ClientHistoryImported = defineEvent('ClientHistoryImported', {
  summary: 'The traffic and times of a client were imported from another panel.',
  recordedBy: { ImportPanel: 'the imported database has counters or times of the client' },
  data: z.strictObject({
    client: ClientNumber,
    up: Up,
    down: Down,
    allTime: Bytes.describe('Up plus down since the client was created, regardless of resets.'),
    lastOnlineAt: Time.describe('When the client was last online; 0 = never or unknown.'),
    createdAt: Time.describe('When the client was created; 0 = unknown.'),
    updatedAt: Time.describe('When the client was last changed; 0 = unknown.'),
  }),
  stream: ({ client }) => `client-${client}`,
});

export const InboundHistoryImported = defineEvent('InboundHistoryImported', {
  summary: 'An inbound got the traffic that it had before: in another panel, or before it was deleted or reset.',
  recordedBy: {
    ImportPanel: 'the imported database has counters or times of the inbound',
    RestoreInbound: 'an admin undoes the deletion of the inbound',
    RestoreInboundTraffic: 'an admin undoes a reset of the counters of the inbound',
  },
  data: z.strictObject({
    inbound: InboundId,
    up: Up,
    down: Down,
    allTime: Bytes.describe('Up plus down since the inbound was created, regardless of resets.'),
    resetAt: Time.describe('When its counters were last reset; 0 = never or unknown.'),
  }),
  stream: ({ inbound }) => `inbound-${inbound}`,
});

export const OutboundHistoryImported = defineEvent('OutboundHistoryImported', {
  summary: 'An outbound got the traffic that it had before: in another panel, or before it was reset.',
  recordedBy: {
    ImportPanel: 'the imported database has counters or times of the outbound',
    RestoreOutboundTraffic: 'an admin undoes a reset of the counters of the outbound',
  },
  data: z.strictObject({ tag: z.string().describe('Tag of the outbound.'), up: Up, down: Down }),
  stream: () => 'traffic',
});

export const importEvents = [
  PanelImported,
  ClientHistoryImported,
  InboundHistoryImported,
  OutboundHistoryImported,
] as const;
