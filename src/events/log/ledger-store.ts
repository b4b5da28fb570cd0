/** Bytes of one client on one day, counted on one machine. */
export interface Flow {
  readonly client: number;
  /** Day in the time zone of the ledger, counted from 1970-01-01, by the clock of the panel. */
  readonly day: number;
  /** The node that counted it; 0 = the core of this panel. */
  readonly node: number;
  /** Position of the last event in it. No entry of the client lies between its first and last event. */
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
type EntryKind = (typeof entryKinds)[number];

/** Another change of the counter of a client, or of the client. */
export interface Entry {
  readonly client: number;
  readonly position: number;
  readonly at: number;
  /** As in `Flow`. */
  readonly day: number;
  readonly kind: EntryKind;
  /** The change of the counter in bytes; negative if bytes were removed. */
  readonly up: number;
  readonly down: number;
  /** The inbound that the client was added to, or the other client of a transfer; otherwise 0. */
  readonly other: number;
  /** The rule that caused a reset; empty = an admin. */
  readonly rule: '' | 'period' | 'renewal';
}

/** The ledger does not match the log and must be rebuilt. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
}

/** The clock of the panel was set back: the line at this position has an earlier day than the line before it. */
export interface ClockSetback {
  readonly position: number;
  readonly day: number;
}

/** What was read from the log and is not stored yet. */
export interface LedgerBatch {
  readonly flows: readonly Flow[];
  readonly entries: readonly Entry[];
  readonly setbacks: readonly ClockSetback[];
  /** Day of the last line. */
  readonly day: number;
}

/** Stores flows and entries: a cache of the log that may be deleted. Reading throws `LedgerError` if it is damaged. */
export interface LedgerStore {
  /** The position up to which the log is in it. */
  readonly position: number;
  /** Day of its last line. */
  readonly day: number;
  /** In the order of the log. */
  readonly setbacks: readonly ClockSetback[];
  /** Writes all or nothing. `position` is the new position. */
  write(position: number, unwritten: LedgerBatch): void;
  /** In the order in which they were written. */
  flowsOf(client: number): readonly Flow[];
  entriesOf(client: number): readonly Entry[];
  /** The flows of all clients on a day and later days. Fast for the latest days. */
  flowsSince(day: number): Iterable<Flow>;
}
