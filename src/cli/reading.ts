import { dataDirectory } from '../adapters/data-directory.js';
import { type Journal, openJournal } from '../journal.js';

/** What every command is given. */
export interface Common {
  readonly dataDir: string;
  readonly json: boolean;
}

/** Opens the log of a data directory to read, beside a running panel or without one, and closes it again. */
export function reading<T>(dataDir: string, use: (journal: Journal) => T): T {
  const journal = openJournal(dataDirectory(dataDir), { readonly: true });
  const close = (): void => journal.log.close();
  try {
    const result = use(journal);
    if (result instanceof Promise) return result.finally(close) as T;
    close();
    return result;
  } catch (error) {
    close();
    throw error;
  }
}
