import { savedState, stateDigest } from '../events/log/fold.js';
import type { EventLog } from '../events/log/log.js';
import { detached } from '../events/log/parts.js';
import { type Folding, replayCost } from '../events/log/replay.js';
import type { SnapshotStore } from '../events/log/snapshot-store.js';

/** Snapshots are written when a start after a crash would have to replay this much, in microseconds. */
const SNAPSHOT_AFTER = 500_000;
/** Delay of the first snapshots after a start, in ms: the events that the start replayed are not counted above. */
const FIRST_AFTER_MS = 120_000;
/** Delay of new snapshots after a key was destroyed and all snapshots were deleted, in ms. Keys are destroyed in series. */
const REWRITE_AFTER_MS = 3000;

/** Writes snapshots of the folds from time to time. A part is encoded at a time, so the event loop is not blocked. */
export function snapshotting(
  foldings: readonly Readonly<Folding>[],
  snapshots: SnapshotStore,
  log: EventLog,
  warn: (message: string, fields?: object) => void,
) {
  let written = Math.min(...foldings.map(({ position }) => position));
  let writing: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    for (const { fold, state, position } of foldings) {
      if (keyDestroyed) return;
      await snapshots.save(fold.name, fold.version, position, detached(savedState(fold, state)));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  let cost = 0;
  let rewrite: NodeJS.Timeout | undefined;
  const startIn = (ms: number): NodeJS.Timeout => setTimeout(() => void start(), ms).unref();
  let hasAppended = false;
  /** A key was destroyed while snapshots were being written, so they may contain data that it sealed. */
  let keyDestroyed = false;
  const start = (): Promise<void> => {
    clearTimeout(rewrite);
    rewrite = undefined;
    written = log.head().position;
    cost = 0;
    if (!writing) keyDestroyed = false;
    writing ??= write()
      .catch((error: unknown) => {
        // The files were deleted while they were written.
        if (!keyDestroyed) warn('snapshots could not be written', { error: String(error) });
      })
      .finally(() => {
        writing = null;
        if (!keyDestroyed) return;
        snapshots.clear();
        rewrite ??= startIn(REWRITE_AFTER_MS);
      });
    return writing;
  };
  log.appended$.subscribe((events) => {
    // Erased data must not remain in a snapshot.
    if (events.some(({ type }) => type === 'DataKeyDestroyed')) {
      keyDestroyed = true;
      snapshots.clear();
      clearTimeout(rewrite);
      rewrite = startIn(REWRITE_AFTER_MS);
    }
    if (!hasAppended) rewrite ??= startIn(FIRST_AFTER_MS);
    hasAppended = true;
    // A snapshot with a position inside the range of a roll-up is unusable.
    const outdated = events.some((event) => event.type === 'MeasurementsRolledUp' && event.data.toPosition > written);
    for (const event of events) cost += replayCost(event);
    if (outdated || cost >= SNAPSHOT_AFTER) void start();
  });
  return {
    now: async (): Promise<void> => {
      await writing;
      await start();
    },
    digestOf: ({ fold, state }: Readonly<Folding>) => stateDigest(fold, state),
  };
}
