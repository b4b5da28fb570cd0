import { exportLineOf } from '../../src/adapters/sqlite/codec.js';
import type { SqliteEventLog } from '../../src/adapters/sqlite/event-log.js';

/** The export of a log, as `portolan events export` prints it. */
export function exportOf({ stored }: Pick<SqliteEventLog, 'stored'>): string {
  return `${stored.rows(0, 1_000_000).map(exportLineOf).join('\n')}\n`;
}
