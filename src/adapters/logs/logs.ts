import type { Logs } from '../../commands/ports/logs.js';
import { accessLines } from './access.js';
import { type JournalOptions, journalLines } from './journal.js';
import type { PanelLines } from './panel-lines.js';

export interface LogParts {
  readonly lines: PanelLines;
  /** Where the core writes. */
  readonly logDir: string;
  /** What no line may show, whatever it looks like. */
  readonly secrets: () => Iterable<string>;
  readonly journal?: Omit<JournalOptions, 'secrets'>;
}

/** The `Logs` port over the memory of the panel, the journal of the system and the files of the core. */
export function createLogs({ lines, logDir, secrets, journal }: LogParts): Logs {
  return {
    panel: (query) => lines.last(query),
    journal: (query) => journalLines(query, { ...journal, secrets }),
    access: (query) => accessLines(logDir, query),
  };
}
