import { prepareDataDirectory } from '../../src/adapters/data-directory/data-directory.js';
import { lockDirectory } from '../../src/adapters/sqlite/lock.js';
import { PanelStarted } from '../../src/events/panel.js';
import { openJournal } from '../../src/store/journal.js';

/**
 * A process that appends until it is killed, two events at a time, and prints each position after it was acknowledged;
 * with `grouped`, ten such batches share a transaction.
 * `node --import ./scripts/typescript.mjs test/kit/appender.ts <data directory> [grouped]`
 */
const directory = prepareDataDirectory(process.argv[2] ?? '');
const lock = lockDirectory(directory.lock);
process.once('exit', () => lock.release()); // an unreferenced lock would be garbage-collected and released
const { log, anchor } = openJournal(directory);
const actor = { kind: 'system', id: 'appender', name: 'appender', ip: null } as const;

function two(): number {
  const version = String(log.head().position);
  const events = log.append([PanelStarted({ version }), PanelStarted({ version })], {
    at: Date.now(),
    actor,
    correlationId: version,
  });
  return events.at(-1)?.position ?? 0;
}

const batches = process.argv[3] === 'grouped' ? 10 : 1;

function more(): void {
  for (let i = 0; i < 20; i += 1) {
    const positions = log.group(() => Array.from({ length: batches }, two));
    // Positions that a busy reader has not read yet count as not acknowledged.
    process.stdout.write(`${positions.at(-1)}\n`);
    anchor.moved();
  }
  setImmediate(more);
}
more();
