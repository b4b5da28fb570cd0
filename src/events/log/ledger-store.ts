/** Bytes of one client on one day, counted on one machine. */
export interface Flow {
  readonly client: number;
  /** By the clocks of the zone of the ledger, counted from 1970-01-01; as the clock of the panel showed it in a store. */
  readonly day: number;
  /** The node that counted; 0 = the core of this panel. */
  readonly node: number;
  /** Of the last event in it. No entry of the client lies between that and the first one. */
  readonly position: number;
  readonly up: number;
  readonly down: number;
}

export const entryKinds = [
  'added',
  'deleted',
  'renamed',
  'imported',
  'reset',
  'adjusted',
  'renewed',
  'transferred in',
  'transferred out',
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** What else happened to the counter of a client, or says whose it is. */
export interface Entry {
  readonly client: number;
  readonly position: number;
  readonly at: number;
  /** As that of a flow. */
  readonly day: number;
  readonly kind: EntryKind;
  /** What it did to the counter: negative where bytes were taken away. */
  readonly up: number;
  readonly down: number;
  /** The inbound that it was added to, or the client that the bytes come from or go to; else 0. */
  readonly other: number;
  /** The rule that brought about a reset; empty = somebody did it by hand. */
  readonly rule: '' | 'period' | 'renewal';
}

/** What is in a ledger cannot be what the log says: it has to be made anew. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}

/** The clock of the panel was set back: the line at this position is of an earlier day than the one before it. */
export interface ClockSetback {
  readonly position: number;
  readonly day: number;
}

/** What was read from the log and is not in a store yet. */
export interface LedgerBatch {
  readonly flows: readonly Flow[];
  readonly entries: readonly Entry[];
  readonly setbacks: readonly ClockSetback[];
  /** Of the last line of all. */
  readonly day: number;
}

/** Where flows and entries are kept: a cache of the log, and safe to lose. Reading throws `LedgerError` if it is damaged. */
export interface LedgerStore {
  /** Everything up to here is in it. */
  readonly position: number;
  /** Of the last line in it. */
  readonly day: number;
  /** In the order of the log. */
  readonly setbacks: readonly ClockSetback[];
  /** All of it or nothing; `position` is where it is then. */
  write(position: number, unwritten: LedgerBatch): void;
  /** In the order in which they were written. */
  flowsOf(client: number): readonly Flow[];
  entriesOf(client: number): readonly Entry[];
}
