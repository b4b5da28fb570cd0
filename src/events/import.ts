import { z } from 'zod';
import { Bytes, ClientNumber, InboundId, Time } from './ids.js';
import { defineEvent } from './log/event.js';

const Count = z.int().nonnegative();

/** What a database holds, in numbers: bytes as its tables of counters have them. */
export const ImportTotals = z.strictObject({
  inbounds: Count,
  clients: Count,
  inboundUp: Bytes,
  inboundDown: Bytes,
  clientUp: Bytes,
  clientDown: Bytes,
  outboundUp: Bytes,
  outboundDown: Bytes,
});
export type ImportTotals = z.infer<typeof ImportTotals>;

/** One thing that is not here as it was there. */
export const ImportFinding = z.strictObject({
  table: z.string(),
  /** What it is about, in words: `client bob of inbound 3`. */
  item: z.string(),
  outcome: z.enum(['changed', 'skipped', 'noted']),
  /** A sentence without secrets. */
  reason: z.string(),
});
export type ImportFinding = z.infer<typeof ImportFinding>;

export const ImportedTable = z.strictObject({
  table: z.string(),
  rows: Count,
  /** Of those, how many are not as they were, and how many are not here at all. */
  changed: Count,
  skipped: Count,
});
export type ImportedTable = z.infer<typeof ImportedTable>;

export const PanelImported = defineEvent('PanelImported', {
  summary: 'The database of another panel was imported. All events of the import name this event as their cause.',
  data: z.strictObject({
    source: z.enum(['3x-ui']),
    /** As far as the tables show it. */
    version: z.string(),
    file: z.strictObject({ sha256: z.string(), bytes: Count }),
    tables: z.array(ImportedTable),
    before: ImportTotals,
    after: ImportTotals,
    skipped: ImportTotals,
    /** How many there were in all; the gravest of them are in `details`. */
    findingCount: Count,
    details: z.strictObject({
      requestedBy: z.strictObject({ kind: z.string(), name: z.string() }),
      findings: z.array(ImportFinding),
    }),
  }),
  stream: () => 'import',
  // The findings name customers.
  seal: {
    details: { key: () => 'import/details', erased: () => ({ requestedBy: { kind: '', name: '' }, findings: [] }) },
  },
});

export const ClientHistoryImported = defineEvent('ClientHistoryImported', {
  summary: 'The traffic and times of a client were imported from another panel.',
  data: z.strictObject({
    client: ClientNumber,
    up: Bytes,
    down: Bytes,
    /** Up plus down since it was made, whatever was reset. */
    allTime: Bytes,
    /** 0 = never, or not known. */
    lastOnlineAt: Time,
    createdAt: Time,
    updatedAt: Time,
  }),
  stream: ({ client }) => `client-${client}`,
});

export const InboundHistoryImported = defineEvent('InboundHistoryImported', {
  summary: 'The traffic of an inbound was imported from another panel.',
  data: z.strictObject({
    inbound: InboundId,
    up: Bytes,
    down: Bytes,
    allTime: Bytes,
    /** When its counters were last set to zero; 0 = never, or not known. */
    resetAt: Time,
  }),
  stream: ({ inbound }) => `inbound-${inbound}`,
});

export const OutboundHistoryImported = defineEvent('OutboundHistoryImported', {
  summary: 'The traffic of an outbound was imported from another panel.',
  data: z.strictObject({ tag: z.string(), up: Bytes, down: Bytes }),
  stream: () => 'traffic',
});

export const importEvents = [
  PanelImported,
  ClientHistoryImported,
  InboundHistoryImported,
  OutboundHistoryImported,
] as const;
