import { existsSync } from 'node:fs';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { SqliteEventLog } from '../adapters/sqlite/event-log.js';
import { openJournal } from '../store/journal.js';
import { type Examination, examine } from './damage/examination.js';
import { isReplicated } from './election.js';

/** What tells the log of one panel from that of another. */
export interface Identity {
  /** The id of the first event; empty = the log has none. */
  readonly id: string;
  /** Whether the log was replicated before, so that its cluster must have a stream. */
  readonly wasMember: boolean;
  /** The last event, and when it was recorded (ISO 8601). */
  readonly last: { readonly position: number; readonly since: string };
}

export function identityOf(log: SqliteEventLog): Identity {
  const { position } = log.head();
  const last = { position, since: new Date(log.at(position)?.meta.at ?? 0).toISOString() };
  return { id: log.at(1)?.id ?? '', wasMember: isReplicated(log), last };
}

/** The identity of the log in a directory; null when the log is empty or missing. */
export function identityIn(directory: DataDirectory): Identity | null {
  if (!existsSync(directory.database)) return null;
  const journal = openJournal(directory, { readonly: true });
  try {
    const identity = identityOf(journal.log);
    return identity.id === '' ? null : identity;
  } finally {
    journal.log.close();
  }
}

/** Compares the log of a directory, which no process has open, with the stream. */
export async function examineClosed(
  store: Parameters<typeof examine>[0],
  directory: DataDirectory,
  name: string,
): Promise<Examination> {
  const journal = openJournal(directory, { readonly: true });
  try {
    return await examine(store, journal.log, name);
  } finally {
    journal.log.close();
  }
}
