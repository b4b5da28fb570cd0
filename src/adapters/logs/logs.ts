import type { Logs } from '../../commands/ports/logs.js';
import { accessLines } from './access.js';
import { type JournalOptions, journalLines } from './journal.js';
import type { PanelLines } from './panel-lines.js';

interface LogParts {
  readonly lines: PanelLines;
  /** The log folder of the core. */
  readonly logDir: string;
  /** Literals that are redacted from every line. */
  readonly secrets: () => Iterable<string>;
  readonly journal?: Omit<JournalOptions, 'secrets'>;
}

/** The `Logs` port: the panel's recent lines in memory, the system's journal and the files of the core. */
export function createLogs({ lines, logDir, secrets, journal }: LogParts): Logs {
  return {
    panel: (query) => lines.last(query),
    journal: (query) => journalLines(query, { ...journal, secrets }),
    access: (query) => accessLines(logDir, query),
  };
}
