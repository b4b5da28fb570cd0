import { savedState, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import type { Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';

/** Between two writings of the snapshots, in events. */
const SNAPSHOT_EVERY = 20_000;
/** After a key was destroyed, and with it the snapshots, in ms. */
const REWRITE_AFTER_MS = 60_000;

/** Writes snapshots now and then; one at a time, each with a pause for the loop between them. */
export function snapshotting(
  foldings: readonly Folding[],
  snapshots: SnapshotStore,
  log: EventLog,
  warn: (message: string, fields?: object) => void,
) {
  let written = Math.min(...foldings.map(({ position }) => position));
  let writing: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    for (const { fold, state, position } of foldings) {
      await snapshots.save(fold.name, fold.version, position, savedState(fold, state));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  let soon: NodeJS.Timeout | undefined;
  /** A key was destroyed while snapshots were being written: those may hold what it sealed. */
  let shredded = false;
  const start = (): Promise<void> => {
    clearTimeout(soon);
    soon = undefined;
    written = log.head().position;
    if (!writing) shredded = false;
    writing ??= write()
      .catch((error: unknown) => warn('snapshots could not be written', { error: String(error) }))
      .finally(() => {
        writing = null;
        if (!shredded) return;
        snapshots.clear();
        soon ??= setTimeout(() => void start(), REWRITE_AFTER_MS).unref();
      });
    return writing;
  };
  log.appended$.subscribe((events) => {
    // What was destroyed must not live on in a cache.
    if (events.some(({ type }) => type === 'DataKeyDestroyed')) {
      shredded = true;
      snapshots.clear();
      soon ??= setTimeout(() => void start(), REWRITE_AFTER_MS).unref();
    }
    // A roll-up makes snapshots useless that end inside of what it sums up.
    const overtaken = events.some((event) => event.type === 'MeasurementsRolledUp' && event.data.toPosition > written);
    if (overtaken || (events.at(-1)?.position ?? 0) - written >= SNAPSHOT_EVERY) void start();
  });
  return {
    now: async (): Promise<void> => {
      await writing;
      await start();
    },
    digestOf: ({ fold, state }: Folding) => stateDigest(fold, state),
  };
}
