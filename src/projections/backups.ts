import { type Fold, foldOf } from '../events/log/fold.js';

/** What the log knows of timed backups. */
export interface Backups {
  /** The last attempt; `why` is null when it was good. */
  last: { readonly at: number; readonly why: string | null } | null;
  lastGood: {
    readonly at: number;
    readonly name: string;
    readonly position: number;
    readonly bytes: number;
    readonly sealed: boolean;
  } | null;
}

/** Timed backups: how the last one ended, and which one is the last that is known to be good. */
export const backups: Fold<Backups> = foldOf<Backups>({
  name: 'backups',
  version: 1,
  initial: () => ({ last: null, lastGood: null }),
  on: {
    BackupVerified(state, { data: { createdAt: madeAt, name, position, bytes, encrypted: sealed } }) {
      state.last = { at: madeAt, why: null };
      state.lastGood = { at: madeAt, name, position, bytes, sealed };
    },
    BackupFailed(state, { data, meta }) {
      state.last = { at: meta.at, why: data.reason };
    },
    StateImported(state) {
      // They were backups of another machine, or of another time.
      state.last = null;
      state.lastGood = null;
    },
  },
});
