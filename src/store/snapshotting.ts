import { savedState, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import type { Folding } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';

/** Snapshots are written after this many events. */
const SNAPSHOT_EVERY = 20_000;
/** Delay of new snapshots after a key was destroyed and all snapshots were deleted, in ms. */
const REWRITE_AFTER_MS = 60_000;

/** Writes snapshots of the folds from time to time, one per turn of the event loop. */
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
  let rewrite: NodeJS.Timeout | undefined;
  /** A key was destroyed while snapshots were being written, so they may contain data that it sealed. */
  let keyDestroyed = false;
  const start = (): Promise<void> => {
    clearTimeout(rewrite);
    rewrite = undefined;
    written = log.head().position;
    if (!writing) keyDestroyed = false;
    writing ??= write()
      .catch((error: unknown) => warn('snapshots could not be written', { error: String(error) }))
      .finally(() => {
        writing = null;
        if (!keyDestroyed) return;
        snapshots.clear();
        rewrite ??= setTimeout(() => void start(), REWRITE_AFTER_MS).unref();
      });
    return writing;
  };
  log.appended$.subscribe((events) => {
    // Erased data must not remain in a snapshot.
    if (events.some(({ type }) => type === 'DataKeyDestroyed')) {
      keyDestroyed = true;
      snapshots.clear();
      rewrite ??= setTimeout(() => void start(), REWRITE_AFTER_MS).unref();
    }
    // A snapshot with a position inside the range of a roll-up is unusable.
    const outdated = events.some((event) => event.type === 'MeasurementsRolledUp' && event.data.toPosition > written);
    if (outdated || (events.at(-1)?.position ?? 0) - written >= SNAPSHOT_EVERY) void start();
  });
  return {
    now: async (): Promise<void> => {
      await writing;
      await start();
    },
    digestOf: ({ fold, state }: Folding) => stateDigest(fold, state),
  };
}
