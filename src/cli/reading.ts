import { existingDataDirectory } from '../adapters/data-directory/data-directory.js';
import { OperatorError } from '../lib/errors/operator-error.js';
import { damagedText, isDamage, readablePart } from '../store/damaged-log.js';
import { type Journal, openJournal } from '../store/journal.js';

/** The options that every command accepts. */
export interface GlobalOptions {
  readonly dataDir: string;
  readonly json: boolean;
}

/**
 * Opens the log for reading. Where it is too damaged for that, `OperatorError` says how far it can be read and how to
 * repair it.
 */
export function openToRead(dataDir: string, { live = false } = {}): Journal {
  const directory = existingDataDirectory(dataDir);
  try {
    return openJournal(directory, { readonly: true, live });
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw new OperatorError(damagedText(directory, readablePart(directory), error));
  }
}

/**
 * Opens the log of a data directory for reading, whether a panel runs or not, and closes it afterwards. `live`: later events
 * are visible too.
 */
export function reading<T>(
  dataDir: string,
  use: (journal: Journal) => T,
  options: { readonly live?: boolean } = {},
): T {
  const journal = openToRead(dataDir, options);
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
