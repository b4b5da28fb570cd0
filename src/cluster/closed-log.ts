import { existsSync } from 'node:fs';
import type { DataDirectory } from '../adapters/data-directory/data-directory.js';
import type { BatchStream } from '../commands/ports/cluster.js';
import { openJournal } from '../store/journal.js';
import { type Alignment, align } from './alignment.js';

/** The id of the first event of a log; null when the log is empty or missing. */
export function identityIn(directory: DataDirectory): string | null {
  if (!existsSync(directory.database)) return null;
  const journal = openJournal(directory, { readonly: true });
  try {
    return journal.log.at(1)?.id ?? null;
  } finally {
    journal.log.close();
  }
}

/** Compares the log of a directory, which no process has open, with the stream. */
export async function alignClosed(stream: BatchStream, directory: DataDirectory): Promise<Alignment> {
  const journal = openJournal(directory, { readonly: true });
  try {
    return await align(stream, journal.log);
  } finally {
    journal.log.close();
  }
}
